"""Proofs that nothing forgotten comes back: drills, runs of the memory gate, verifications of requests, each with what it did and found."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import draw_anew, uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import exact, when
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, person_name, show_notices
from pages.widgets.forgetting_list import draw_tabs
from pages.widgets.forgetting_place import Place
from pages.widgets.labels import label_text
from pages.widgets.language import later, listed, number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from pages.widgets.today_questions import draw_ignored
from store import ProofRow, Right, list_deletions, list_proofs, run_drill, run_memory_gate

_RUN, _GATE = "forgetting.drill", "forgetting.gate"
_TENANTS = 6

_KINDS = {
    "drill": (later("Restore drill"), later("A backup is made, something is erased, the backup is restored in a scratch place, and it is looked for there.")),
    "gate": (later("Memory gate"), later("The four tests before anything is remembered: an exception stays out, a correction wins, another tenant reads nothing, nothing comes back.")),
    "verification": (later("Verification of a request"), later("After erasing, what was forgotten is looked for in every file and table, and asked for in a fresh session and from another tenant.")),
}  # fmt: skip


#: kind -> what it is called when it found what it should, and when not.
_RESULTS = {
    "drill": (later("Nothing came back"), later("Something came back")), "gate": (later("All four passed"), later("Not all passed")),
    "verification": (later("Nothing left"), later("Something is left")),
}  # fmt: skip


def draw_proofs(desk: Desk, place: Place) -> None:
    """Draw the proofs of the tenants the person may see in full."""
    # Before anything is drawn: what stands on the page stays where it is while a test runs, and nothing of it stands twice.
    _run_wanted(desk, place)
    rows = list_proofs(desk.store, desk.person, tenant=place.tenant or (place.scope.split("/", 1)[0] if place.scope else None))
    draw(tag("h1", say("Proofs"), cls="cd-title"), tag("p", _sentence(rows), cls="cd-lead"))
    draw_ignored()
    show_notices()
    draw(draw_tabs(place, None, bool(desk.actor.scopes_with(Right.ADMINISTER))))
    _draw_runs(desk, place)
    if not rows:
        words = say("Drills, runs of the memory gate and the verification of each request are kept here, with what each did and found.")
        draw(tag("div", tag("b", say("Nothing was proved yet")), words, cls="cd-empty"))
        return
    several = len({row.tenant for row in rows}) > 1
    requests = {(one.tenant, one.number): one.id for one in list_deletions(desk.store, desk.person)}
    for row in rows:
        draw(_proof(row, several, requests.get((row.tenant, row.request or 0)), place.scope))


def _tenants(desk: Desk, place: Place) -> list[str]:
    """Return the tenants for which the person may run a test."""
    return [one for one in desk.tenants if desk.actor.may(Right.ADMINISTER, one) and place.tenant in (None, one)]


def _run_wanted(desk: Desk, place: Place) -> None:
    """Run the test that was asked for by a press, saying so while it lasts."""
    tenants = _tenants(desk, place)
    wanted = st.session_state.pop(_RUN, None)
    if wanted in tenants:
        _drill(desk, str(wanted))
        draw_anew()
    gate = st.session_state.pop(_GATE, None)
    if gate in tenants:
        _run_gate(desk, str(gate))
        draw_anew()


@uninterrupted
def _drill(desk: Desk, tenant: str) -> None:
    with st.spinner(say("A made-up store is backed up, something in it is forgotten, and the backup is restored and searched. Nothing of yours is touched.")):
        done = attempt(lambda: run_drill(desk.store, desk.person, tenant))
    if done is not None:
        note_done(say("The drill is done, and kept below."))


@uninterrupted
def _run_gate(desk: Desk, tenant: str) -> None:
    with st.spinner(say("The four tests run on made-up statements in a store of their own, under your policy. Nothing of yours is touched.")):
        found = attempt(lambda: run_memory_gate(desk.store, desk.person, tenant))
    if found is not None:
        note_done(say("All four tests passed, and are kept below.") if found["ok"] else say("Not all of the four tests passed. What each found is kept below."))


def _draw_runs(desk: Desk, place: Place) -> None:
    """Draw the ways to run a test now, for who administers the tenant."""
    tenants = _tenants(desk, place)
    with st.container(key="forgetting_tools", horizontal=True, gap="small"):
        for one in tenants[:_TENANTS]:
            words = say("Run a restore drill for {tenant}", tenant=label_text(one, 40)) if len(tenants) > 1 else say("Run a restore drill")
            st.button(words, key=f"forgetting.drill.{mark_of(one)}", icon=":material/settings_backup_restore:", on_click=_begin, args=(_RUN, one))
            words = say("Run the four tests for {tenant}", tenant=label_text(one, 40)) if len(tenants) > 1 else say("Run the four tests")
            st.button(words, key=f"forgetting.gate.{mark_of(one)}", icon=":material/rule:", on_click=_begin, args=(_GATE, one))


@uninterrupted
def _begin(what: str, tenant: str) -> None:
    if counts():
        st.session_state[what] = tenant


def _sentence(rows: tuple[ProofRow, ...]) -> Markup:
    if not rows:
        return phrase("{none} was kept.", none=tag("b", say("No proof")))
    failed = [row for row in rows if not row.ok]
    held = phrase_count("{n} proof is kept.", "{n} proofs are kept.", len(rows), n=tag("b", number(len(rows))))
    if failed:
        return join((held, tag("b", say_count("{n} found something that must not be.", "{n} found something that must not be.", len(failed)), cls="cd-red")), " ")
    return join((held, tag("span", say("None found anything that had come back.")), phrase("The latest ran {ago}.", ago=when(rows[0].at))), " ")


def proof_badge(ok: bool, kind: str = "verification") -> Markup:
    """Return whether a test found what it should, as icon, word and colour."""
    good, bad = _RESULTS.get(kind, _RESULTS["verification"])
    if ok:
        return tag("span", icon("verified"), say(good), cls="cd-status cd-teal")
    return tag("span", icon("error"), say(bad), cls="cd-status cd-red")


def _proof(row: ProofRow, several: bool, request: str | None, scope: str | None) -> Markup:
    name, means = _KINDS.get(row.kind, (row.kind, ""))
    facts = [tag("span", when(row.at)), phrase("by {who}", who=person_name(row.person)), tag("span", exact(row.at), cls="cd-muted"), *([tag("span", row.tenant)] if several else [])]
    if request is not None:
        facts.append(tag("a", say("Request {id}", id=request), cls="cd-link", href=Place(request, row.tenant, scope=scope).link()))
    inside = [tag("div", say(means), cls="fg-what") if means else None, tag("div", join(facts, " · "), cls="fg-who"), draw_found(row)]
    return tag("section", tag("div", proof_badge(row.ok, row.kind)), tag("div", tag("h2", say(name), cls="fg-proofname"), *(one for one in inside if one is not None)), cls="fg-surface")


def draw_found(row: ProofRow) -> Markup:
    """Return what a test did and found: its single tests or steps as a table, or what a verification found as sentences."""
    if row.kind == "verification":
        return draw_verification(row.found)
    tests = row.found.get("tests") or row.found.get("steps")
    if not isinstance(tests, list):
        return Markup("")
    head = tag("tr", *(tag("th", name) for name in (say("test"), say("what it did"), say("what was found"), "")))
    rows = [_test(one) for one in tests if isinstance(one, dict)]
    message = row.found.get("message")
    lead = tag("p", quote_store(str(message)), cls="cd-small") if message else None
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table fg-tests"), cls="cd-scroll")
    return join(part for part in (lead, tag("details", tag("summary", say("What it did and found")), table, cls="cd-more")) if part is not None)


def _test(one: dict[str, Any]) -> Markup:
    name = str(one.get("name") or one.get("step") or "")
    found = [quote_store(_plain(one.get("found")))]
    if one.get("expected"):
        found.append(tag("div", phrase("expected: {what}", what=quote_store(_plain(one["expected"]))), cls="cd-muted cd-small"))
    if one.get("retrieved"):
        found.append(tag("div", tag("div", say("retrieved:")), _lines(one["retrieved"]), cls="cd-muted cd-small"))
    return tag("tr", tag("td", tag("b", quote_store(name))), tag("td", _lines(one.get("did"))), tag("td", *found), tag("td", proof_mark(bool(one.get("ok")))))


# --- the verification of a request ----------------------------------------------------------------------------------

_WAYS = {
    "key": later("asked for by its key"), "search": later("searched for by its words"), "show": later("looked up by its id"), "export": later("looked for in an export"),
}  # fmt: skip
_WHO = {"same": later("in a fresh session"), "another": later("from another tenant")}


def draw_verification(found: dict[str, Any]) -> Markup:
    """Return what was looked for after erasing, how thoroughly, and what was found; counts and places only."""
    lines = []
    files, seconds, size = int(found.get("files") or 0), found.get("seconds"), int(found.get("bytes") or 0)
    where = say_count("{n} file and every table", "{n} files and every table", files)
    searched = int(found.get("searched") or 0)
    lines.append(phrase_count(
        "{n} word of it was looked for in {where}, {size}, in {seconds} seconds: as it is, without case, as UTF-16 and as base64.",
        "{n} words of it were looked for in {where}, {size}, in {seconds} seconds: as they are, without case, as UTF-16 and as base64.",
        searched, where=where, size=size_words(size), seconds=seconds if seconds is not None else "?",
    ))  # fmt: skip
    if found.get("words") == "lost":
        lines.append(tag("span", say("Its words were erased before they could be looked for: the run was interrupted. Its ids were looked for by their keyed digests.")))
    if found.get("marker") is not None:
        lines.append(tag("span", say_count("The made-up marker planted beside it was found {n} time.", "The made-up marker planted beside it was found {n} times.", int(found["marker"]))))
    left = found.get("left") or {}
    if left:
        places = listed([tag("span", say("{place}, {n} times", place=place, n=number(int(times)))) for place, times in sorted(left.items())], 8)
        lines.append(tag("span", tag("b", say("Left:"), cls="cd-red"), " ", places))
    else:
        lines.append(tag("span", say("Nothing of it is left.")))
    if found.get("known_again"):
        lines.append(tag("span", say_count("{n} record goes by an id that was erased.", "{n} records go by an id that was erased.", int(found["known_again"])), cls="cd-red"))
    # Names that others go by too are places of other records, as the receipt and the letter count them.
    also = int(found.get("also_places") or 0) + sum(int(times) for times in (found.get("names") or {}).values())
    if also:
        lines.append(phrase_count("The same words stand in {n} place of other records, which are not forgotten.", "The same words stand in {n} places of other records, which are not forgotten.", also))
    if found.get("not_searched"):
        lines.append(tag("span", say_count("{n} word was too short or common to be looked for.", "{n} words were too short or common to be looked for.", int(found["not_searched"]))))
    asked = found.get("asked_again") or {}
    rows = [tag("tr", tag("td", _asked_words(name)), tag("td", say("not tried: too long") if count is None else say_count("{n} answer", "{n} answers", int(count)), cls="cd-num")) for name, count in asked.items()]
    table = tag("table", *rows, cls="cd-table fg-asked") if rows else None
    return tag("div", tag("ul", *(tag("li", line) for line in lines), cls="fg-lines"), table)


def _asked_words(name: str) -> str:
    """Return a way of asking again in words: `key (same person)`."""
    way, _, rest = name.partition(" (")
    who = rest.partition(" ")[0]
    if way in _WAYS and who in _WHO:
        return say("{way}, {who}", way=say(_WAYS[way]), who=say(_WHO[who]))
    return name


def size_words(size: int) -> str:
    """Return a number of bytes in words."""
    if size >= 1_000_000:
        return say("{n} MB", n=f"{size / 1_000_000:,.1f}")
    return say("{n} kB", n=number(max(1, size // 1000)))


def proof_mark(ok: bool) -> Markup:
    """Return whether a single test passed."""
    return tag("span", icon("check"), say("as it should"), cls="cd-status cd-teal") if ok else tag("span", icon("close"), say("not as it should"), cls="cd-status cd-red")


def _lines(value: Any) -> Markup:
    """Return sentences one below the other, and anything else as words."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return join(tag("div", quote_store(one[:600])) for one in value[:40])
    return join([quote_store(_plain(value))])


def _plain(value: Any) -> str:
    """Return a value of a proof as words."""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, list):
        return " ".join(_plain(one) for one in value[:20]) or say("none")
    if isinstance(value, dict):
        return say(", ").join(say("{what} {value}", what=name.replace("_", " "), value=_plain(one)) for name, one in list(value.items())[:20]) or say("none")
    return say("none") if value is None or value == "" else f"{value:,}" if isinstance(value, int) else str(value)[:600]
