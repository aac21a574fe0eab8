"""What roles and changes of people and policy are called on screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pages.widgets.desk import person_name
from pages.widgets.language import later, say
from pages.widgets.markup import Markup, join, tag
from pages.widgets.policy_memory import memory_words
from pages.widgets.policy_places import places_words
from pages.widgets.policy_rules import rules_words

#: role -> (what it is called, what it permits beyond the one before).
ROLE_WORDS = {
    "reader": (later("reader"), later("reads, searches and is shown what may be used")),
    "contributor": (later("contributor"), later("reads, proposes claims and amends candidates")),
    "reviewer": (later("reviewer"), later("sees everything there, proposes, decides on candidates and conflicts, and commits plans")),
    "admin": (later("admin"), later("all a reviewer may, and changes people, predicates and policy, imports reviewed records, exports and erases")),
    "auditor": (later("auditor"), later("sees everything there, the events and the reasons why something is not served, and decides nothing")),
}
ACTION_WORDS = {
    "add_person": later("Added"), "set_roles": later("Roles changed"), "rename_person": later("Renamed"), "set_email": later("Mail address changed"), "change_policy": later("Policy changed"),
    "compare": later("Comparison changed"),
}  # fmt: skip
SETTING_WORDS = {
    "entity_confidence": later("How sure an extractor must be"),
    "sensitivities": later("Sensitive claims that may be kept"),
    "kept_types": later("Types of claims that may be kept"),
    "lifetimes": later("How long they are kept by default"),
    "approvers": later("Who alone may approve"),
    "watch_words": later("Words that are watched for"),
    "authority_ranks": later("Ranks of authorities"),
    "usual_terms": later("Usual terms"),
    "house_rules": later("House rules"),
    "replicas": later("Replicas"),
    "other_logs": later("Other logs"),
}
SENSITIVITY_WORDS = {"normal": later("normal"), "sensitive": later("sensitive details"), "credential": later("credentials")}


def role_word(role: str) -> str:
    """Return what a role is called."""
    return say(ROLE_WORDS[role][0]) if role in ROLE_WORDS else role


def role_in(role: str, scope: str) -> str:
    """Return a role with its scope."""
    return say("{role} everywhere", role=role_word(role)) if scope == "*" else say("{role} in {scope}", role=role_word(role), scope=scope)


def roles_words(roles: Iterable[tuple[str, str]], most: int = 6) -> Markup:
    """Return roles one after the other."""
    pairs = sorted(roles, key=lambda pair: (pair[1], pair[0]))
    if not pairs:
        return tag("span", say("no role"), cls="cd-muted")
    shown: list[Any] = [tag("span", role_in(*pair), cls="pp-role") for pair in pairs[:most]]
    if len(pairs) > most:
        shown.append(tag("span", say("and {n} more", n=f"{len(pairs) - most:,}"), cls="cd-muted"))
    return join(shown, " ")


def setting_words(name: str, value: Any) -> Markup:
    """Return what a setting says, for people."""
    if value is None:
        return tag("span", say("nothing said"), cls="cd-muted")
    match name:
        case "entity_confidence":
            return tag("span", f"{value:.0%}" if isinstance(value, int | float) else str(value))
        case "sensitivities":
            return tag("span", ", ".join(say(SENSITIVITY_WORDS.get(str(one), str(one))) for one in value) or say("none"))
        case "kept_types" | "lifetimes" | "approvers" | "watch_words":
            return memory_words(name, value)
        case "authority_ranks":
            return tag("ol", *(tag("li", str(one)) for one in value), cls="pp-ranks") if value else tag("span", say("none"), cls="cd-muted")
        case "usual_terms":
            rows = [
                tag("li", tag("b", say("every predicate") if one == "*" else one), ": ", terms_words(terms)) for one, terms in sorted(value.items())
            ]
            return tag("ul", *rows, cls="pp-terms") if rows else tag("span", say("none"), cls="cd-muted")
        case "house_rules":
            return rules_words(value)
        case "replicas" | "other_logs":
            return places_words(value)
    return tag("span", str(value)[:500])


def terms_words(terms: Any) -> str:
    """Return the usual terms of one predicate in words."""
    if not isinstance(terms, dict):
        return say("cannot be read")
    parts = []
    if terms.get("owner"):
        parts.append(say("owner {name}", name=person_name(str(terms["owner"]))))
    if terms.get("review_after_days"):
        parts.append(say("review after {n} days", n=f"{terms['review_after_days']:,}"))
    if terms.get("expires_after_days"):
        parts.append(say("expires after {n} days", n=f"{terms['expires_after_days']:,}"))
    if terms.get("purposes"):
        parts.append(say("for {purposes} only", purposes=", ".join(terms["purposes"])))
    if terms.get("sensitivity") and terms["sensitivity"] != "normal":
        parts.append(say("marked {sensitivity}", sensitivity=say(SENSITIVITY_WORDS.get(str(terms["sensitivity"]), str(terms["sensitivity"])))))
    return ", ".join(parts) or say("nothing set")
