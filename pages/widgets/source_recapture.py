"""Recapturing a source: give the corrected document, see what became of every passage, enter what it says now, commit exactly that."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.decision_guard import counts
from pages.widgets.desk import SCOPE_PARAMETER, Desk, attempt, note_done, record_link, take_refusal
from pages.widgets.language import later, phrase, quote_store, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.plan_commit import draw_commit
from pages.widgets.plan_preview import draw_export, draw_limits, draw_lists, draw_preview
from pages.widgets.plan_state import Place as PlanPlace
from pages.widgets.plan_state import drift_of, read_place, rehearsal_of
from pages.widgets.recapture_passages import passage_groups
from pages.widgets.rehearsal_save import draw_save
from pages.widgets.rehearsal_words import plain_plan_words
from pages.widgets.source_difference import draw_difference
from pages.widgets.source_place import Place
from pages.widgets.status import icon
from store import Plan, Recapture, SourceView, Verb, capture, keep_plan_file, keep_version, list_recaptured

_VALUES = "sources.values"
_ENTERED = 40
_FILE, _MEDIA = "file", "media"
_KINDS = {
    "": later("as its ending says"), "text/markdown": later("Markdown"), "text/plain": later("plain text"), "text/html": later("HTML"),
    "text/csv": later("table (CSV)"), "application/json": later("JSON"), "application/pdf": later("PDF"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecapturePlace(PlanPlace):
    """Where a preview of a recapture stands: on the page of its source."""

    source: str = ""
    file: str = ""
    media: str = ""

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters of the address."""
        kept = [(name, value) for name, value in PlanPlace.pairs(self) if name not in ("pick", "do")]
        return [("source", self.source), ("do", "recapture"), (_FILE, self.file), (_MEDIA, self.media), *kept]

    def address(self) -> str:
        """Return the address of this place."""
        return "/sources?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in self.pairs() if value)


def _plan_place(desk: Desk, view: SourceView, file: str, media: str) -> RecapturePlace:
    known = read_place(desk)
    return RecapturePlace(
        view.tenant, (view.id,), Verb.RECAPTURE, known.tab, known.groups, known.page, known.why, "", False, None, known.scope, source=view.id, file=file, media=media,
    )  # fmt: skip


# --- giving the document --------------------------------------------------------------------------------------------


def _go(view: SourceView, file: str, media: str) -> None:
    scope = st.query_params.get(SCOPE_PARAMETER)
    found = {"source": view.id, "tenant": view.tenant, "do": "recapture", _FILE: file, _MEDIA: media, **({SCOPE_PARAMETER: scope} if scope else {})}
    st.query_params.from_dict(found)


def _upload(view: SourceView) -> tuple[Any, str | None, str | None]:
    mark = mark_of(view.tenant, view.id)
    found = st.session_state.get(f"sources.upload.{mark}")
    kind, encoding = st.session_state.get(f"sources.kind.{mark}") or None, str(st.session_state.get(f"sources.encoding.{mark}") or "").strip() or None
    return found, kind, encoding


def _keep(desk: Desk, view: SourceView) -> None:
    """Keep what was uploaded for the plan; no record is written."""
    found, kind, encoding = _upload(view)
    if not counts() or found is None:
        return
    kept = attempt(lambda: keep_plan_file(desk.store, desk.person, view.tenant, found.getvalue(), name=found.name, media_type=kind, encoding=encoding))
    if kept is not None:
        _go(view, kept.sha256, kept.media_type)


def _beside(desk: Desk, view: SourceView, operation: str) -> None:
    """Put what was uploaded beside the older version, to be sorted later."""
    found, kind, encoding = _upload(view)
    if not counts() or found is None:
        return
    content = found.getvalue()
    done = attempt(
        lambda: capture(
            desk.store, desk.person, view.tenant, view.id, content, name=found.name, media_type=kind, encoding=encoding,
            operation=f"{operation}-{mark_of(content[:200].hex(), len(content), found.name)}",
        )
    )  # fmt: skip
    if done is None:
        return
    if done["unchanged"]:
        note_done(say("The newest version has these very bytes, so nothing was made."))
        return
    note_done(say("Version {n} stands beside the older one. No claim changed; sort its passages when you are ready.", n=done["version"]))
    scope = st.query_params.get(SCOPE_PARAMETER)
    st.query_params.from_dict({"source": view.id, "tenant": view.tenant, **({SCOPE_PARAMETER: scope} if scope else {})})


def _take_arrived(desk: Desk, view: SourceView, evidence: str) -> None:
    kept = attempt(lambda: keep_version(desk.store, desk.person, view.tenant, evidence)) if counts() else None
    if kept is not None:
        _go(view, kept.sha256, kept.media_type)


def draw_giving(desk: Desk, view: SourceView) -> None:
    """Draw the form that takes the corrected document."""
    draw(
        tag("h2", say("Give the corrected document"), cls="cd-heading"),
        tag("p", phrase("Every passage is looked for in it. {nothing} before you have seen what became of each.", nothing=tag("b", say("Nothing changes"))), cls="cd-lead"),
    )
    refusal = take_refusal()
    mark = mark_of(view.tenant, view.id)
    if refusal is not None:
        draw(tag("div", icon("error"), quote_store(refusal["message"]), cls="cd-band cd-badband"))
    if view.unsorted and view.may_decide:
        newest = view.versions[0]
        draw(tag("div", icon("difference"), say("Version {n} has arrived and nobody has sorted it.", n=newest.version), cls="cd-band cd-warnband"))
        st.button(
            say("Sort its passages against version {n}", n=newest.version), key=f"sources.arrived.{mark}", type="primary", on_click=_take_arrived, args=(desk, view, newest.id),
        )  # fmt: skip
        draw(tag("p", say("Or give another document:"), cls="cd-muted cd-small"))
    st.file_uploader(say("The document: PDF, HTML, Markdown, plain text, CSV or JSON"), key=f"sources.upload.{mark}", max_upload_size=20)
    with st.expander(say("It is not what its ending says, or its letters look wrong")):
        st.selectbox(say("What it is"), list(_KINDS), key=f"sources.kind.{mark}", format_func=lambda one: say(_KINDS[one]))
        st.text_input(say("Its encoding, such as windows-1252"), key=f"sources.encoding.{mark}", max_chars=40)
    found, _, _ = _upload(view)
    operation = st.session_state.setdefault(f"sources.operation.{mark}", desk.store.new_id())
    with st.container(horizontal=True):
        if view.may_decide:
            st.button(say("Compare"), key=f"sources.compare.{mark}", type="primary", on_click=_keep, args=(desk, view), disabled=found is None, icon=":material/compare:")
        st.button(say("Only put it beside, decide later"), key=f"sources.beside.{mark}", on_click=_beside, args=(desk, view, operation), disabled=found is None)
    if not view.may_decide:
        draw(tag("p", say("Sorting passages takes a reviewer of this scope; you can put the document beside."), cls="cd-muted cd-small"))


# --- the plan -------------------------------------------------------------------------------------------------------


def _known_values(view: SourceView, file: str) -> dict[str, dict[str, Any]]:
    kept: dict[str, dict[str, dict[str, Any]]] = st.session_state.setdefault(_VALUES, {})
    return kept.get(f"{view.tenant}:{view.id}:{file}", {})


def _read_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _take_values(view: SourceView, file: str, rows: list[tuple[str, str]]) -> None:
    if not counts():
        return
    values: dict[str, dict[str, Any]] = {}
    for claim, key in rows:
        text = str(st.session_state.get(f"{key}.value") or "").strip()
        words = str(st.session_state.get(f"{key}.quote") or "")
        if text:
            values[claim] = {"value": _read_value(text), **({"quote": words} if words.strip() else {})}
    kept = st.session_state.setdefault(_VALUES, {})
    kept[f"{view.tenant}:{view.id}:{file}"] = values


def _draw_values(found: Recapture, view: SourceView, file: str) -> None:
    fallen = [one for one in found.passages if one["verdict"] in ("changed", "gone") and one["status"] != "CANDIDATE"][:_ENTERED]
    if not fallen:
        return
    known = _known_values(view, file)
    mark = mark_of(view.tenant, view.id, file)
    rows = [(one["id"], f"sources.new.{mark}.{n}") for n, one in enumerate(fallen)]
    with st.expander(say("What the new document says instead"), expanded=bool(known), icon=":material/edit_note:"):
        draw(tag("p", say("Each value becomes a candidate that answers the fallen claim; somebody else decides on it. Leave empty what you do not know."), cls="cd-muted cd-small"))
        with st.form(f"sources.values.{mark}", border=False):
            for one, (claim, key) in zip(fallen, rows, strict=True):
                proposed = (one.get("proposed") or {}).get("quote") or ""
                entered = known.get(claim, {})
                draw(tag("div", record_link(claim, view.tenant), tag("span", " ", shorten(proposed, 200), cls="cd-muted cd-small"), cls="cs-entering"))
                left, right = st.columns([2, 5])
                shown = value_text(entered["value"], 4_000) if "value" in entered and not isinstance(entered["value"], str) else str(entered.get("value", ""))
                left.text_input(say("New value of claim {n}", n=claim[:80].replace("_", " ").replace("*", " ").replace("[", "(").replace("]", ")")), value=shown, key=f"{key}.value", max_chars=4_000)
                right.text_input(say("Its words in the new document, if others than proposed"), value=entered.get("quote", ""), key=f"{key}.quote", max_chars=4_000)
            st.form_submit_button(say("Take these into the plan"), on_click=_take_values, args=(view, file, rows))


def draw_recapture(desk: Desk, view: SourceView, place: Place) -> None:
    """Draw the recapture of a source: the form, or the plan about a document that was given."""
    file, media = st.query_params.get(_FILE, "")[:80], st.query_params.get(_MEDIA, "")[:200]
    if not file or not view.versions:
        draw_giving(desk, view)
        return
    refused = take_refusal()
    values = _known_values(view, file)
    plan = Plan(Verb.RECAPTURE, (view.id,), file=file, media_type=media or None, values=values)
    found = attempt(lambda: rehearsal_of(desk, view.tenant, plan))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", tag("b", say("This cannot be done.")), " ", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        if values:
            st.button(say("Leave the new values out"), key="sources.drop", on_click=st.session_state[_VALUES].clear)
        draw_giving(desk, view)
        return
    drift = drift_of(desk, found)
    told = list_recaptured(desk.store, found, rows=400)
    plan_place = _plan_place(desk, view, file, media)
    left, right = st.columns([7, 3], gap="large")
    with left:
        draw_preview(desk, found, drift)
        if told is not None:
            if told.proposed:
                draw(tag("p", say_count("{n} candidate with a new value comes with it.", "{n} candidates with new values come with it.", len(told.proposed)), cls="cd-small"))
            draw(passage_groups(told, view.tenant))
            _draw_values(told, view, file)
        draw_lists(desk, found, plan_place)
        draw_limits(found)
    with right, st.container(key="revoke.card"):
        draw_commit(desk, found, drift, plan_place, refused)
        if drift is None and found.complete:
            draw_save(desk, view.tenant, found.plan, found.fingerprint, name=plain_plan_words(found.plan, found.words))
        draw_export(desk, found)
    older = _older(view, told)
    if older is not None:
        newer = None if told is None or told.evidence["new"] else int(told.evidence["version"])
        draw_difference(desk, view, replace(place, do="recapture"), older, newer, file=file if newer is None else None, fates=False)


def _older(view: SourceView, told: Recapture | None) -> int | None:
    """Return the number of the version the document is compared with."""
    if told is not None and told.passages:
        named = told.passages[0]["evidence"]
        found = next((one.version for one in view.versions if one.id == named), None)
        if found is not None:
            return found
    made = None if told is None or told.evidence["new"] else told.evidence["id"]
    return next((one.version for one in view.versions if one.id != made), None)
