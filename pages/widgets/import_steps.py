"""The steps of an import on screen: choose files, see what they would do, carry it out, see what came of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.decision_guard import counts, take_ignored
from pages.widgets.desk import Desk, address
from pages.widgets.import_errors import draw_errors
from pages.widgets.import_job import File, Job, current_job, events_now, forget_job, start_check, start_import
from pages.widgets.import_words import (
    ARRIVED,
    STEP_WORDS,
    differs,
    hint_of,
    problem_of,
    say_checked,
    say_imported,
    share_done,
    size_words,
    taken,
)
from pages.widgets.labels import label_text
from pages.widgets.language import number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.record_parts import copyable
from pages.widgets.status import badge, icon
from store import Right, events_of_import, show_invisible

_FILES = "import.files"
_GENERATION = "import.generation"


def scopes_to_add_to(desk: Desk) -> list[str]:
    """Return the scopes a person may add to."""
    named = {scope for scope in desk.actor.scopes_with(Right.PROPOSE) if scope != "*"}
    return sorted({*named, *(scope for scope in desk.scopes if desk.actor.may(Right.PROPOSE, scope))})


# --- choosing --------------------------------------------------------------------------------------------------------


def draw_choice(desk: Desk) -> None:
    """Draw the upload and its options."""
    uploaded = st.file_uploader(
        say("Bundle files"), accept_multiple_files=True, key=f"{_FILES}.{st.session_state.get(_GENERATION, 0)}",
        help=say("Text files with one JSON object to a line, as the command line exports them."),
    )  # fmt: skip
    files = [File(one.name, one.getvalue()) for one in uploaded]
    notes = [_note(file) for file in files]
    draw(
        tag(
            "p",
            say("At most 20 MB a file; larger ones go in by the command line. Evidence that is kept in files of its own does too."),
            cls="cd-muted cd-small",
        ),
        *(note for note in notes if note is not None),
    )
    broken = any(problem_of(file) is not None for file in files)
    scopes = scopes_to_add_to(desk)
    left, right = st.columns([3, 4], gap="large")
    with left:
        scope = st.selectbox(
            say("Scope of lines that name none"), scopes, key="import.scope", index=None, format_func=show_invisible, accept_new_options=True,
            placeholder=say("none: such lines cannot be taken"),
        )  # fmt: skip
    with right:
        reviewed = _ask_reviewed(desk)
    st.button(
        say("See what it would do"),
        type="primary",
        key="import.check",
        disabled=not files or broken,
        on_click=_check,
        args=(desk, files, scope, reviewed),
    )


def _note(file: File) -> Markup | None:
    problem, hint = problem_of(file), hint_of(file)
    words = problem or hint
    if words is None:
        return None
    return tag("div", tag("b", file.name[:120]), ": ", words, cls=f"cd-band {'cd-badband' if problem else 'cd-warnband'}")


def _ask_reviewed(desk: Desk) -> bool:
    if not desk.actor.scopes_with(Right.ADMINISTER):
        words = say("What comes in waits as candidates. Bringing in records with the status they claim takes an admin of their scope.")
        draw(tag("p", icon("pending"), words, cls="cd-muted cd-small im-reviewed"))
        return False
    found = st.checkbox(say("Bring records in with the status they claim, where I am admin"), key="import.reviewed")
    words = (
        say("They were reviewed elsewhere: what says so is in use at once, without a second look. That is your decision, and is logged as it.")
        if found
        else say("Without it, all claims and artifacts wait as candidates, whatever they say of themselves.")
    )
    draw(tag("p", words, cls="cd-muted cd-small"))
    return bool(found)


@uninterrupted
def _check(desk: Desk, files: list[File], scope: str | None, reviewed: bool) -> None:
    st.query_params.pop("code", None)
    st.query_params.pop("part", None)
    start_check(desk, files, str(scope).strip() or None if scope else None, reviewed=reviewed)


# --- going on --------------------------------------------------------------------------------------------------------


@st.fragment(run_every=0.5)
def draw_progress(desk: Desk) -> None:
    """Draw how far a check or import is; when it is finished the whole page is drawn again."""
    job = current_job(desk)
    if job is None or not job.running:
        st.rerun()
        return
    step = say(STEP_WORDS.get(job.what, job.what))
    done = say("{step}: {done} of {total}", step=step, done=_amount(job, job.done), total=_amount(job, job.total)) if job.total else step
    st.progress(share_done(job), text=done)
    tail = (
        say("Nothing is written by this. You may look at other pages meanwhile.")
        if job.dry_run
        else say("It is one step for the store: all of it comes in, or nothing does. You may look at other pages meanwhile.")
    )
    draw(tag("p", tail, cls="cd-muted cd-small"))


def _amount(job: Job, count: int) -> str:
    return size_words(count) if job.what == "reading" else number(count)


def draw_running(desk: Desk, job: Job) -> None:
    """Draw a check or import that goes on."""
    words = say("Finding out what it would do…") if job.dry_run else say("Importing…")
    draw(tag("p", tag("b", words), " ", _of_files(job), cls="cd-lead"))
    draw_progress(desk)


def _of_files(job: Job) -> str:
    names = ", ".join(file.name[:60] for file in job.files[:3])
    more = len(job.files) - 3
    if more > 0:
        return say("{names} and {n} more, {size}", names=names, n=more, size=size_words(job.size))
    return say("{names}, {size}", names=names, size=size_words(job.size))


# --- checked -----------------------------------------------------------------------------------------------------------


def draw_checked(desk: Desk, job: Job) -> None:
    """Draw what importing would do, and the button that does exactly that."""
    result = job.result or {}
    draw(tag("p", say_checked(job), cls="cd-lead"), _counts(desk, result, later=True), _drift(desk, job))
    actor = label_text(desk.actor.name, 40) or say("you")
    count = taken(result)
    ignored = take_ignored()
    if ignored:
        draw(tag("div", say("A press came too soon after the last and was ignored."), cls="cd-band"))
    left, right = st.columns([3, 5], vertical_alignment="center")
    if count:
        left.button(
            say_count("Import {n} line as {name}", "Import {n} lines as {name}", count, name=actor), type="primary", key="import.go", width="stretch",
            on_click=_import, args=(desk, job.id),
        )  # fmt: skip
    (right if count else left).button(
        say("Leave it and choose again"), key="import.leave", on_click=_leave, args=(desk,), type="tertiary" if count else "secondary"
    )
    draw(_facts(job))
    draw_errors(desk, job)


def _drift(desk: Desk, job: Job) -> Markup:
    """Return what was done in the store since the check, if anything."""
    now = events_now(desk)
    moved = sum(max(0, now.get(tenant, seq) - seq) for tenant, seq in job.seen.items())
    if not moved:
        return Markup("")
    words = say_count(
        "{n} action was taken in the store since this was found out.", "{n} actions were taken in the store since this was found out.", moved
    )
    return tag(
        "div",
        icon("update"),
        tag("b", words),
        " ",
        say("What comes in may differ from this. Choose again to find it out anew."),
        cls="cd-band cd-warnband",
    )


def _counts(desk: Desk, result: dict[str, Any], *, later: bool) -> Markup:
    parts: list[Markup] = []
    for status in ARRIVED:
        count = result.get("arrived", {}).get(status, 0)
        if count:
            href = address("candidates", scope=desk.scope) if status == "CANDIDATE" and not later else None
            body = join((tag("b", number(count)), " ", badge(status)))
            parts.append(tag("a", body, cls="cd-link", href=href) if href else tag("span", body))
    if result.get("conflicts_opened"):
        words = (
            say_count("{n} conflict would open", "{n} conflicts would open", result["conflicts_opened"])
            if later
            else say_count("{n} conflict opened", "{n} conflicts opened", result["conflicts_opened"])
        )
        body = join((icon("compare_arrows"), words))
        parts.append(tag("span", body, cls="cd-violet") if later else tag("a", body, cls="cd-link", href=address("conflicts", scope=desk.scope)))
    if result.get("unchanged"):
        parts.append(
            tag(
                "span", say_count("{n} line is in the store already, unchanged", "{n} lines are in the store already, unchanged", result["unchanged"])
            )
        )
    if result.get("assumed_utc"):
        words = say_count(
            "{n} record states a time without its zone; it is taken as UTC",
            "{n} records state times without their zone; they are taken as UTC",
            len(result["assumed_utc"]),
        )
        parts.append(tag("span", icon("schedule"), words))
    if result.get("not_kept"):
        words = say_count(
            "{n} claim is of a kind the policy does not keep, so it needs re-validation", "{n} claims are of kinds the policy does not keep, so they need re-validation",
            len(result["not_kept"]),
        )  # fmt: skip
        body = join((icon("block"), words))
        parts.append(tag("span", body) if later else tag("a", body, cls="cd-link", href=address("revalidate", scope=desk.scope, state="not_kept")))
    if result.get("requests"):
        words = say("What arrived as being deleted waits for a request to forget")
        body = join((icon("auto_delete"), words))
        parts.append(tag("span", body) if later else tag("a", body, cls="cd-link", href=address("forgetting", scope=desk.scope)))
    return tag("div", *parts, cls="cd-counts") if parts else Markup("")


def _facts(job: Job) -> Markup:
    scope = tag("span", job.scope, cls="cd-id") if job.scope else tag("span", say("none"), cls="cd-muted")
    status = say("the status they claim, where you are admin") if job.reviewed else say("candidates, whatever they claim")
    words = phrase(
        "{files}. Lines without a scope: {scope}. Claims and artifacts come in as {status}. SHA-256 {sum}",
        files=_of_files(job),
        scope=scope,
        status=status,
        sum=copyable(job.sha256, 24),
    )
    return tag("p", words, cls="cd-muted cd-small im-facts")


@uninterrupted
def _import(desk: Desk, job_id: str) -> None:
    if counts() and not start_import(desk, job_id):
        forget_job(desk)


@uninterrupted
def _leave(desk: Desk) -> None:
    forget_job(desk)
    st.session_state[_GENERATION] = st.session_state.get(_GENERATION, 0) + 1
    st.query_params.pop("code", None)
    st.query_params.pop("part", None)


# --- done --------------------------------------------------------------------------------------------------------------


def draw_imported(desk: Desk, job: Job) -> None:
    """Draw what came of an import."""
    result = job.result or {}
    draw(tag("p", icon("check_circle") if taken(result) else "", say_imported(job), cls="cd-lead"), _counts(desk, result, later=False))
    if differs(job):
        draw(
            tag(
                "div",
                tag("b", say("This is not quite what was foreseen.")),
                " ",
                say("Somebody changed the store between the check and the import. The figures here are what came in."),
                cls="cd-band cd-warnband",
            )
        )
    links = []
    if result.get("arrived", {}).get("CANDIDATE"):
        links.append(tag("a", say("To the candidates"), cls="cd-link cd-button cd-primary", href=address("candidates", scope=desk.scope)))
    if result.get("conflicts_opened"):
        links.append(tag("a", say("To the conflicts"), cls="cd-link cd-button", href=address("conflicts", scope=desk.scope)))
    if links:
        draw(tag("div", *links, cls="cd-actions"))
    written = events_of_import(desk.store, desk.person, job.operation)
    events = [say("event {n} of {tenant}", n=number(seq), tenant=tenant) for tenant, seq in written]
    if events:
        draw(tag("p", ", ".join(events), ". ", _facts_short(job), cls="cd-muted cd-small"))
    st.button(say("Import something else"), key="import.again", on_click=_leave, args=(desk,))
    draw_errors(desk, job)


def _facts_short(job: Job) -> Markup:
    return phrase("{files}. SHA-256 {sum}", files=_of_files(job), sum=copyable(job.sha256, 24))


def draw_stopped(desk: Desk, job: Job) -> None:
    """Draw why a check or import came to nothing."""
    if job.refused is not None:
        lead = say("It cannot be imported so.") if job.dry_run else say("Nothing was imported.")
        draw(tag("div", tag("b", lead), " ", quote_store(job.refused["message"]), cls="cd-band cd-badband"))
    else:
        words = phrase(
            "{fault} Nothing was written by it. Try again; if it happens again, tell your admin reference {reference}.",
            fault=tag("b", say("Something went wrong.")), reference=tag("span", job.fault, cls="cd-id"),
        )  # fmt: skip
        draw(tag("div", words, cls="cd-band cd-badband"))
    st.button(say("Choose again"), key="import.leave", on_click=_leave, args=(desk,))
