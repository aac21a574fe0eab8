"""The parts of the page about a subject that say what stands around it: names, conflicts, reports, who was told."""

from __future__ import annotations

from pages.widgets.about_place import Place
from pages.widgets.candidate_words import exact, moment, qualifiers_text, shorten, value_text, when
from pages.widgets.desk import address, person_name, record_link
from pages.widgets.language import later, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import say_day
from pages.widgets.status import badge, icon, word
from store import Name, Names, SubjectAnswer, SubjectAround, SubjectConflict, SubjectReport

#: verdict -> what was decided, as a sentence.
_VERDICTS = {
    "keep": later("One was kept."), "same": later("It is one fact, written differently."), "split": later("Both stand, each within its bounds."),
    "different": later("Two things had gone under one name."), "reader_error": later("The reader had taken it out wrongly."), "none": later("None of them was kept."),
    "unclear": later("It could not be told; somebody was asked."),
}  # fmt: skip


def _day(text: str | None) -> str:
    return say_day(moment(text)) if text else ""


def _title(words: str, count: int) -> Markup:
    return tag("h2", words, tag("span", f"{count:,}", cls="cd-tally"), cls="cd-heading")


def _table(names: list[str], rows: list[Markup], *, numbers: int | None = None) -> Markup:
    """Return a table; `numbers`: which column holds numbers, from 0."""
    return tag(
        "div",
        tag("table", tag("thead", tag("tr", *(tag("th", name, cls="cd-num" if at == numbers else "") for at, name in enumerate(names)))), tag("tbody", *rows), cls="cd-table ca-small"),
        cls="cd-scroll",
    )


def _cut(shown: int, total: int, place: Place) -> Markup | None:
    rest = total - shown
    if rest <= 0:
        return None
    return tag(
        "p",
        tag("a", say_count("{n} more, on the page to print", "{n} more, on the page to print", rest), cls="cd-link", href=place.link(whole=True)),
        cls="cd-small",
    )


def _percent(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return say("not stated")
    return f"{least:.0%}" if least == most else f"{least:.0%}–{most:.0%}"


# --- names --------------------------------------------------------------------------------------------------------


def _why_joined(names: Names) -> Markup:
    """Return in sentences who says that all this is about one and the same thing."""
    said = []
    if names.words_total:
        first = names.words[0]
        said.append(
            phrase_count(
                "{who} said of {n} claim that it is about the right one, on {day}.", "{who} and others said of {n} claims that they are about the right one, last on {day}.",
                names.words_total, who=tag("b", first.by[:120]), day=say_day(moment(first.at)),
            )
        )  # fmt: skip
    said.extend(
        phrase_count("{who} confirmed {n} of the claims.", "{who} confirmed {n} of the claims.", count, who=tag("b", name[:120]))
        for name, count in list(names.confirmed.items())[:5]
    )
    if not names.words_total and not names.confirmed:
        said.append(phrase("Nobody has confirmed it: the claims stand together because their extraction gave them this name."))
    if names.unsure:
        said.append(
            phrase_count(
                "Of {n} claim the extraction was less than 80 % sure who or what is meant.", "Of {n} claims the extraction was less than 80 % sure who or what is meant.",
                names.unsure,
            )
        )  # fmt: skip
    if names.unstated:
        said.append(phrase_count("{n} claim does not say how sure it was.", "{n} claims do not say how sure it was.", names.unstated))
    return tag("p", join(said, " "), cls="ca-why")


def _name_rows(names: Names, tenant: str) -> list[Markup]:
    rows: dict[tuple[str, str], list[Markup]] = {}
    first: dict[tuple[str, str], Name] = {}
    for one in names.names:
        text = value_text(one.value)
        key = (one.predicate, text)
        first.setdefault(key, one)
        rows.setdefault(key, []).extend(
            tag("span", shorten(title or say("a source outside your scopes"), 60), cls="ca-source") for title in one.sources
        )
    return [
        tag(
            "tr", tag("td", predicate.replace("_", " ")[:120]), tag("td", record_link(first[predicate, text].id, tenant, shorten(text, 140)), cls="ca-value"),
            tag("td", *dict.fromkeys(sources), cls="cd-muted"), tag("td", badge(first[predicate, text].status)),
        )
        for (predicate, text), sources in rows.items()
    ]  # fmt: skip


def draw_names(around: SubjectAround, place: Place, tenant: str) -> None:
    """Draw the names the subject goes by, and why they were joined."""
    names = around.names
    listed = _name_rows(names, tenant)
    # Claims that give the same name are one line; the number is that of the lines, as long as all of them are here.
    total = len(listed) if len(names.names) >= names.names_total else names.names_total
    parts: list[Markup | None] = [_title(say("Names it goes by, and why they were joined"), total), _why_joined(names)]
    for split in names.splits:
        other = tag("a", shorten(split.other, 120), cls="cd-link", href=Place(split.other, place.tenant, place.scope).link())
        claim = record_link(split.id, tenant, say("one of its claims"))
        words = (
            phrase("A verdict found two things under one name: {claim} went to {other}.", claim=claim, other=other)
            if split.verdict
            else phrase("{claim} is tied by a replacement to one about {other}.", claim=claim, other=other)
        )
        parts.append(tag("div", icon("call_split"), words, cls="cd-band"))
    if names.names:
        parts.append(_table([say("what"), say("name or number"), say("who says so"), say("state")], listed))
    else:
        parts.append(
            tag(
                "p",
                phrase(
                    "No claim states a name or number of its own; it is known by its subject, {subject}, alone.",
                    subject=tag("b", shorten(place.subject, 120)),
                ),
                cls="cd-muted cd-small",
            )
        )
    parts.append(_cut(len(names.names), names.names_total, place))
    rows = [
        tag(
            "tr", tag("td", record_link(one.evidence, tenant, shorten(one.title or one.source or "", 80)) if one.evidence else say("a source outside your scopes")),
            tag("td", f"{one.claims:,}", cls="cd-num"), tag("td", _percent(one.least, one.most)), tag("td", shorten(", ".join(one.methods), 80) or say("not stated"), cls="cd-muted"),
        )
        for one in names.speakers
    ]  # fmt: skip
    if rows:
        parts += [
            tag("h3", say("Sources that speak of it under this name")),
            _table([say("source"), say("claims"), say("sure who is meant"), say("taken out by")], rows, numbers=1),
        ]
        parts.append(_cut(len(rows), names.speakers_total, place))
    draw(*(part for part in parts if part is not None))


# --- conflicts, reports, answers ----------------------------------------------------------------------------------


def _settled(one: SubjectConflict) -> Markup:
    if one.open:
        asked = say(" A question is out.") if one.question else ""
        return join(
            (
                tag("span", icon("compare_arrows"), say("open"), cls="cd-status cd-violet"),
                tag("div", say("since {day}.", day=_day(one.opened_at)), asked, cls="cd-muted cd-small"),
            )
        )
    decided = say(_VERDICTS[one.verdict]) if one.verdict in _VERDICTS else say("It dissolved by itself.")
    reason = tag("div", shorten(one.reason, 160), cls="cd-small") if one.reason else None
    return join(
        part for part in (tag("span", icon("task_alt"), say("settled"), cls="cd-status cd-grey"), tag("div", decided, " ", _day(one.closed_at), cls="cd-muted cd-small"), reason)
        if part is not None
    )  # fmt: skip


def draw_conflicts(around: SubjectAround, place: Place, tenant: str) -> None:
    """Draw the conflicts over its claims, open ones first."""
    if not around.conflicts_total:
        draw(_title(say("Conflicts"), 0), tag("p", say("No two of its claims have contradicted each other."), cls="cd-muted cd-small"))
        return
    rows = []
    for one in around.conflicts:
        sides = [
            tag(
                "div",
                record_link(side.id, tenant, say("not shown") if side.withheld else shorten(value_text(side.value), 90)),
                tag("span", f" {word(side.status).lower()}", cls="cd-muted"),
            )
            for side in one.sides
        ]
        name = tag(
            "a",
            one.predicate.replace("_", " ")[:120],
            cls="cd-link ca-predicate",
            href=address("conflicts", conflict=one.id, tenant=place.tenant, scope=place.scope),
        )
        rows.append(
            tag(
                "tr",
                tag("td", name, tag("div", shorten(qualifiers_text(one.qualifiers), 60), cls="cd-muted cd-small")),
                tag("td", *sides),
                tag("td", _settled(one)),
            )
        )
    words = say_count("{n} open", "{n} open", around.conflicts_open)
    draw(
        tag("h2", say("Conflicts"), tag("span", say("{total}, {open}", total=f"{around.conflicts_total:,}", open=words), cls="cd-tally"), cls="cd-heading"),
        _table([say("over"), say("values"), say("how it stands")], rows), *([cut] if (cut := _cut(len(rows), around.conflicts_total, place)) else []),
    )  # fmt: skip


def _sent(one: SubjectReport, whole: bool) -> Markup:
    if not one.sent:
        return tag("span", say("not delivered"), cls="cd-muted")
    shown = one.sent if whole else one.sent[:2]
    lines = [
        tag(
            "div",
            shorten(person_name(recipient), 60),
            tag("span", f" {say_day(moment(at)) if at else say('at an unknown time')}", cls="cd-muted", title=exact(at)),
        )
        for recipient, _, at in shown
    ]
    rest = len(one.sent) - len(shown)
    return join((*lines, tag("div", say_count("and {n} more", "and {n} more", rest), cls="cd-muted") if rest else ""))


def draw_reports(around: SubjectAround, place: Place, tenant: str) -> None:
    """Draw what was made from its claims, delivered ones first."""
    title = _title(say("Reports that rest on it"), around.reports_total)
    if not around.reports_total:
        draw(title, tag("p", say("Nothing that was made rests on its claims."), cls="cd-muted cd-small"))
        return
    rows = [
        tag(
            "tr", tag("td", record_link(one.id, tenant, shorten(one.title, 100)), tag("div", say("{kind}, edition {n}", kind=one.kind, n=one.edition), cls="cd-muted cd-small")),
            tag("td", badge(one.status, "artifact")), tag("td", shorten(person_name(one.owner), 40) if one.owner else say("nobody")), tag("td", _sent(one, place.whole)),
        )
        for one in around.reports
    ]  # fmt: skip
    parts: list[Markup | None] = [title, _table([say("report"), say("state"), say("owner"), say("delivered to")], rows) if rows else None]
    parts.append(_cut(len(rows), around.reports_total - around.reports_hidden, place))
    if around.reports_hidden:
        parts.append(
            tag(
                "p",
                say_count("{n} of them lies in a scope you may not see.", "{n} of them lie in scopes you may not see.", around.reports_hidden),
                cls="cd-muted cd-small",
            )
        )
    draw(*(part for part in parts if part is not None))


def _told(answer: SubjectAnswer, tenant: str) -> Markup:
    lines = []
    for record_id, version, now, predicate, value in answer.claims:
        text = say("not shown") if value is None else shorten(value_text(value), 60)
        changed = (
            tag("span", say(" version {told}, now {now}", told=version, now=now), cls="cd-amber") if version is not None and version != now else None
        )
        lines.append(tag("div", tag("span", f"{predicate.replace('_', ' ')[:80]} ", cls="cd-muted"), record_link(record_id, tenant, text), changed))
    return join(lines)


def draw_answers(around: SubjectAround, place: Place, tenant: str) -> None:
    """Draw what agents were told of it: the last answers, and all of them counted."""
    title = _title(say("What was served"), around.answers_total)
    if not around.answers_total:
        draw(title, tag("p", say("No answer to an agent has held any of its claims."), cls="cd-muted cd-small"))
        return
    since = phrase_count(
        "{n} answer told {readers} of {claims} of its claims, since {since}; the last on {last}.", "{n} answers told {readers} of {claims} of its claims, since {since}; the last on {last}.",
        around.answers_total, readers=say_count("{n} reader", "{n} readers", around.readers), claims=f"{around.told_claims:,}", since=_day(around.told_since),
        last=_day(around.told_last),
    )  # fmt: skip
    rows = [
        tag(
            "tr", tag("td", when(one.at) if one.at else say("at an unknown time"), cls="cd-muted cd-nowrap"), tag("td", shorten(one.by or say("unknown"), 60)),
            tag("td", shorten(one.task, 60) if one.task else "–", cls="cd-muted"), tag("td", _told(one, tenant)),
        )
        for one in around.answers
    ]  # fmt: skip
    parts = [title, tag("p", since, cls="cd-small"), _table([say("when"), say("who"), say("in which task"), say("was told")], rows)]
    if (cut := _cut(len(rows), around.answers_total, place)) is not None:
        parts.append(cut)
    draw(*parts)
