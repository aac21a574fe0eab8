"""What is flagged stands on no page, whichever way it is reached, until somebody asks to see it."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from pages.widgets.veil import behind_veil
from store import (
    VEIL,
    Question,
    ask,
    create_store,
    draft_messages,
    export_correction_csv,
    export_letter_csv,
    export_neighbours_csv,
    export_plan_csv,
    export_plan_json,
    export_rehearsal_csv,
    export_rehearsal_json,
    export_sheet_csv,
    import_lines,
    look_around,
    open_correction,
    open_store,
    read_claims,
    rehearse,
    save_rehearsal,
    search_records,
    show_record,
    suggest_subjects,
    veiling,
    view_conflict,
    write_letter,
)
from store.cli import main
from tests.builders import (
    CAST,
    GROUND,
    accepted,
    artifact,
    carry_out,
    claim,
    conflicts,
    decide,
    delivered,
    encode,
    evidence,
    passage,
    revoking,
    source,
    suspending,
)
from tests.pages.opened import opener

SUBJECT, VALUE, STATED, KEY, BODY = (f"ghp_{n}kT9vQ2mXbL7nR1sYw8cZe5Ud3Ha6Jf0PgK{n}" for n in "ABCDE")
SECRETS = {"subject": SUBJECT, "value": VALUE, "statement": STATED, "qualifier": KEY, "body": BODY}
TEXT = f"The token {VALUE} is used by the desk. Nothing else is said."
QUOTE = f"The token {VALUE} is used by the desk."


@pytest.fixture(scope="module")
def veiled(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('veiled')}/own.db"
    store = create_store(url)
    about = {"subject": SUBJECT, "qualifiers": {"key": KEY}, "impact": "high", "owner": "ana"}
    bound = [passage(QUOTE, "E9", TEXT)]
    lines = [
        source("S9"), evidence("E9", "S9", TEXT),
        accepted("ONE", VALUE, statement=f"It is {STATED}.", evidence=bound, **about), accepted("TWO", "other", **about),
        claim("NEW", "third", **about), accepted("LAST", "x", on="TWO"), claim("NEXT", VALUE, evidence=bound, subject=SUBJECT, predicate="token"),
        accepted("ALONE", "fine", subject=SUBJECT, predicate="used by", on="ONE", review_at="2026-01-01T00:00:00Z"),
        artifact("PAPER", ["ALONE", "ONE"], title=f"On {SUBJECT}", body=f"It is {BODY}.", owner="ana", deliveries=[delivered()]),
        artifact("BELOW", "PAPER", title="Plain", body="Nothing.", owner="ana", deliveries=[delivered()]),
    ]
    assert import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)["rejected"] == []
    conflict = conflicts(store)[0]["id"]
    ask(store, "ana", "acme", "record", "NEW", "Is it so?", "ben")
    ask(store, "ben", "acme", "conflict", conflict, "Which?", "ana")
    case = open_correction(store, "ana", "acme", "The case", cause="somebody", sources=["S9"])["correction"]
    saved = save_rehearsal(store, "ana", "acme", revoking("ALONE"), "A plan")["rehearsal"]
    decide(store, "NEXT")
    carry_out(store, suspending("ALONE"), correction=case)
    drafted = draft_messages(store, "ana", "acme")["drafted"]
    read_claims(store, "rita", Question("acme", SUBJECT, "token"))
    search_records(store, "rita", VALUE, "acme")
    store.close()
    return url, {"conflict": conflict, "case": case, "saved": saved, "message": drafted[0]}



RECORDS = ("ONE", "TWO", "NEW", "NEXT", "ALONE", "PAPER", "BELOW", "S9", "E9", "LAST")


#: Where subjects are listed, or named without the record that goes by them.
PLACES = [
    ("today", {}), ("conflicts", {}), ("conflicts", {"conflict": "<conflict>"}), ("conflicts", {"predicate": "says"}),
    *(("revoke", {"pick": "ONE", "do": "revoke", "tab": tab}) for tab in ("answers", "conflicts", "told")),
    ("about", {"find": "ghp"}), ("about", {"after": "."}), ("record", {"record": "ONE"}), ("letter", {"source": "S9", "other": "S1"}),
    ("rehearsals", {"one": "<saved>"}), ("deliveries", {"message": "<message>", "tenant": "acme"}),
    ("forgetting", {"do": "request", "by": "subject", "find": "ghp", "tenant": "acme"}), ("search", {"as": "rita", "in": "acme", "by": "words", "find": "token"}),
    ("search", {"as": "rita", "in": "acme"}),
]  # fmt: skip


@pytest.mark.parametrize(("page", "query"), PLACES, ids=[f"{page} {' '.join(query.values())}" for page, query in PLACES])
def test_no_page_names_what_is_flagged_and_none_leads_to_it_by_its_name(monkeypatch, veiled, page, query):
    url, names = veiled

    at = opener(page)(monkeypatch, url, **{name: names.get(value.strip("<>"), value) for name, value in query.items()})

    drawn = unquote(" ".join(str(getattr(one, "proto", "")) for one in at._tree))  # noqa: SLF001 - everything it drew, what is in fields and addresses too
    assert {name: drawn[max(0, drawn.index(secret) - 200) : drawn.index(secret)] for name, secret in SECRETS.items() if secret in drawn} == {}
    assert page not in ("about", "conflicts", "today", "letter") or VEIL in drawn or "u2592" in drawn


def test_a_subject_is_named_everywhere_once_a_record_about_it_was_asked_for(monkeypatch, veiled):
    url, names = veiled
    store = open_store(url)
    with veiling(frozenset({("acme", "TWO", show_record(store, "ana", "acme", "TWO")["version"])})):
        shown = view_conflict(store, "ana", "acme", names["conflict"])
        [found] = suggest_subjects(store, "ana", "ghp")
    with veiling():
        [first, *_] = suggest_subjects(store, "ana", after="", limit=1)
        [second, *_] = suggest_subjects(store, "ana", after=first.place, limit=1)
    store.close()

    assert (shown.subject, shown.qualifiers) == (SUBJECT, {"key": KEY})
    assert (found.subject, found.veiled) == (SUBJECT, False)
    assert (first.subject, first.veiled) == (VEIL, True)
    assert second.subject == "subject-LAST"


def test_no_file_that_is_saved_tells_what_the_page_hides_though_it_is_made_after_the_page(veiled):
    url, names = veiled
    store = open_store(url)
    rest = "acme", names["case"]
    with veiling():
        found, around = rehearse(store, "ana", "acme", revoking("ONE")), look_around(store, "ana", "acme", "ONE", up=None, down=None)
        making = [behind_veil(make) for make in (
            lambda: export_plan_csv(store, found), lambda: export_plan_json(store, found), lambda: export_neighbours_csv(store, "ana", around),
            lambda: export_sheet_csv(store, "ana"), lambda: export_correction_csv(store, "ana", *rest),
            lambda: export_rehearsal_csv(store, "ana", "acme", names["saved"]), lambda: export_rehearsal_json(store, "ana", "acme", names["saved"]),
            lambda: export_letter_csv(store, "ana", write_letter(store, "ana", "acme", "S9", other="S1")),
        )]  # fmt: skip
    files = [unquote(make().decode("utf-8-sig")) for make in making]
    store.close()

    assert [[name for name, secret in SECRETS.items() if secret in file] for file in files] == [[]] * len(files)
    assert VEIL in files[-1]


@pytest.mark.parametrize("command", ["queue conflicts", "queue candidates", "preview revoke ONE", "show TWO", "questions"])
def test_the_command_line_veils_what_people_look_through(veiled, capsys, command):
    main(["--db", veiled[0], "--as", "ana", *command.split(), "--json"])

    out = capsys.readouterr().out
    assert out
    assert [name for name, secret in SECRETS.items() if secret in out] == []
