"""Recapturing a source: give the corrected document, see what became of every passage, enter what it says now, commit exactly that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

import streamlit as st

from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.language import quote_store, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.plan_commit import draw_commit
from pages.widgets.plan_preview import draw_export, draw_limits, draw_lists, draw_preview
from pages.widgets.plan_state import Place as PlanPlace
from pages.widgets.plan_state import drift_of, read_place, rehearsal_of
from pages.widgets.recapture_passages import passage_groups
from pages.widgets.rehearsal_save import draw_save
from pages.widgets.rehearsal_words import plain_plan_words
from pages.widgets.source_difference import draw_difference
from pages.widgets.source_giving import FILE, MEDIA, draw_giving
from pages.widgets.source_picture import draw_given
from pages.widgets.source_place import Place
from pages.widgets.source_values import draw_values, forget, recall
from store import Plan, Recapture, SourceView, Verb, list_recaptured


@dataclass(frozen=True, slots=True)
class RecapturePlace(PlanPlace):
    """Where a preview of a recapture stands: on the page of its source."""

    source: str = ""
    file: str = ""
    media: str = ""

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters of the address."""
        kept = [(name, value) for name, value in PlanPlace.pairs(self) if name not in ("pick", "do")]
        return [("source", self.source), ("do", "recapture"), (FILE, self.file), (MEDIA, self.media), *kept]

    def address(self) -> str:
        """Return the address of this place."""
        return "/sources?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in self.pairs() if value)


def _plan_place(desk: Desk, view: SourceView, file: str, media: str) -> RecapturePlace:
    known = read_place(desk)
    return RecapturePlace(
        view.tenant, (view.id,), Verb.RECAPTURE, known.tab, known.groups, known.page, known.why, "", False, None, known.scope, source=view.id, file=file, media=media,
    )  # fmt: skip


def draw_recapture(desk: Desk, view: SourceView, place: Place) -> None:
    """Draw the recapture of a source: the form, or the plan about a document that was given."""
    file, media = st.query_params.get(FILE, "")[:80], st.query_params.get(MEDIA, "")[:200]
    if not file or not view.versions:
        draw_giving(desk, view)
        return
    refused = take_refusal()
    typed = recall(desk, view, file)
    values = typed.values()
    plan = Plan(Verb.RECAPTURE, (view.id,), file=file, media_type=media or None, values=values)
    found = attempt(lambda: rehearsal_of(desk, view.tenant, plan))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", tag("b", say("This cannot be done.")), " ", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        if values:
            st.button(say("Leave the new values out"), key="sources.drop", on_click=forget, args=(desk, view, file))
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
            draw_values(desk, told, view, file, typed)
        draw_lists(desk, found, plan_place)
        draw_limits(found)
        if told is not None:
            draw_given(desk, view, file, told)
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
