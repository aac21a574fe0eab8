"""What a committed plan did, drawn; read back from its event, so that it survives a reload."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pages.widgets.candidate_words import value_text
from pages.widgets.desk import Desk, address, record_link
from pages.widgets.frame import ADDRESSES
from pages.widgets.language import listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_rows import key_words
from pages.widgets.plan_state import Place
from pages.widgets.plan_words import exactly, name_roots, say_done, several, shorten
from pages.widgets.status import badge, change, icon
from store import PlanResult, Verb, list_corrections_of_event, load_plan_result, spaced


def draw_result(desk: Desk, tenant: str, place: Place, rehearsed: tuple[str, int] | None = None) -> bool:
    """Draw the result of any plan.

    Args:
        rehearsed: fingerprint and number of changing records of the rehearsal that was committed.

    Raises:
        Refusal: there is no such result that the person may see.
    """
    assert place.done is not None
    result = load_plan_result(desk.store, desk.person, tenant, place.done)
    what = say_done(result.verb, None if result.by == desk.person else result.by_name, name_roots(result.words, result.roots))
    changed = tag("b", say_count("{n} record changed", "{n} records changed", result.actual))
    draw(
        tag("p", what, " ", phrase("{changed} at {moment}.", changed=changed, moment=exactly(result.at)), " ", _told(result), cls="cd-lead"),
        tag(
            "div", _predicted(result), tag("span", phrase("receipt {code}", code=tag("button", result.receipt, cls="cd-copy", title=result.receipt))), tag("span", say("event {n}", n=number(result.seq))),
            tag("span", phrase("fingerprint {code}", code=tag("button", shorten(result.fingerprint), cls="cd-copy", title=result.fingerprint))) if result.fingerprint else None, cls="cd-badges",
        ),
    )  # fmt: skip
    if rehearsed is not None and rehearsed[0] != result.fingerprint:
        words = say_count("It was committed after its result had changed: as saved it changed {n} record.", "It was committed after its result had changed: as saved it changed {n} records.", rehearsed[1])
        draw(tag("div", icon("sync_problem"), words, cls="cd-band cd-warnband"))
    left = [_held(result), _changed(result), _sample(result)]
    right = [_notices(result, tenant), _next(desk, result, tenant, place)]
    draw(tag("div", tag("div", *left), tag("div", *right), cls="cd-two"))
    return True


def _told(result: PlanResult) -> str:
    sent = sum(len(rows) for rows in result.notices.values())
    if not sent:
        return say("Nobody outside has to be told.")
    return say_count("{n} notice for {recipients} was made.", "{n} notices for {recipients} were made.", sent, recipients=several(len(result.notices), "recipient"))


def _predicted(result: PlanResult) -> Markup:
    if result.predicted is None:
        return tag("span", say("{n} changed; what was predicted is not kept any more", n=number(result.actual)))
    words = say("{predicted} predicted, {n} changed", predicted=number(result.predicted), n=number(result.actual))
    if result.as_predicted:
        return tag("span", icon("check_circle"), words, cls="cd-teal")
    return tag("span", icon("warning"), words, cls="cd-red")


def _held(result: PlanResult) -> Markup | None:
    """Return what was predicted beside what happened, line by line; None where the prediction is not kept."""
    if result.predicted is None:
        return None
    told = sum(len(rows) for rows in result.notices.values()) + result.hidden_notices
    lines = [
        (say("records changed"), result.predicted, result.actual), (say("of them need re-validation"), result.foreseen.get("stale"), result.stale),
        (say("conflicts opened"), result.foreseen.get("opened"), result.conflicts[0]),
        (say("conflicts dissolved"), result.foreseen.get("dissolved"), result.conflicts[1]),
        (say("notices made"), result.foreseen.get("notices"), told),
    ]  # fmt: skip
    rows = []
    for what, predicted, actual in lines:
        if not actual and not predicted and what != lines[0][0]:
            continue
        same = predicted is None or predicted == actual
        mark = tag("span", icon("check"), say("as predicted"), cls="cd-teal cd-small") if same else tag("span", icon("warning"), say("not as predicted"), cls="cd-red cd-small")
        rows.append(tag("tr", tag("td", what), tag("td", say("unknown") if predicted is None else number(predicted), cls="cd-num"), tag("td", number(actual), cls="cd-num"),
                        tag("td", "" if predicted is None else mark, cls="cd-keep")))  # fmt: skip
    head = tag("tr", tag("th", ""), tag("th", say("predicted"), cls="cd-num"), tag("th", say("happened"), cls="cd-num"), tag("th", ""))
    more = []
    if result.settled is not None:
        more.append(say_count("{n} conflict was settled.", "{n} conflicts were settled.", result.settled))
        if result.left:
            more.append(say_count("{n} was left as it is.", "{n} were left as they are.", result.left))
    if result.verb in (Verb.RESTORE, Verb.CONFIRM, Verb.RECAPTURE) and result.back > 1:
        more.append(say_count("One decision brought {n} record back.", "One decision brought {n} records back, which would have taken as many by hand.", result.back))
    if result.moved:
        more.append(say_count("{n} record has another status by now.", "{n} records have another status by now.", result.moved))
    note = tag("p", join(more, " "), cls="cd-small") if more else None
    return tag("section", tag("h2", say("Predicted and actual")), tag("table", head, *rows, cls="cd-table"), note)


def _changed(result: PlanResult) -> Markup | None:
    if not result.cells and not result.reason:
        return None
    rows = [
        tag("tr", tag("td", several(cell["count"], cell["kind"])), tag("td", change(cell["from"], cell["to"], cell["kind"])))
        for cell in sorted(result.cells, key=lambda cell: (cell["kind"] != "artifact", cell["kind"]))
    ]  # fmt: skip
    rows.append(tag("tr", tag("td", tag("b", say("{n} together", n=number(result.actual)))), tag("td", "")))
    hidden = tag("p", say_count("{n} of them is in scopes you may not see.", "{n} of them are in scopes you may not see.", result.hidden), cls="cd-muted cd-small") if result.hidden else None
    reason = tag("div", tag("div", say("Reason"), cls="cd-where"), tag("div", result.reason), cls="cd-quotecard") if result.reason else None
    owners = [
        tag("div", icon("person_add"), phrase("{owner} now owns {artifact}", owner=owner, artifact=record_link(one, result.tenant)), cls="cd-small")
        for one, owner in result.owners.items()
    ]
    waived = [
        tag("div", icon("person_off"), phrase("{artifact} stays without owner: {why}", artifact=record_link(one, result.tenant), why=why), cls="cd-small")
        for one, why in result.waived.items()
    ]
    return tag("section", tag("h2", say("What changed")), tag("table", *rows, cls="cd-table"), hidden, *owners, *waived, reason)


def _words(values: list[Any]) -> str:
    found = []
    for value in values[:3]:
        parsed = value
        if isinstance(value, str):
            try:
                parsed = json.loads(value)
            except ValueError:
                parsed = value
        found.append(value_text(parsed))
    return ", ".join(found)[:160]


def _sample(result: PlanResult) -> Markup | None:
    if not result.sample:
        return None
    rows = []
    for one in result.sample:
        before = tag("div", badge(one["before"]), tag("small", _words(one["value"]), cls="cd-muted") if one["before"] == "OK" else None)
        now = tag("div", badge(one["now"]), tag("small", _words(one["value_now"]), cls="cd-muted") if one["now"] == "OK" else None)
        rows.append(tag("tr", tag("td", key_words(one)), tag("td", before), tag("td", now)))
    head = tag("tr", *(tag("th", word) for word in (say("asked for"), say("before"), say("now"))))
    return tag(
        "section", tag("h2", say("What agents are told now")), tag("table", head, *rows, cls="cd-table cd-samples"),
        tag("p", say_count("A sample of {n} answer that changed, asked a moment ago.", "A sample of {n} answers that changed, asked a moment ago.", result.answers), cls="cd-muted cd-small"),
    )  # fmt: skip


def _notices(result: PlanResult, tenant: str) -> Markup:
    if not result.notices:
        return tag("section", tag("h2", say("Notices")), tag("p", say("None: nothing that was delivered rests on it."), cls="cd-muted"))
    people = []
    for recipient, rows in result.notices.items():
        editions = [
            tag(
                "li",
                record_link(one["id"], tenant, one["title"][:140]),
                " ",
                tag("small", say("edition {edition}, {channel}", edition=one["edition"], channel=one["channel"]), cls="cd-muted"),
            )
            for one in rows
        ]
        people.append(tag("li", tag("b", recipient), tag("ul", *editions)))
    count = sum(len(rows) for rows in result.notices.values())
    return tag("section", tag("h2", say_count("{n} notice made", "{n} notices made", count)), tag("ul", *people, cls="cd-notices"))


def _next(desk: Desk, result: PlanResult, tenant: str, place: Place) -> Markup:
    start = replace(place, tenant=tenant, picks=(), done=None, adding=False, find="")
    cases = list_corrections_of_event(desk.store, desk.person, tenant, result.seq)
    # Within one correction the lists that follow keep to it.
    within = {"correction": cases[0].id, "tenant": tenant} if len(cases) == 1 else {}
    lines: list[Markup | None] = []
    for case in cases:
        link = tag("a", case.title, cls="cd-link", href=address("corrections", case=case.id, tenant=tenant, scope=place.scope))
        lines.append(tag("li", icon("healing"), tag("b", phrase("On with the correction: {case}", case=link))))
    lines.append(_roots(result, tenant, place))
    if result.stale and "revalidate" in ADDRESSES:
        words = say_count("Look at {n} record that needs re-validation", "Look at {n} records that need re-validation", result.stale)
        lines.append(tag("li", tag("a", words, cls="cd-link", href=address("revalidate", **within, scope=place.scope))))
    for one in result.created[:5]:
        made = tag("a", one[:100], cls="cd-link", href=address("candidates", candidate=one, tenant=tenant, scope=place.scope))
        lines.append(tag("li", phrase("Decide the candidate it made: {candidate}", candidate=made)))
    if len(result.created) > 5:
        words = say_count("{n} more candidate it made", "{n} more candidates it made", len(result.created) - 5)
        lines.append(tag("li", tag("a", words, cls="cd-link", href=address("candidates", scope=place.scope))))
    if result.conflicts[0]:
        words = say_count("Decide {n} conflict that opened", "Decide {n} conflicts that opened", result.conflicts[0])
        lines.append(tag("li", tag("a", words, cls="cd-link", href=address("conflicts", scope=place.scope))))
    if result.notices and "deliveries" in ADDRESSES:
        lines.append(tag("li", tag("a", say("Write to those who hold what no longer stands"), cls="cd-link", href=address("deliveries", **within, scope=place.scope))))
    if result.blocked_count:
        named = listed([record_link(one["id"], tenant, one["title"][:100]) for one in result.blocked], None, result.blocked_count)
        words_of = phrase_count(
            "{n} candidate cannot be approved for now: {candidates}", "{n} candidates cannot be approved for now: {candidates}", result.blocked_count, candidates=named
        )
        lines.append(tag("li", words_of))
    if result.verb == Verb.SUSPEND:
        again = replace(start, picks=result.roots[:50], do=Verb.REINSTATE).address()
        lines.append(tag("li", tag("a", say("Preview using it again"), cls="cd-link", href=again)))
    lines.append(tag("li", tag("a", say("Take something else out of use"), cls="cd-link", href=replace(start, tenant=None).address())))
    return tag("section", tag("h2", say("What to look at next")), tag("ul", *(line for line in lines if line is not None), cls="cd-next"))


def _roots(result: PlanResult, tenant: str, place: Place) -> Markup | None:
    """Return ways to what the plan was about."""
    if not result.roots:
        return None
    if result.verb in (Verb.RESOLVE, Verb.SETTLE):
        links = [
            tag("a", result.words[root][:120], cls="cd-link", href=address("conflicts", conflict=root, tenant=tenant, scope=place.scope))
            for root in result.roots[:5]
            if root in result.words
        ]
        named = listed(links, None, len(result.roots))
        return tag("li", phrase_count("The conflict itself: {conflicts}", "The conflicts themselves: {conflicts}", len(result.roots), conflicts=named)) if links else None
    if result.verb == Verb.COMPARE:
        href = address("people", tab="predicates", predicate=result.roots[0], where=None)
        return tag("li", phrase("The predicate itself: {predicate}", predicate=tag("a", spaced(result.roots[0])[:120], cls="cd-link", href=href)))
    if result.verb == Verb.RECAPTURE and "sources" in ADDRESSES:
        source = tag("a", result.words.get(result.roots[0], result.roots[0])[:120], cls="cd-link", href=address("sources", source=result.roots[0], tenant=tenant, scope=place.scope))
        return tag("li", phrase("The source itself: {source}", source=source))
    roots = listed([record_link(root, tenant, result.words.get(root, root)[:120]) for root in result.roots], 5)
    return tag("li", phrase_count("The record itself: {records}", "The records themselves: {records}", len(result.roots), records=roots))
