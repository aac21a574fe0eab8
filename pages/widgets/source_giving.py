"""Giving the corrected document of a source: by upload, or the version that arrived by itself."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import SCOPE_PARAMETER, Desk, address, attempt, last_refusal, note_done, show_notices, take_refusal
from pages.widgets.labels import label_text
from pages.widgets.language import later, listed, phrase, quote_store, say
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import SourceView, capture, keep_plan_file, keep_version, list_open_corrections

FILE, MEDIA = "file", "media"
#: Megabytes of one upload; the command line takes longer files.
_MOST = 20
_READINGS = "sources.readings"
_KINDS = {
    "": later("as its ending says"), "text/markdown": later("Markdown"), "text/plain": later("plain text"), "text/html": later("HTML"),
    "text/csv": later("table (CSV)"), "application/json": later("JSON"), "application/pdf": later("PDF"),
}  # fmt: skip


def _go(view: SourceView, file: str, media: str) -> None:
    scope = st.query_params.get(SCOPE_PARAMETER)
    found = {"source": view.id, "tenant": view.tenant, "do": "recapture", FILE: file, MEDIA: media, **({SCOPE_PARAMETER: scope} if scope else {})}
    st.query_params.from_dict(found)


def _upload(view: SourceView) -> tuple[Any, str | None, str | None]:
    mark = mark_of(view.tenant, view.id)
    found = st.session_state.get(f"sources.upload.{mark}")
    kind, encoding = st.session_state.get(f"sources.kind.{mark}") or None, str(st.session_state.get(f"sources.encoding.{mark}") or "").strip() or None
    return found, kind, encoding


@uninterrupted
def _keep(desk: Desk, view: SourceView) -> None:
    """Keep what was uploaded for the plan; no record is written."""
    found, kind, encoding = _upload(view)
    if not counts() or found is None:
        return
    kept = attempt(lambda: keep_plan_file(desk.store, desk.person, view.tenant, found.getvalue(), name=found.name, media_type=kind, encoding=encoding))
    _ask_encoding(view)
    if kept is not None:
        _go(view, kept.sha256, kept.media_type)


@uninterrupted
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
    _ask_encoding(view)
    if done is None:
        return
    if done["unchanged"]:
        note_done(say("The newest version has these very bytes, so nothing was made."))
        return
    note_done(say("Version {n} stands beside the older one. No claim changed; sort its passages when you are ready.", n=done["version"]))
    scope = st.query_params.get(SCOPE_PARAMETER)
    st.query_params.from_dict({"source": view.id, "tenant": view.tenant, **({SCOPE_PARAMETER: scope} if scope else {})})


@uninterrupted
def _given(mark: str) -> None:
    """Forget what was said of another file."""
    st.session_state.pop(_READINGS, None)
    st.session_state[f"sources.encoding.{mark}"] = ""


def _ask_encoding(view: SourceView) -> None:
    """Keep the ways in which a file can be read, where the refusal names some, so that somebody can choose."""
    refusal = last_refusal() or {}
    readings = refusal.get("details", {}).get("readings") or []
    st.session_state[_READINGS] = (mark_of(view.tenant, view.id), readings)


@uninterrupted
def _choose(view: SourceView, encoding: str) -> None:
    st.session_state[f"sources.encoding.{mark_of(view.tenant, view.id)}"] = encoding
    st.session_state.pop(_READINGS, None)


def _draw_readings(view: SourceView) -> None:
    """Draw the ways to read the file that was given, each with a line of what it gives; nobody's guess counts before somebody chose."""
    mark, readings = st.session_state.get(_READINGS) or ("", [])
    if mark != mark_of(view.tenant, view.id) or not readings:
        return
    draw(tag("p", say("Which of these reads right? Nothing is taken before you say so."), cls="cd-small"))
    for n, one in enumerate(readings):
        left, right = st.columns([2, 7], vertical_alignment="center")
        left.button(say("It is {encoding}", encoding=label_text(one["encoding"], 40)), key=f"sources.reading.{n}", on_click=_choose, args=(view, one["encoding"]))
        with right:
            draw(tag("div", one["sample"][:200], cls="cd-passage cs-sample"))


@uninterrupted
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
    joined = [case for case in list_open_corrections(desk.store, desk.person, view.tenant, [view.id])[0] if case.joined]
    if joined:
        cases = listed([tag("a", case.title, cls="cd-link", href=address("corrections", case=case.id, tenant=view.tenant, scope=desk.scope)) for case in joined], 3)
        draw(tag("div", icon("healing"), phrase("It will belong to the correction {case}.", case=cases), cls="cd-small"))
    refusal = take_refusal()
    mark = mark_of(view.tenant, view.id)
    if refusal is not None:
        draw(tag("div", icon("error"), quote_store(refusal["message"]), cls="cd-band cd-badband"))
    show_notices()
    _draw_readings(view)
    if view.unsorted and view.may_decide:
        newest = view.versions[0]
        draw(tag("div", icon("difference"), say("Version {n} has arrived and nobody has sorted it.", n=newest.version), cls="cd-band cd-warnband"))
        st.button(
            say("Sort its passages against version {n}", n=newest.version), key=f"sources.arrived.{mark}", type="primary", on_click=_take_arrived, args=(desk, view, newest.id),
        )  # fmt: skip
        draw(tag("p", say("Or give another document:"), cls="cd-muted cd-small"))
    st.file_uploader(
        say("The document: PDF, HTML, Markdown, plain text, CSV or JSON, at most {n} MB", n=_MOST), key=f"sources.upload.{mark}", max_upload_size=_MOST, on_change=_given,
        args=(mark,),
    )  # fmt: skip
    stated = bool(_upload(view)[1] or _upload(view)[2])
    with st.expander(say("It is not what its ending says, or its letters look wrong"), expanded=stated):
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
