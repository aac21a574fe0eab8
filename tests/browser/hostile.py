"""A store in which every text that comes from outside tries something: markup, images, links, formulas, tricks of direction, sheer length."""

from __future__ import annotations

import http.server
import json
import threading
from typing import Any

MEGABYTE = 1_000_000
FLAG = "__pwned"


class Canary:
    """A server nobody may ever ask; it remembers who did."""

    def __init__(self) -> None:
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def tricks(port: int) -> list[str]:
    """Return what an attacker would write, each short enough for an id."""
    at = f"http://127.0.0.1:{port}"
    return [
        f"<script>window.{FLAG}=1;fetch('{at}/script')</script>",
        f"<img src={at}/img onerror=window.{FLAG}=1><svg onload=window.{FLAG}=1>",
        f"\"' onmouseover=window.{FLAG}=1 style=\"background:url({at}/style)\" x=\"",
        f"![picture]({at}/md.png) [link]({at}/md) {at}/bare <{at}/angle>",
        f"<style>@import '{at}/css';*{{background:url({at}/bg)}}</style><link rel=stylesheet href={at}/l><iframe src={at}/f>",
        f"=HYPERLINK(\"{at}/cell\";\"x\")",
        f"$$\\href{{{at}/tex}}{{x}} \\includegraphics{{{at}/tex.png}}$$ $x^2$",
        "\u202egnp.exe\u202c \u2066isolate\u2069 zero\u200bwidth \ufeff\u00ad\u0085 tag\U000e0041",
        f"[click](javascript:window.{FLAG}=1) :material/delete: :red[red] ## heading `code` - [x] {{{{7*7}}}}",
        f"</style></script></textarea></title>--><base href={at}/><form action={at}/p><button autofocus onfocus=window.{FLAG}=1>",
    ]  # fmt: skip


def everything(port: int) -> str:
    """Return all tricks in one text."""
    return " ".join(tricks(port))


def word(port: int, number: int, name: str = "") -> str:
    """Return a text for fields that take 500 characters: one trick, made unique."""
    trick = tricks(port)[number % len(tricks(port))]
    return f"{name}{number} {trick}"[:480].strip()


def scope(port: int, number: int) -> str:
    """Return a scope whose segments try something; a scope has no empty segment."""
    parts = [part.strip() for part in word(port, number, "s").split("/")]
    return "evil/" + "/".join(part for part in parts if part)[:300].strip("/ ")


def long(port: int) -> str:
    """Return a megabyte of it."""
    once = everything(port) + " "
    return (once * (MEGABYTE // len(once) + 1))[:MEGABYTE]


def build(port: int) -> tuple[list[bytes], list[str], str]:
    """Return the lines of the bundle, the ids of its records, and the id of a reviewer of all of it."""
    n = iter(range(10_000))
    text, huge = everything(port), long(port)
    reviewer, second = word(port, next(n), "p"), word(port, next(n), "p")
    lines: list[dict[str, Any]] = [
        {"type": "person", "id": person, "name": word(port, place + 3, "n"), "roles": [{"role": role, "scope": "evil"} for role in roles]}
        for place, (person, roles) in enumerate(((reviewer, ("reviewer", "admin", "auditor")), (second, ("reviewer",)), (word(port, 7, "agent"), ("contributor",))))
    ]
    ids: list[str] = []

    def source(content: str, media_type: str = "text/plain") -> tuple[str, str]:
        source_id, evidence_id, place = word(port, next(n), "q"), word(port, next(n), "e"), scope(port, len(ids))
        lines.append({"type": "source", "id": source_id, "scope": place, "uri": content[: MEGABYTE], "title": content[: MEGABYTE], "authority": text, "owner": reviewer, "family": word(port, next(n), "f")})
        lines.append({"type": "evidence", "id": evidence_id, "source": source_id, "version": 1, "captured_at": "2026-06-01T00:00:00Z", "media_type": media_type, "content": content, "status": "reviewed"})
        ids.append(evidence_id)
        return evidence_id, place

    def claim(place: str, evidence: list[dict[str, Any]], value: Any, status: str, words: str = text, **more: Any) -> str:
        claim_id = word(port, next(n), "c")
        lines.append({
            "type": "claim", "id": claim_id, "scope": place, "subject": word(port, next(n), "u"), "predicate": word(port, next(n), "v"), "value": value,
            "qualifiers": {word(port, next(n), "k"): words[:2000]}, "evidence": evidence, "conditions": words, "authority": words, "speaker": words,
            "confirmed_by": words, "owner": word(port, next(n), "o"), "statement": words, "task": word(port, 5, "t"), "proposed_by": word(port, next(n), "b"),
            "purposes": ["*", word(port, next(n), "z")], "source_uri": words, "extraction": {"method": words[:3000], "version": words[:3000], words[:300]: words[:300]},
            "entity_confidence": 0.95, "review_at": "2030-01-01T00:00:00Z", "status": status, **more,
        })  # fmt: skip
        ids.append(claim_id)
        return claim_id

    small, place = source(text)
    bound = {"evidence": small, "span": {"start": 0, "end": 60}, "quote": text[:60]}
    data, json_place = source(json.dumps({text[:200]: [text, {"a/b": text}]}, ensure_ascii=False), "application/json")
    pointed = {"evidence": data, "span": {"pointer": "/" + text[:200].replace("~", "~0").replace("/", "~1") + "/0"}, "quote": json.dumps(text)}
    big, big_place = source(huge)
    bound_big = {"evidence": big, "span": {"start": 1000, "end": 400_000}, "quote": huge[1000:400_000]}
    wrong = {"evidence": small, "span": {"start": 5, "end": 25}, "quote": text[100:140]}

    accepted = claim(place, [bound], text, "reviewed")
    claim(json_place, [pointed], {text[:300]: [text, None, 1.5]}, "reviewed")
    stale = claim(place, [bound], text, "stale", derived_from=[accepted])
    claim(place, [bound], text, "candidate", derived_from=[stale])
    claim(place, [wrong], [text, text], "candidate", impact="high")
    claim(big_place, [bound_big], huge, "reviewed", huge)
    claim(big_place, [bound_big], huge, "candidate", huge, claim_type="inference")
    key = {"subject": word(port, 3, "K"), "predicate": word(port, 4, "K"), "qualifiers": {}}
    one, two = claim(place, [bound], f"1 {text}", "reviewed", **key), claim(place, [bound], f"2 {text}", "reviewed", **key)
    claim(place, [bound], f"3 {text}", "candidate", **key)
    lines.append({"type": "predicate", "scope": "evil", "predicate": word(port, 4, "P"), "value_type": "text"})
    lines.append({"type": "read", "task": word(port, 5, "t"), "by": word(port, next(n), "b"), "at": "2026-07-01T00:00:00Z", "records": [accepted, one, two], "scope": place})
    for words, parents in ((text, [accepted]), (huge, [accepted, stale])):
        artifact = word(port, next(n), "a")
        deliveries = [{"recipient": word(port, next(n), "r"), "channel": word(port, next(n), "h"), "delivered_at": "2026-07-01T00:00:00Z", "operation_id": word(port, next(n), "i")}]
        lines.append({
            "type": "artifact", "id": artifact, "scope": place, "artifact_type": "report", "title": words, "owner": word(port, next(n), "o"), "body": words,
            "derived_from": parents, "deliveries": deliveries, "status": "reviewed", "review_at": "2030-01-01T00:00:00Z", "task": word(port, next(n), "t"),
        })  # fmt: skip
        ids.append(artifact)
    return [json.dumps(line).encode() for line in lines], ids, reviewer
