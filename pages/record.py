"""One record, plainly: what it says, where it stands, what it rests on and what happened to it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, attempt, open_desk, record_link, show_notices
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import badge, change
from store import find_tenant, list_children, show_record

_MANY = 50


def _facts(pairs: list[tuple[str, Any]]) -> Markup:
    rows = [join((tag("dt", name), tag("dd", value))) for name, value in pairs if value not in (None, "", [], {})]
    return tag("dl", *rows, cls="cd-facts")


def _links(ids: list[str], tenant: str) -> Markup:
    shown = [record_link(one, tenant) for one in ids[:_MANY]]
    more = f" and {len(ids) - _MANY:,} more" if len(ids) > _MANY else ""
    return join((join(shown, ", "), more)) if shown else Markup("")


def _draw(desk: Desk, tenant: str, found: dict[str, Any]) -> None:
    line, kind = found["record"], found["kind"]
    st.title("Record")
    statement = line.get("statement") or line.get("title") or (f"{line.get('subject')} · {line.get('predicate')}" if kind == "claim" else found["id"])
    draw(tag("p", statement, cls="cd-lead"))
    usable = found["usable"]
    why = " ".join(found["why"]) if found["why"] else ""
    draw(tag("div", badge(found["status"], kind), "  ", tag("span", "An agent may be served it now." if usable else why, cls="cd-muted"), cls="cd-counts"))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if kind == "claim":
            value = line["value"] if isinstance(line["value"], str) else st_json(line["value"])
            draw(tag("div", tag("div", value, cls="cd-value"), _facts([
                ("subject", line["subject"]), ("predicate", line["predicate"]), ("qualifiers", st_json(line["qualifiers"]) if line["qualifiers"] else None),
                ("scope", line["scope"]), ("type", line["claim_type"]), ("valid", _interval(line)), ("conditions", line["conditions"]),
                ("purposes", ", ".join(line["purposes"])), ("authority", line["authority"]), ("speaker", line["speaker"]), ("confirmed by", line["confirmed_by"]),
            ]), cls="cd-card"))  # fmt: skip
            for binding in line["evidence"]:
                quote = binding.get("quote") or ""
                draw(tag("div", tag("div", "from ", record_link(binding["evidence"], tenant), cls="cd-where"), tag("div", tag("mark", quote) if quote else "", cls="cd-passage"), cls="cd-card"))
        elif kind == "artifact":
            draw(tag("div", _facts([
                ("kind", f"{line['artifact_type']}, edition {line['edition']}"), ("edition of", line["edition_of"]), ("scope", line["scope"]),
                ("delivery", f"delivered to {len(found['deliveries'])}" if found["deliveries"] else "not delivered"),
            ]), tag("div", line["body"] or "", cls="cd-passage"), cls="cd-card"))  # fmt: skip
            for delivery in found["deliveries"]:
                draw(tag("div", f"sent to {delivery['recipient']} by {delivery['channel']}", tag("span", f" {delivery['delivered_at'] or ''}", cls="cd-muted"), cls="cd-small"))
        else:
            draw(tag("div", _facts([("source", line["source"]), ("version", line["version"]), ("captured", line["captured_at"]), ("media type", line["media_type"]), ("SHA-256", tag("span", line["sha256"], cls="cd-mono"))]), cls="cd-card"))
    with right:
        draw(tag("div", _facts([
            ("id", tag("span", found["id"], cls="cd-id")), ("version", found["version"]), ("owner", line.get("owner")), ("review", line.get("review_at")),
            ("expires", line.get("expires_at")), ("impact", line.get("impact")), ("rests on", _links(found["parents"], tenant)),
            ("lost supports", _links(found["supports"]["lost"], tenant)), ("roots", _links(found["roots"], tenant)),
            ("independent roots", found["independent_roots"]), ("superseded by", _links([found["superseded_by"]] if found["superseded_by"] else [], tenant)),
            ("decided before", join((record_link(one["id"], tenant) for one in found["decided_before"]), ", ") if found["decided_before"] else None),
            ("served", f"{found['served']:,} times" if found["served"] else "never"),
        ]), cls="cd-card"))  # fmt: skip
        if found["children_count"]:
            children = attempt(lambda: list_children(desk.store, desk.person, tenant, found["id"], _MANY)) or []
            rows = [tag("li", badge(child["status"], child["kind"]), " ", record_link(child["id"], tenant)) for child in children]
            draw(tag("h3", f"{found['children_count']:,} rest on it directly"), tag("ul", *rows, cls="cd-checks"))
    st.subheader("History")
    rows = [
        tag("tr", tag("td", item["at"], cls="cd-muted"), tag("td", item["action"]), tag("td", item["actor"]), tag("td", change(item["from"], item["to"], kind) if item["from"] else badge(item["to"], kind)), tag("td", item["reason"] or ""))
        for item in found["history"]
    ]  # fmt: skip
    head = tag("tr", *(tag("th", name) for name in ("when", "what", "who", "status", "why")))
    draw(tag("div", tag("table", head, *rows, cls="cd-table"), cls="cd-scroll"))


def st_json(value: Any) -> str:
    """Return a value as the JSON text people read."""
    import json  # noqa: PLC0415

    return json.dumps(value, ensure_ascii=False)


def _interval(line: dict[str, Any]) -> str:
    start, end = line["valid_from"], line["valid_to"]
    return f"{start or 'always'} → {end or 'open'}"


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    show_notices()
    record_id = st.query_params.get("record", "")
    if not record_id:
        draw(tag("div", tag("b", "No record is chosen"), "Open one from a list, or add its id to the address.", cls="cd-empty"))
        return
    wanted = st.query_params.get("tenant")
    tenant = attempt(lambda: find_tenant(desk.store, desk.person, [record_id], wanted))
    found = attempt(lambda: show_record(desk.store, desk.person, tenant, record_id)) if tenant else None
    if tenant is None or found is None:
        show_notices()
        return
    _draw(desk, tenant, found)


main()
