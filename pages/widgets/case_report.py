"""The report of a correction: one page to print, and the same as CSV."""

from __future__ import annotations

import json

import streamlit as st

from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.case_place import Place
from pages.widgets.case_words import STEP_WORDS, about, bar_sentence, did, owner_words, say_open
from pages.widgets.desk import Desk
from pages.widgets.language import later, listed, number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import from_micros, say_minute
from pages.widgets.status import badge, icon
from pages.widgets.veil import behind_veil
from store import CaseView, CorrectionReport, NamedCaseEvent, ReportFall, ReportPassage, export_correction_csv, write_correction_report

#: What became of a passage, how something was settled, what was done about an artifact, how a message stands.
_VERDICTS = {
    "unchanged": later("unchanged"), "moved": later("moved"), "cosmetic": later("other spaces only"), "changed": later("changed"), "gone": later("gone"),
}  # fmt: skip
_SETTLED = {"open": later("open"), "hand": later("by hand"), "together": later("restored together")}
_REMEDIES = {"edition": later("new edition"), "annotation": later("annotation"), "none": later("nothing, because")}
_MESSAGES = {
    "drafted": later("drafted"), "approved": later("approved"), "sent": later("sent"), "failed": later("sending failed"), "seen": later("seen"), "cancelled": later("cancelled"),
}  # fmt: skip


def draw_report(desk: Desk, view: CaseView, place: Place) -> None:
    """Draw the report of a case the person may see."""
    row = view.row
    report = write_correction_report(desk.store, desk.person, row.tenant, row.id)
    with st.container(key="case_tools"):
        back = tag("a", say("← The case"), cls="cd-link", href=Place(row.id, row.tenant, scope=place.scope).link())
        draw(tag("div", back, tag("span", icon("print"), say("Print it with your browser; this line is left out."), cls="cd-muted"), cls="co-links"))
        st.download_button(
            say("The same as CSV"), behind_veil(lambda: export_correction_csv(desk.store, desk.person, row.tenant, row.id, name=f"{row.id}.csv")), f"{row.id}.csv", "text/csv", key="case.csv",
            on_click="ignore", icon=":material/table_view:",
        )  # fmt: skip
    draw(tag("h1", say("Correction report: {title}", title=row.title), cls="cd-title"))
    state = phrase("closed {when} by {name}", when=_at(row.closed_at), name=view.closed_by_name or "") if row.closed_at else say("open")
    draw(tag("p", phrase("As of {when}, the case is {state}. {bar}.", when=_at(report.at), state=tag("b", state), bar=bar_sentence(row.bar, row.hidden)), cls="cd-lead"))
    for section in (_case(report), _texts(report), _fell(report), _plans(report), _decisions(report), _editions(report), _notices(report), _left(report), _timeline(report)):
        if section is not None:
            draw(section)


def say_value(text: str | None) -> str:
    """Return a value that was kept as JSON, cut where it is long, as people read it."""
    if text is None:
        return say("no value")
    try:
        return shorten(value_text(json.loads(text)), 160)
    except ValueError:
        return shorten(text, 160)


def _at(moment: int | None) -> str:
    return say_minute(from_micros(moment)) if moment is not None else ""


def _section(words: str, count: int | None, *parts: Markup | None) -> Markup:
    tally = tag("span", number(count), cls="cd-tally") if count is not None else None
    return tag("section", tag("h2", words, tally, cls="cd-heading"), *(part for part in parts if part is not None), cls="co-section")


def _table(heads: list[str], rows: list[Markup]) -> Markup:
    return tag("div", tag("table", tag("thead", tag("tr", *(tag("th", one) for one in heads))), tag("tbody", *rows), cls="cd-table co-table"), cls="cd-scroll")


def _cut(shown: int, total: int) -> Markup | None:
    if shown >= total:
        return None
    return tag("p", say("The first {n} of {total} are printed here; the CSV beside this report holds all.", n=number(shown), total=number(total)), cls="cd-band")


def _case(report: CorrectionReport) -> Markup:
    view, row = report.view, report.view.row
    sources = listed([join((tag("b", one.title or one.id), tag("span", one.id, cls="cd-id cd-muted")), " ") for one in view.sources]) if view.sources else say("none")
    pairs: list[tuple[str, Markup | str]] = [
        (say("Cause"), row.cause or say("not said")), (say("Sources"), sources), (say("Owner"), owner_words(row)),
        (say("Opened"), phrase("{when} by {name}", when=_at(row.opened_at), name=view.opened_by_name)),
    ]  # fmt: skip
    if row.due_at is not None:
        pairs.append((say("Due"), _at(row.due_at)))
    if row.closed_at is not None:
        pairs.append((say("Closed"), phrase("{when} by {name}", when=_at(row.closed_at), name=view.closed_by_name or "")))
        pairs.append((say("What came of it"), view.closing_note or ""))
    pairs.append((say("Case"), tag("span", row.id, cls="cd-id")))
    return tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in pairs), cls="cd-facts")


def _texts(report: CorrectionReport) -> Markup | None:
    if not report.passages:
        return None
    heads = [say("what stood on it"), say("before"), say("now"), say("verdict")]
    rows = [_passage(one) for one in report.passages]
    return _section(say("Text before and after"), report.passages_total, _table(heads, rows), _cut(len(rows), report.passages_total))


def _passage(one: ReportPassage) -> Markup:
    before = tag("div", tag("div", long_text(one.before, 300) if one.before else say("the whole version"), cls="co-quote"), tag("div", one.old, cls="cd-id cd-muted"))
    now = tag("div", tag("div", long_text(one.after, 300), cls="co-quote") if one.after else say("nothing like it"), tag("div", one.new, cls="cd-id cd-muted"))
    values = None
    if one.answer:
        values = tag("div", phrase("{before} became {after}", before=tag("b", say_value(one.value_before)), after=tag("b", say_value(one.value_after))), cls="cd-small")
    what = tag("div", shorten(one.title, 140), values, tag("div", one.claim, cls="cd-id cd-muted"))
    return tag("tr", tag("td", what), tag("td", before), tag("td", now), tag("td", say(_VERDICTS[one.verdict]), cls="cd-keep"))


def _fell(report: CorrectionReport) -> Markup:
    if not report.fell_total and not report.hidden:
        return _section(say("What fell"), 0, tag("p", say("Nothing has fallen because of it."), cls="cd-muted"))
    heads = [say("record"), say("fell when"), say("settled"), say("by, and why"), say("status now")]
    rows = [_fallen(one) for one in report.fell]
    hidden = say_count("{n} more is in scopes you may not see.", "{n} more are in scopes you may not see.", report.hidden) if report.hidden else None
    return _section(say("What fell, and how it was settled"), report.fell_total, _table(heads, rows), _cut(len(rows), report.fell_total), tag("p", hidden, cls="cd-muted") if hidden else None)


def _fallen(one: ReportFall) -> Markup:
    why = did_action(one.fell_by)
    when = tag("div", _at(one.fell_at) or say("before it was imported"), tag("div", why, cls="cd-muted cd-small"))
    replaced = tag("div", phrase("replaced by {record}", record=tag("span", one.successor, cls="cd-id")), cls="cd-small") if one.successor else None
    settled = tag("div", say(_SETTLED[one.settled.removeprefix("by ")]), tag("div", _at(one.at), cls="cd-muted cd-small") if one.at else None)
    who = tag("div", one.by or "", tag("div", one.reason, cls="cd-muted cd-small") if one.reason else None, replaced)
    return tag("tr", tag("td", tag("div", shorten(one.title, 160)), tag("div", one.id, cls="cd-id cd-muted")), tag("td", when, cls="cd-keep"), tag("td", settled, cls="cd-keep"), tag("td", who), tag("td", badge(one.status, one.kind)))


def did_action(action: str) -> str:
    """Return what an action did, in words."""
    return did(NamedCaseEvent(None, "", 0, "", "", action, 0, None))


def _plans(report: CorrectionReport) -> Markup | None:
    if not report.plans:
        return None
    rows = []
    for plan in report.plans:
        held = plan.predicted == plan.count
        mark = None if plan.predicted is None else tag("span", icon("check" if held else "warning"), say("as predicted") if held else say("not as predicted"), cls="cd-teal" if held else "cd-red")
        rows.append(tag(
            "tr", tag("td", _at(plan.at), cls="cd-keep"), tag("td", tag("b", plan.by_name), " ", did(plan), " ", tag("span", about(plan), cls="cd-id")),
            tag("td", say("unknown") if plan.predicted is None else number(plan.predicted), cls="cd-num"), tag("td", number(plan.count), cls="cd-num"), tag("td", mark),
        ))  # fmt: skip
    heads = [say("when"), say("plan"), say("records predicted"), say("changed"), ""]
    return _section(say("Plans: predicted and actual"), len(rows), _table(heads, rows))


def _decisions(report: CorrectionReport) -> Markup | None:
    rows = [
        tag("tr", tag("td", _at(one.at), cls="cd-keep"), tag("td", one.by_name), tag("td", did(one), " ", tag("span", about(one), cls="cd-id")), tag("td", one.reason or ""), tag("td", number(one.count), cls="cd-num"))
        for one in report.decisions
    ]  # fmt: skip
    return _section(say("Decisions"), len(rows), _table([say("when"), say("who"), say("what"), say("why"), say("records")], rows)) if rows else None


def _editions(report: CorrectionReport) -> Markup | None:
    rows = []
    for one in report.editions:
        done: list[Markup | str | None] = [say(_REMEDIES[one.remedy]) if one.remedy in _REMEDIES else say("nothing yet")]
        done += [tag("span", " ", one.new, cls="cd-id") if one.new else None, tag("div", one.text, cls="cd-muted cd-small") if one.text else None]
        rows.append(tag("tr", tag("td", shorten(one.title, 160), tag("div", one.id, cls="cd-id cd-muted")), tag("td", number(one.edition), cls="cd-num"), tag("td", badge(one.status, "artifact")),
                        tag("td", *(part for part in done if part is not None)), tag("td", _at(one.at))))  # fmt: skip
    return _section(say("Delivered artifacts"), len(rows), _table([say("artifact"), say("edition"), say("status now"), say("what was done"), say("when")], rows)) if rows else None


def _notices(report: CorrectionReport) -> Markup | None:
    rows = [
        tag("tr", tag("td", one.recipient), tag("td", listed([shorten(title, 80) for title in one.artifacts], 4)), tag("td", say(_MESSAGES[one.state]) if one.state in _MESSAGES else say("no message yet")), tag("td", _at(one.at)))
        for one in report.notices
    ]  # fmt: skip
    return _section(say("Who was told"), len(rows), _table([say("recipient"), say("of what"), say("message"), say("when")], rows)) if rows else None


def _left(report: CorrectionReport) -> Markup | None:
    view = report.view
    lines = [
        tag("li", tag("b", say(STEP_WORDS[one.about]) if one.kind == "step" and one.about in STEP_WORDS else one.about), ": ", one.reason, tag("span", " ", one.by_name, ", ", _at(one.at), cls="cd-muted"))
        for one in view.waivers
    ]  # fmt: skip
    still = [tag("li", say_open(thing, view.row)) for thing in view.open if thing.reason is None] if view.row.closed_at is None else []
    if not lines and not still:
        return None
    waived = tag("ul", *lines, cls="cd-list") if lines else None
    left = join((tag("p", say("Still open:"), cls="co-line"), tag("ul", *still, cls="cd-list"))) if still else None
    return _section(say("Left open on purpose"), len(lines), waived, left)


def _timeline(report: CorrectionReport) -> Markup:
    rows = [
        tag("tr", tag("td", _at(one.at), cls="cd-keep"), tag("td", one.by_name), tag("td", did(one), " ", tag("span", about(one), cls="cd-id")), tag("td", one.reason or ""))
        for one in report.view.events
    ]  # fmt: skip
    return _section(say("Time line"), len(rows), _table([say("when"), say("who"), say("what"), say("why")], rows))
