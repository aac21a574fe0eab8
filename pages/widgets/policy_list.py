"""The policy of a scope: what each setting says, where that comes from, and the form that changes one of them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk
from pages.widgets.labels import label_text
from pages.widgets.language import later, phrase, phrase_count, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.people_place import Place, ask_reason, before_after, carry_out, draw_outcome, say_done
from pages.widgets.people_words import SENSITIVITY_WORDS, SETTING_WORDS, setting_words, terms_words
from pages.widgets.policy_memory import ask_approvers, ask_lifetimes, ask_types, ask_words
from pages.widgets.policy_places import ask_places
from pages.widgets.policy_rules import ask_rules
from pages.widgets.status import icon
from store import ANY_PREDICATE, LEAST_CONFIDENCE, SENSITIVITIES, PolicyView, change_policy

#: Settings in the order they are shown, with a sentence on what each does.
_MEANS = {
    "entity_confidence": later(
        "An extractor says how sure it is whom or what it read about. Below this a candidate cannot be approved, unless the reviewer says that it is right."
    ),
    "sensitivities": later("Claims marked so are kept out, unless they are named here. What is not marked is never held up by this."),
    "kept_types": later("Only claims of these types can be approved; the others are rejected as not worth keeping."),
    "lifetimes": later("When a candidate has no end, the usual terms let it expire after so many days, by what type it is of."),
    "approvers": later("Claims of a type, or marked so, that are approved by these people only; without a line every reviewer may."),
    "watch_words": later(
        "Words that raise a flag on a candidate and veil it until somebody asks to see it, beside those that come with the desk. A flag decides nothing."
    ),
    "authority_ranks": later(
        "Which authorities stand above which, the highest first. The rank is shown beside claims; nobody wins by it before a person has decided."
    ),
    "house_rules": later(
        "How conflicts over a predicate are usually settled here. A rule proposes a verdict to whoever decides; nothing applies it by itself."
    ),
    "usual_terms": later("What is usually set when a candidate is approved: they fill in what it lacks, and never change what it states."),
    "replicas": later("Copies of the whole store that are kept elsewhere. When something is to be forgotten, each is listed until it has lapsed there or its owner says so."),
    "other_logs": later("Logs outside the desk in which something of its records may stand, such as those of a mail server. They are listed in the same way."),
}
_DEFAULTS: dict[str, Any] = {
    "entity_confidence": LEAST_CONFIDENCE, "sensitivities": [], "kept_types": [], "lifetimes": {}, "approvers": {}, "watch_words": {}, "authority_ranks": [], "usual_terms": {}, "house_rules": [], "replicas": [], "other_logs": [],
}  # fmt: skip
#: Settings that only a tenant's own scope has.
_OF_TENANT = ("replicas", "other_logs")


def draw_policy(desk: Desk, view: PolicyView, scopes: list[str], place: Place) -> None:
    """Draw the settings of one scope."""
    own = len([name for name in view.own if name in _MEANS])
    scope = tag("b", view.scope)
    lead = (
        phrase_count(
            "The policy of {scope} sets {n} thing itself; the rest holds from above, or as the desk has it.",
            "The policy of {scope} sets {n} things itself; the rest holds from above, or as the desk has it.",
            own, scope=scope,
        )
        if own
        else phrase("The policy of {scope} sets {nothing} itself; all of it holds from above, or as the desk has it.", scope=scope, nothing=tag("b", say("nothing")))
    )  # fmt: skip
    draw(tag("p", lead, cls="cd-lead"), _scopes(view.scope, scopes, place))
    if not view.may_change:
        draw(
            tag(
                "div",
                icon("visibility"),
                phrase("You can look, and change nothing: a policy is changed by an admin of {scope}.", scope=view.scope),
                cls="cd-band",
            )
        )
    draw_outcome()
    for name in _MEANS:
        if name in _OF_TENANT and "/" in view.scope:
            continue
        _draw_setting(desk, view, name, place)


def _scopes(chosen: str, scopes: list[str], place: Place) -> Markup:
    if len(scopes) < 2:
        return Markup("")
    links = [
        tag("a", one, cls="cd-link cd-chip" + (" pp-chosen" if one == chosen else ""), href=place.link(where=one, edit="", item=""))
        for one in scopes[:40]
    ]
    return tag("div", *links, cls="cd-chips")


def _draw_setting(desk: Desk, view: PolicyView, name: str, place: Place) -> None:
    where, value = view.in_force.get(name, ("", _DEFAULTS[name]))
    origin = say("as the desk has it") if not where else (say("set here") if where == view.scope else say("from {scope}", scope=where))
    editing = place.edit == name and view.may_change
    change = (
        tag("a", say("Change"), cls="cd-link cd-small", href=place.link(edit=name, where=view.scope, item=""))
        if view.may_change and not editing
        else None
    )
    draw(
        tag(
            "section",
            tag("div", tag("h2", say(SETTING_WORDS[name]), cls="pp-sub"), tag("span", origin, cls="cd-muted cd-small"), change, cls="pp-head"),
            tag("p", say(_MEANS[name]), cls="cd-muted cd-small pp-means"),
            tag("div", setting_words(name, value), cls="pp-value"),
            cls="pp-setting",
        )
    )
    if editing:
        with st.container(key="people.form", border=True):
            _draw_form(desk, view, name, value, place)


def _draw_form(desk: Desk, view: PolicyView, name: str, value: Any, place: Place) -> None:
    mark = mark_of(view.scope, name, place.item)
    wanted, problem = _FIELDS[name](view, value, mark, place)
    ask_reason(f"people.policyreason.{mark}", say("Why it changes, and who decided so"))
    if problem is None and wanted != value:
        draw(before_after(setting_words(name, value), setting_words(name, wanted)))
    elif problem is not None:
        draw(tag("div", problem, cls="cd-band cd-warnband"))
    actor = label_text(desk.actor.name, 40) or say("you")
    left, right = st.columns([2, 3])
    left.button(
        say("Save as {name}", name=actor), type="primary", key=f"people.policysave.{mark}", on_click=_save,
        args=(desk, view, name, wanted, problem, f"people.policyreason.{mark}", mark, place),
    )  # fmt: skip
    if name in view.own:
        right.button(
            say("Set nothing here, as {name}", name=actor), key=f"people.policydrop.{mark}", on_click=_save,
            args=(desk, view, name, None, None, f"people.policyreason.{mark}", mark, place),
        )  # fmt: skip
    draw(tag("a", say("Leave it"), cls="cd-link cd-small", href=place.link(edit="", item="")))


@uninterrupted
def _save(desk: Desk, view: PolicyView, name: str, wanted: Any, problem: str | None, reason_key: str, mark: str, place: Place) -> None:
    reason = str(st.session_state.get(reason_key) or "").strip()
    problems = [problem] if problem else []
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    tenant = view.scope.split("/", 1)[0]
    done = carry_out(
        lambda operation: change_policy(desk.store, desk.person, tenant, view.scope, {name: wanted}, reason, seen=view.own, operation=operation),
        problems,
    )
    if done is not None:
        for key in [key for key in st.session_state if isinstance(key, str) and key.startswith("people.policy") and mark in key]:
            st.session_state.pop(key, None)
        say_done(say("The policy of {scope} changed: {setting}.", scope=view.scope, setting=say(SETTING_WORDS[name]).lower()))
        place.go(edit="", item="", where=view.scope)


# --- the fields of each setting: (what is wanted, why it cannot be) -----------------------------------------------------


def _confidence(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    now = round(float(value) * 100) if isinstance(value, int | float) else 80
    found = st.number_input(say("At least, in percent"), 0, 100, now, key=f"people.policyvalue.{mark}", width=220)
    return found / 100, None


def _sensitivities(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    held = [one for one in value if one in SENSITIVITIES]
    found = []
    for one in SENSITIVITIES:
        words = say("Keep {what}", what=say(SENSITIVITY_WORDS[one]))
        if one != "normal" and st.checkbox(words, value=one in held, key=f"people.policyvalue.{one}.{mark}"):
            found.append(one)
    return found, None


def _ranks(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    text = st.text_area(
        say("One authority to a line, the highest first"), "\n".join(map(str, value)), key=f"people.policyvalue.{mark}", height=160, max_chars=20_000
    )
    found = [line.strip() for line in str(text).splitlines() if line.strip()]
    twice = sorted({one for one in found if found.count(one) > 1})
    return found, say("{name} stands there twice. Keep one of them.", name=twice[0]) if twice else None


def _usual_terms(view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    """Ask for the terms of one predicate; the others stay as they hold here, because what is set here takes the place of all from above."""
    held = {name: terms for name, terms in (value if isinstance(value, dict) else {}).items() if isinstance(terms, dict)}
    if "usual_terms" not in view.own and held:
        draw(tag("p", say("What is set here takes the place of what is set above; it starts as a copy of that."), cls="cd-muted cd-small"))
    names = sorted({ANY_PREDICATE, *held})
    chosen = st.selectbox(
        say("For the predicate"), names, key=f"people.policyfor.{mark}", accept_new_options=True, width=420,
        format_func=lambda one: say("every predicate that has none of its own") if one == ANY_PREDICATE else str(one),
    )  # fmt: skip
    predicate = str(chosen or "").strip()
    terms = held.get(predicate, {})
    here = mark_of(mark, predicate)
    one, two, three = st.columns(3)
    owner = one.text_input(say("Owner"), str(terms.get("owner") or ""), key=f"people.policyvalue.owner.{here}.{mark}", max_chars=200)
    review = two.text_input(
        say("Review after how many days"), str(terms.get("review_after_days") or ""), key=f"people.policyvalue.review.{here}.{mark}", max_chars=6
    )
    expiry = three.text_input(
        say("Expires after how many days"), str(terms.get("expires_after_days") or ""), key=f"people.policyvalue.expiry.{here}.{mark}", max_chars=6
    )
    four, five = st.columns([2, 1])
    purposes = four.text_input(
        say("Purposes, with commas between"), ", ".join(terms.get("purposes") or []), key=f"people.policyvalue.purposes.{here}.{mark}", max_chars=500,
        placeholder=say("every purpose"),
    )  # fmt: skip
    kept = terms.get("sensitivity") if terms.get("sensitivity") in SENSITIVITIES else "normal"
    sensitivity = five.selectbox(
        say("Marked as"), list(SENSITIVITIES), index=list(SENSITIVITIES).index(kept or "normal"), key=f"people.policyvalue.sens.{here}.{mark}",
        format_func=lambda one: say(SENSITIVITY_WORDS[one]),
    )  # fmt: skip
    wanted: dict[str, Any] = {"owner": owner.strip() or None, "sensitivity": sensitivity if sensitivity != "normal" else None}
    wanted["purposes"] = [part.strip() for part in purposes.split(",") if part.strip()] or None
    problem = None if predicate else say("Choose the predicate.")
    for name, text in (("review_after_days", review), ("expires_after_days", expiry)):
        days = text.strip()
        if days and not (days.isascii() and days.isdigit() and 1 <= int(days) <= 36_500):
            problem = say("Write a whole number of days, from 1 to 36,500.")
        else:
            wanted[name] = int(days) if days else None
    found = {name: one for name, one in wanted.items() if one is not None}
    changed = {**held, predicate: found} if found else {name: one for name, one in held.items() if name != predicate}
    draw(tag("p", tag("b", say("every predicate") if predicate == ANY_PREDICATE else predicate[:120]), f": {terms_words(found)}", cls="cd-small"))
    return changed, problem


def _house_rules(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    return ask_rules(value, mark)


def _replicas(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    return ask_places(value, mark, say("standby in Dublin; ops; 7"))


def _logs(_view: PolicyView, value: Any, mark: str, _place: Place) -> tuple[Any, str | None]:
    return ask_places(value, mark, say("mail server; ops; 30"))


_FIELDS = {
    "replicas": _replicas,
    "other_logs": _logs,
    "house_rules": _house_rules,
    "entity_confidence": _confidence,
    "kept_types": lambda _view, value, mark, _place: ask_types(value, mark),
    "lifetimes": lambda _view, value, mark, _place: ask_lifetimes(value, mark),
    "approvers": lambda _view, value, mark, _place: ask_approvers(value, mark),
    "watch_words": lambda _view, value, mark, _place: ask_words(value, mark),
    "sensitivities": _sensitivities,
    "authority_ranks": _ranks,
    "usual_terms": _usual_terms,
}


def policy_scopes(desk: Desk, tenant: str) -> list[str]:
    """Return the scopes of a tenant whose policy the person may see, the tenant's own first."""
    return [scope for scope in desk.scopes if scope.split("/", 1)[0] == tenant]


def draw_no_policy(tenant: str) -> None:
    """Say that there is nothing one may look into."""
    draw(
        tag(
            "div", tag("b", say("There is no policy you may see")), join((say("You look into no scope of {tenant}.", tenant=tenant),)), cls="cd-empty"
        )
    )
