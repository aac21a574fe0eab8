"""One case: what is so, its bar, its five steps with the one next action each, its time line, and how it is closed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.widgets.case_forms import draw_close, draw_edit, draw_reopen, draw_waive, draw_waivers
from pages.widgets.case_place import Place
from pages.widgets.case_words import (
    BAR_PARTS,
    STEP_WORDS,
    about,
    bar_sentence,
    by_whom,
    did,
    draw_bar,
    due_words,
    moment,
    owner_words,
    step_badge,
)
from pages.widgets.desk import Desk, address, show_notices
from pages.widgets.language import listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.rehearsal_place import address_of
from pages.widgets.rehearsal_words import stand_badge, totals_words
from pages.widgets.status import badge, icon
from pages.widgets.today_questions import draw_ignored
from store import CaseSource, CaseView, SavedRehearsal, StepState, Verb, list_rehearsals

#: Saved plans of a case that are named on its page.
_PLANNED = 5


def draw_case(desk: Desk, view: CaseView, place: Place) -> None:
    """Draw one case."""
    tenant = view.row.tenant
    _draw_head(view, place)
    draw_ignored()
    show_notices()
    left, right = st.columns([64, 36], gap="large")
    with left:
        draw(_bar(view, tenant, place))
        planned = [row for row in list_rehearsals(desk.store, desk.person, correction=view.row.id, tenant=tenant) if row.committed is None]
        for step in view.row.steps:
            _draw_step(desk, view, step, place, planned)
    with right:
        if place.edit and view.may_decide and view.row.closed_at is None:
            draw_edit(desk, view, place)
        else:
            draw(_facts(view, place))
        if view.row.closed_at is not None:
            draw_reopen(desk, view)
        else:
            draw_close(desk, view)
        draw_waivers(desk, view)
        draw(_timeline(view, tenant, place))


def _draw_head(view: CaseView, place: Place) -> None:
    row = view.row
    draw(tag("div", tag("a", say("← Corrections"), cls="cd-link", href=Place(scope=place.scope).link()), cls="cd-kicker"))
    draw(tag("h1", row.title, cls="cd-title"))
    settled = row.bar.total - row.bar.unsettled
    if row.closed_at is not None:
        said = phrase("{closed} {ago} by {name}.", closed=tag("b", say("Closed")), ago=moment(row.closed_at), name=view.closed_by_name or "")
    elif row.next is None:
        said = phrase("{nothing} It can be closed.", nothing=tag("b", say("Nothing of it is open.")))
    else:
        said = phrase("Next: {step}.", step=tag("b", say(STEP_WORDS[row.next])))
    if row.bar.total:
        count = phrase_count("{settled} of {n} record that fell is settled.", "{settled} of {n} records that fell are settled.", row.bar.total, settled=number(settled))
        said = join((said, count), " ")
    if row.hidden:
        said = join((said, tag("span", say_count("{n} more is in scopes you may not see.", "{n} more are in scopes you may not see.", row.hidden), cls="cd-muted")), " ")
    draw(tag("p", said, cls="cd-lead"))


def _bar(view: CaseView, tenant: str, place: Place) -> Markup:
    bar = view.row.bar
    if not bar.total:
        return tag("p", bar_sentence(bar), cls="cd-muted")
    legend = []
    for name, word, tone, symbol in BAR_PARTS:
        n = getattr(bar, name)
        words = join((tag("b", number(n)), say(word)), " ")
        href = _settle_link(view, tenant, place) if name in ("waiting", "open") and n else None
        legend.append(tag("span", tag("span", cls=f"co-key co-{tone}"), icon(symbol), tag("a", words, cls="cd-link", href=href) if href else words))
    legend.append(tag("span", phrase("{total} together", total=tag("b", number(bar.total))), cls="cd-muted"))
    return tag("div", draw_bar(bar, view.row.hidden), tag("div", *legend, cls="co-legend"), cls="co-whole")


# --- the steps ----------------------------------------------------------------------------------------------------


def has_page(name: str) -> bool:
    """Return whether the desk has a page of this name."""
    from pages.widgets.frame import ADDRESSES  # noqa: PLC0415 - the frame knows every page, and is built on none

    return name in ADDRESSES


def _settle_link(view: CaseView, tenant: str, place: Place) -> str | None:
    return address("revalidate", correction=view.row.id, tenant=tenant, scope=place.scope) if has_page("revalidate") else None


def revoke_address(source: str, do: str, view: CaseView, place: Place) -> str:
    """Return the address that previews a step of a source within this case."""
    return address("revoke", tenant=view.row.tenant, pick=source, do=do, correction=view.row.id, scope=place.scope)


def _draw_step(desk: Desk, view: CaseView, step: StepState, place: Place, planned: Sequence[SavedRehearsal]) -> None:
    tenant = view.row.tenant
    if step.name == "compare":
        lines = _compare(view, tenant, place, planned)
    elif step.name == "commit":
        lines = _commit(view, tenant, place, planned)
    else:
        lines = {"stop": _stop, "settle": _settle, "tell": _tell}[step.name](view, tenant, place)
    head = tag("h2", say(STEP_WORDS[step.name]), cls="co-stepname")
    waived = tag("p", icon("remove_circle"), phrase("Left open on purpose: {why}", why=step.reason), cls="cd-small co-line") if step.reason else None
    draw(tag("section", tag("div", head, step_badge(step.state), cls="co-stephead"), *(line for line in lines if line is not None), waived, cls="co-step co-next" if view.row.next == step.name else "co-step"))
    if step.state == "open" and view.may_decide and view.row.closed_at is None:
        draw_waive(desk, view, step)


def _line(*parts: Markup | str | None) -> Markup:
    return tag("p", *(part for part in parts if part is not None), cls="co-line")


def _actions(*links: Markup | None) -> Markup | None:
    shown = [link for link in links if link is not None]
    return tag("div", *shown, cls="cd-actions co-actions") if shown else None


def _button(words: str, href: str, primary: bool = False) -> Markup:
    return tag("a", words, cls="cd-link cd-button cd-primary" if primary else "cd-link cd-button", href=href)


def _title(source: CaseSource) -> Markup:
    return tag("b", source.title or source.id)


def _source_link(source: CaseSource, tenant: str, place: Place) -> Markup:
    if not has_page("sources"):
        return _title(source)
    return tag("a", source.title or source.id, cls="cd-link", href=address("sources", source=source.id, tenant=tenant, scope=place.scope))


def _is_open(view: CaseView, step: str) -> bool:
    return any(one.name == step and one.state == "open" for one in view.row.steps)


def _may(view: CaseView) -> bool:
    return view.may_decide and view.row.closed_at is None


def _stop(view: CaseView, tenant: str, place: Place) -> list[Markup | None]:
    found: list[Markup | None] = []
    for source in view.sources:
        newest = badge(source.newest) if source.newest else tag("span", say("no version captured"), cls="cd-muted")
        found.append(_line(_source_link(source, tenant, place), " ", newest))
        if _is_open(view, "stop") and source.newest == "ACCEPTED" and not source.corrected and _may(view):
            found.append(_actions(_button(say("Stop using it"), revoke_address(source.id, "suspend", view, place), primary=view.row.next == "stop")))
    if not view.sources:
        found.append(_line(say("The case names no source.")))
    return found


def _compare(view: CaseView, tenant: str, place: Place, planned: Sequence[SavedRehearsal]) -> list[Markup | None]:
    found: list[Markup | None] = []
    for source in view.sources:
        name = _source_link(source, tenant, place)
        compared = [row for row in planned if row.plan.verb is Verb.RECAPTURE and source.id in row.plan.roots]
        if source.corrected:
            words = phrase("{source}: decided.", source=name)
        elif source.arrived or source.unsorted:
            words = phrase("{source}: another version has arrived.", source=name)
        elif compared:
            words = phrase("{source}: compared and rehearsed, not committed: {plans}.", source=name, plans=listed([_rehearsal_link(row, place) for row in compared], 3))
        else:
            words = phrase("{source}: no other version yet.", source=name)
        found.append(_line(words))
        if not source.corrected and _may(view) and has_page("sources"):
            put = address("sources", source=source.id, tenant=tenant, do="recapture", correction=view.row.id, scope=place.scope)
            found.append(_actions(_button(say("Put the corrected document beside it"), put, primary=view.row.next == "compare" and not compared)))
    return found


def _rehearsal_link(row: SavedRehearsal, place: Place) -> Markup:
    return tag("a", row.name[:120], cls="cd-link", href=address_of(row, place.scope))


def _planned(row: SavedRehearsal, place: Place) -> Markup:
    """Return a saved plan of the case, with who is to commit it."""
    who = tag("span", " ", phrase("with {name}, to commit", name=say("you") if row.handed else (row.handed_to_name or "")[:80]), cls="cd-muted") if row.handed_to else None
    return _line(icon("bookmark"), phrase("Rehearsed: {plan}, {what}", plan=_rehearsal_link(row, place), what=totals_words(row.totals)), who, " ", stand_badge(row))


def _commit(view: CaseView, tenant: str, place: Place, planned: Sequence[SavedRehearsal]) -> list[Markup | None]:
    found: list[Markup | None] = []
    for event in view.events:
        if event.step == "commit" and event.seq is not None:
            link = tag("a", say("what it did"), cls="cd-link", href=address("revoke", tenant=tenant, done=str(event.seq), scope=place.scope))
            counted = say_count("{n} record changed", "{n} records changed", event.count)
            who = tag("b", by_whom(event.by, event.by_name))
            found.append(_line(phrase("{who} {did}, {what}, {ago}: {counted}, {link}.", who=who, did=did(event), what=about(event), ago=moment(event.at), counted=counted, link=link)))
    if _is_open(view, "commit") and _may(view):
        for source in view.sources:
            if source.corrected and not source.unsorted and source.newest != "DISPUTED":
                continue
            again = _button(say("It was right: use it again"), revoke_address(source.id, "reinstate", view, place)) if source.newest == "DISPUTED" else None
            found.append(_actions(_button(say("Withdraw it for good"), revoke_address(source.id, "revoke", view, place)), again))
    found += [_planned(row, place) for row in planned[:_PLANNED]]
    if has_page("rehearsals"):
        found.append(_line(tag("a", say("Rehearsals of this case"), cls="cd-link", href=address("rehearsals", correction=view.row.id, tenant=tenant, scope=place.scope))))
    return found or [_line(say("Nothing was committed yet."))]


def _settle(view: CaseView, tenant: str, place: Place) -> list[Markup | None]:
    bar = view.row.bar
    found: list[Markup | None] = []
    if not bar.total:
        return [_line(say("Nothing has fallen because of it."))]
    found.append(_line(bar_sentence(bar), "."))
    link = _settle_link(view, tenant, place)
    # An answer that is approved takes the place of what fell, and what rests on it is less to look at: so it comes first.
    here = view.row.next == "settle"
    answers = None
    if view.candidates:
        words = say_count("{n} candidate answers what fell", "{n} candidates answer what fell", view.candidates)
        answers = _button(words, address("candidates", show="answers", correction=view.row.id, tenant=tenant, scope=place.scope), primary=here)
    queue = _button(say("Work through what needs re-validation"), link, primary=here and not view.candidates) if link and bar.unsettled else None
    found.append(_actions(answers, queue))
    return found


def _tell(view: CaseView, tenant: str, place: Place) -> list[Markup | None]:
    if not view.delivered and not view.recipients:
        return [_line(say("Nobody outside has to be told so far."))]
    found: list[Markup | None] = []
    if view.delivered:
        artifacts = say_count("{n} delivered artifact is concerned", "{n} delivered artifacts are concerned", view.delivered)
        bare = say_count("{n} still without a new edition, an annotation or a reason for none", "{n} still without a new edition, an annotation or a reason for none", view.editions)
        found.append(_line(say("{what}: {how}.", what=artifacts, how=bare if view.editions else say("all put right"))))
    if view.recipients:
        people = say_count("{n} recipient", "{n} recipients", view.recipients)
        untold = say_count("{n} not told yet", "{n} not told yet", view.untold) if view.untold else say("all told")
        found.append(_line(say("{what}: {how}.", what=people, how=untold)))
    if has_page("deliveries"):
        # What a message says of an edition is what became of it by then: so editions come before messages.
        kept, here = {"correction": view.row.id, "tenant": tenant, "scope": place.scope}, view.row.next == "tell"
        right = _button(say("Put right what went out"), address("deliveries", view="delivered", only="needing" if view.editions else None, **kept), primary=here and bool(view.editions)) if view.delivered else None
        tell = _button(say("Tell who holds it"), address("deliveries", **kept), primary=here and not view.editions and bool(view.untold)) if view.recipients else None
        found.append(_actions(right, tell))
    return found


# --- beside them --------------------------------------------------------------------------------------------------


def _facts(view: CaseView, place: Place) -> Markup:
    row = view.row
    pairs: list[tuple[str, Markup | str]] = [(say("Cause"), row.cause or say("not said yet")), (say("Owner"), owner_words(row))]
    due = due_words(row, view.now)
    if due is not None:
        pairs.append((say("Due"), due))
    pairs.append((say("Opened"), phrase("{ago} by {name}", ago=moment(row.opened_at), name=view.opened_by_name)))
    pairs.append((say("Sources"), listed([tag("span", source.title or source.id) for source in view.sources]) if view.sources else say("none")))
    if view.closing_note:
        pairs.append((say("What came of it"), view.closing_note))
    facts = tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in pairs), cls="cd-facts")
    links = [tag("a", icon("print"), say("Report"), cls="cd-link", href=place_of(view, place).link(printed=True))]
    if _may(view):
        links.append(tag("a", icon("edit"), say("Change"), cls="cd-link", href=place_of(view, place).link(edit=True)))
    return tag("section", tag("h2", say("The case"), cls="cd-heading"), facts, tag("div", *links, cls="co-links"))


def place_of(view: CaseView, place: Place) -> Place:
    """Return the place of a case."""
    return Place(view.row.id, view.row.tenant, scope=place.scope)


def _timeline(view: CaseView, tenant: str, place: Place) -> Markup:
    rows = []
    for event in view.events:
        what = did(event)
        linked = tag("a", what, cls="cd-link", href=address("revoke", tenant=tenant, done=str(event.seq), scope=place.scope)) if event.plan is not None and event.seq else what
        named = about(event)
        rows.append(
            tag(
                "li", tag("span", moment(event.at), cls="co-when"),
                tag("div", tag("b", by_whom(event.by, event.by_name)), " ", linked, tag("span", " ", named, cls="cd-muted") if named else None,
                    tag("div", event.reason, cls="cd-muted cd-small") if event.reason else None, cls="co-did"),
            )
        )  # fmt: skip
    return tag("section", tag("h2", say("What happened"), cls="cd-heading"), tag("ol", *rows, cls="co-line-of-time"))


