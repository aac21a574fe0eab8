"""Short builders of bundle lines, and short ways to act on a store and look at it.

Everybody of the cast acts in tenant `acme`: ana, ben and carl review, bot contributes, rita reads, adam administers, olga
audits. `operator` imports, and is therefore a contributor of what `given` brings in.
"""

import json
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from store import (
    OPERATOR,
    Answer,
    Approval,
    Plan,
    Question,
    Refusal,
    Verb,
    approve,
    check_record,
    commit_plan,
    export_store,
    import_lines,
    list_queue,
    parse_stated_time,
    preview_plan,
    read_claims,
    read_terms,
    search_records,
    show_record,
    verify_store,
)

TENANT = "acme"
NOW = "2026-07-01T09:00:00Z"
TEXT = "Line one of the source.\nThe endpoint accepts safe retries.\nNAV at quarter end was 184,000,000 USD.\nThe office is in Lyon.\n"
QUOTE = "The office is in Lyon."

MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self, text=NOW):
        self.at = parse_stated_time(text)

    def __call__(self):
        return self.at

    def pass_by(self, *, seconds=0, minutes=0, days=0):
        self.at += seconds * 1_000_000 + minutes * MINUTE + days * DAY


# --- lines of a bundle ---------------------------------------------------------------------------------------------


def person(id, role="reviewer", scope=TENANT, *more):
    roles = [{"role": role, "scope": scope}, *({"role": r, "scope": s} for r, s in more)]
    return {"type": "person", "id": id, "name": id.title(), "roles": roles}


CAST = (
    person("ana"), person("ben"), person("carl"), person("bot", "contributor"), person("rita", "reader"), person("adam", "admin"),
    person("olga", "auditor"),
)  # fmt: skip


def source(id="S1", scope=TENANT, **fields):
    return {"type": "source", "id": id, "scope": scope, "title": f"Source {id}", **fields}


def evidence(id="E1", source="S1", text=TEXT, **fields):
    return {"type": "evidence", "id": id, "source": source, "version": 1, "captured_at": "2026-01-05T09:00:00Z", "media_type": "text/plain", "content": text, **fields}


def passage(quote=QUOTE, evidence="E1", text=TEXT):
    """A binding whose span is right."""
    start = text.index(quote)
    return {"evidence": evidence, "span": {"start": start, "end": start + len(quote)}, "quote": quote}


def claim(id, value="x", *, on=None, quote=QUOTE, **fields):
    """A candidate that passes every promotion check; `on` names parents instead of a passage."""
    rest = {"derived_from": [on] if isinstance(on, str) else list(on)} if on is not None else {"evidence": [passage(quote)]}
    return {
        "type": "claim", "id": id, "scope": TENANT, "subject": f"subject-{id}", "predicate": "says", "value": value, "owner": "ana",
        "review_at": "2099-01-01T00:00:00Z", "extraction": {"method": "reader", "version": "1"}, "entity_confidence": 0.99, "proposed_by": "bot",
        **rest, **fields,
    }  # fmt: skip


def accepted(id, value="x", **fields):
    """A claim that a reviewed import brings in as ACCEPTED."""
    return claim(id, value, **{"status": "reviewed", **fields})


def artifact(id, on=(), **fields):
    parents = [on] if isinstance(on, str) else list(on)
    return {
        "type": "artifact", "id": id, "scope": TENANT, "artifact_type": "report", "title": f"Report {id}", "owner": "ana", "derived_from": parents,
        "review_at": "2099-01-01T00:00:00Z", "status": "reviewed", **fields,
    }  # fmt: skip


def delivered(to="kim@example.org", channel="email", at="2026-06-01T10:00:00Z", operation=None):
    return {"recipient": to, "channel": channel, "delivered_at": at, "operation_id": operation}


def predicate(name, scope=TENANT, **fields):
    return {"type": "predicate", "scope": scope, "predicate": name, **fields}


GROUND = (source(), evidence())


# --- acting --------------------------------------------------------------------------------------------------------


def encode(lines):
    return [line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=True).encode() for line in lines]


def bring(store, *lines, by=OPERATOR, reviewed=False, **options):
    """Import lines and return the result, whatever was refused."""
    return import_lines(store, by, encode(lines), reviewed=reviewed, **options)


def given(store, *lines, by=OPERATOR, reviewed=True):
    """Import reviewed lines of which none may be refused."""
    result = bring(store, *lines, by=by, reviewed=reviewed)
    assert result["rejected"] == []
    return result


def decide(store, id, by="ana", reason="checked", *, tenant=TENANT, operation=None, terms=None, **how):
    """Approve one candidate."""
    return approve(store, by, tenant, id, Approval(reason, read_terms(terms or {}), **how), operation=operation)


def revoking(*ids):
    return Plan(Verb.REVOKE, ids)


def suspending(*ids):
    return Plan(Verb.SUSPEND, ids)


def reinstating(*ids):
    return Plan(Verb.REINSTATE, ids)


def superseding(old, new):
    return Plan(Verb.SUPERSEDE, (old,), by=new)


def resolving(conflict, verdict, **options):
    return Plan(Verb.RESOLVE, (conflict,), verdict=Answer(verdict), **options)


def preview(store, plan, by="ana", tenant=TENANT):
    return preview_plan(store, by, tenant, plan).to_json()


def carry_out(store, plan, by="ana", reason="because", *, seen=None, tenant=TENANT, **options):
    """Preview a plan, unless one was seen, and commit it."""
    fingerprint = (seen or preview(store, plan, by, tenant))["fingerprint"]
    return commit_plan(store, by, tenant, plan, fingerprint, reason, **options)


# --- looking -------------------------------------------------------------------------------------------------------


def show(store, id, by=OPERATOR, tenant=TENANT, **when):
    return show_record(store, by, tenant, id, **{name: parse_stated_time(text) for name, text in when.items()})


def status(store, id, tenant=TENANT):
    return show(store, id, tenant=tenant)["status"]


def statuses(store, *ids):
    return {id: status(store, id) for id in ids}


def check(store, id, by="ana", terms=None):
    return check_record(store, by, TENANT, id, read_terms(terms or {}))


def failed_checks(store, id, by="ana", terms=None):
    return [one["name"] for one in check(store, id, by, terms)["checks"] if not one["ok"]]


def ask(store, subject, predicate="says", scope=TENANT, by="rita", *, at=None, **more):
    return read_claims(store, by, Question(scope, subject, predicate, at=parse_stated_time(at) if at else None, **more))


def told(store, subject, predicate="says", scope=TENANT, by="rita", **more):
    """The result and the ids that came with it."""
    answer = ask(store, subject, predicate, scope, by, **more)
    return answer["result"], sorted(one["id"] for one in answer["claims"])


def find(store, text, scope=TENANT, by="rita", **more):
    return [item["id"] for item in search_records(store, by, text, scope, **more)["items"]]


def conflicts(store, by="ana"):
    return list_queue(store, by, "conflicts")["items"]


def the_conflict(store, by="ana"):
    (one,) = conflicts(store, by)
    return one


def sides(store):
    return [one["claims"] for one in conflicts(store)]


def is_sound(store):
    found = verify_store(store, OPERATOR)
    assert found["problems"] == []
    assert found["ok"], found
    return True


@contextmanager
def refused(code, *words):
    """What is inside is refused with this code, in a sentence that holds these words."""
    with pytest.raises(Refusal) as caught:
        yield caught
    assert caught.value.code == code, caught.value.message
    assert caught.value.message.rstrip()[-1] in ".)?", caught.value.message
    for word in words:
        assert word in caught.value.message


def dump(store, but=()):
    """Every row of every table, in a fixed order."""
    found = {}
    with store.reader.connect() as connection:
        for name in sorted(sa.inspect(connection).get_table_names()):
            if name not in but and not name.startswith("search_text"):
                rows = connection.exec_driver_sql(f'SELECT * FROM "{name}"').fetchall()
                found[name] = sorted(repr(tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row)) for row in rows)
        query = "SELECT count(*) FROM search_text"
        found["search_text"] = connection.exec_driver_sql(query).scalar_one()
    return found


#: What each status a line claims arrives as in a reviewed import.
ARRIVES = {
    "candidate": "CANDIDATE", "reviewed": "ACCEPTED", "stale": "STALE", "disputed": "DISPUTED", "superseded": "SUPERSEDED", "revoked": "REVOKED",
    "rejected": "REJECTED",
}  # fmt: skip


def chain(desk):
    """E1 → A → B → R1 (delivered), A → CAND; X apart."""
    given(
        desk, accepted("A"), accepted("B", on="A"), artifact("R1", "B", deliveries=[delivered("kim"), delivered("lee")]), claim("CAND", on="A"), source("S2"),
        evidence("E2", "S2"), accepted("X", evidence=[passage(evidence="E2")]),
    )  # fmt: skip


def rows(found):
    return {one["id"]: (one["from"], one["to"], one["distance"], one["via"]) for one in found["affected"]}


def rejections(result):
    return [(one["line"], one["id"], one["code"]) for one in result["rejected"]]


def at(text):
    return parse_stated_time(text)


def exported_conflicts(store, tmp_path):
    """Export the tenant and return its lines about conflicts."""
    export_store(store, "adam", tmp_path / "x.jsonl", scope=TENANT)
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
    return [line for line in lines if line["type"] == "conflict"]
