"""The head of a source and the time line of its versions."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import ago, exact, shorten
from pages.widgets.desk import Desk, address, person_name
from pages.widgets.forgetting_place import request_address
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.record_parts import copyable
from pages.widgets.source_exposure import exposure_line
from pages.widgets.source_place import Place
from pages.widgets.source_words import arrived_words, media_word, size_words
from pages.widgets.status import badge, icon
from store import Right, SourceVersion, SourceView, spaced


def chosen_version(view: SourceView, place: Place) -> SourceVersion | None:
    """Return the version the address names, else the newest."""
    named = next((one for one in view.versions if one.version == (place.b if place.b is not None else place.a)), None)
    return named or (view.versions[0] if view.versions else None)


def _lead(view: SourceView) -> Markup:
    count = say_count("{n} version", "{n} versions", len(view.versions))
    claims = say_count("{n} claim is bound to the newest", "{n} claims are bound to the newest", view.versions[0].claims if view.versions else 0)
    if view.unsorted:
        return phrase("{newer} Claims still rest on an older one.", newer=tag("b", say("A newer version arrived and nobody has sorted it.")))
    return phrase("{versions}; {claims}.", versions=count, claims=claims)


def draw_head(view: SourceView, place: Place) -> None:
    """Draw what the source is, how it stands, and what can be done."""
    facts = [view.uri, say("authority: {name}", name=spaced(view.authority)) if view.authority else None]
    facts.append(say("owner: {name}", name=person_name(view.owner)) if view.owner else None)
    facts.append(say("family: {name}", name=view.family) if view.family != view.id else None)
    kicker = join(
        (tag("a", say("Sources"), cls="cd-link", href=Place(scope=place.scope).link()), " · ", tag("span", view.id, cls="cd-id"), " · ", view.scope)
    )
    draw(
        tag("div", kicker, cls="cd-kicker"),
        tag("h1", shorten(view.title, 200), cls="cd-title"),
        tag("p", _lead(view), cls="cd-lead"),
        tag("div", " · ".join(shorten(one, 160) for one in facts if one), cls="cd-muted cd-small cs-where"),
        exposure_line(view, place),
        _actions(view, place),
    )


def _actions(view: SourceView, place: Place) -> Markup | None:
    links: list[Any] = []
    if len(view.versions) > 1:
        new, old = view.versions[0], view.versions[1]
        words = say("Compare version {a} with {b}", a=old.version, b=new.version)
        links.append(tag("a", words, cls="cd-link cd-button", href=place.link(a=old.version, b=new.version, do="")))
    if view.versions and (view.may_decide or view.may_propose):
        words = say("Sort the version that arrived…") if view.unsorted and view.may_decide else say("Put the corrected document in…")
        links.append(tag("a", words, cls="cd-link cd-button cd-primary" if view.unsorted or view.suspended else "cd-link cd-button", href=place.link(do="recapture", a=None, b=None)))
    if view.may_decide and any(one.status in ("ACCEPTED", "DISPUTED") for one in view.versions):
        links.append(tag("a", say("Stop using it, or withdraw it…"), cls="cd-link cd-button", href=address("revoke", pick=view.id, tenant=view.tenant, scope=place.scope)))
    links.append(tag("a", say("Letter to its owner"), cls="cd-link cd-button", href=address("letter", source=view.id, tenant=view.tenant, scope=place.scope)))
    return tag("div", *links, cls="cd-actions")


def _again(desk: Desk, one: SourceVersion, view: SourceView) -> Markup | None:
    """Return that a version says words again that were forgotten, with the way to forget it too for those who may."""
    if not one.again:
        return None
    words = say_count("{n} passage says again what was forgotten", "{n} passages say again what was forgotten", one.again)
    link = None
    if desk.actor.may(Right.ADMINISTER, view.scope):
        link = tag("div", tag("a", say("Forget this version…"), cls="cd-link", href=request_address(desk.scope, record=one.id, tenant=view.tenant)), cls="cd-small")
    return tag("div", tag("div", icon("ink_eraser"), words, cls="cd-status cd-amber"), link)


def _entry(desk: Desk, one: SourceVersion, view: SourceView, place: Place, here: SourceVersion | None) -> Markup:
    captured = tag("span", say("captured {time}", time=ago(one.captured_at)), title=exact(one.captured_at)) if one.captured_at else tag("span", say("capture time not recorded"))
    came = tag("span", phrase("{way} by {who}", way=arrived_words(one.arrived_by), who=one.name), title=exact(one.arrived_at))
    href = place.link(a=one.version, b=None, do="")
    older = next((other for other in view.versions if other.version < one.version), None)
    compare = tag("a", say("what changed"), cls="cd-link", href=place.link(a=older.version, b=one.version, do="")) if older is not None else None
    shown = here is not None and one.id == here.id
    return tag(
        "li",
        tag("div", tag("a", tag("b", say("Version {n}", n=number(one.version))), cls="cd-link cd-here" if shown else "cd-link", href=href), badge(one.status, "evidence"), cls="cs-vhead"),
        tag("div", captured, cls="cd-muted cd-small"),
        tag("div", media_word(one.media_type), " · ", size_words(one.size), cls="cd-muted cd-small"),
        tag("div", came, cls="cd-muted cd-small"),
        tag("div", say_count("{n} claim bound", "{n} claims bound", one.claims), cls="cd-small"),
        tag("div", phrase("SHA-256 {sum}", sum=copyable(one.sha256, 14)), cls="cd-small cd-muted"),
        _again(desk, one, view),
        tag("div", compare, cls="cd-small") if compare is not None else None,
        cls="cs-version cs-shown" if shown else "cs-version",
    )  # fmt: skip


def draw_times(desk: Desk, view: SourceView, place: Place, here: SourceVersion | None) -> None:
    """Draw the versions, the newest first."""
    parts: list[Any] = [tag("h2", say("Versions"), cls="cd-heading")]
    if view.unsorted:
        parts.append(tag("div", icon("difference"), say("Newer version, not sorted"), cls="cd-status cd-amber"))
    parts.append(tag("ol", *(_entry(desk, one, view, place, here) for one in view.versions), cls="cs-times"))
    draw(join(parts))
