"""A word that stands in every text a record can have, and short ways to forget what says it."""

from store.db import tables as t
from store.db.erase_record import clear_record
from store.db.erase_search_index import clear_search_index
from store.db.records import find_numbers
from store.db.transaction import write
from store.domain.forgetting import Surface
from store.domain.status import Status
from tests.builders import TENANT, accepted, artifact, claim, delivered, evidence, source

MARK = "Zqv7-Kärntner-郭靖明"


def marked(name, **fields):
    """A bundle that says the word in every text of a source, a version, claims and artifacts."""
    text = f"First line.\n{name} asked for a dessert without sugar.\nLast line.\n"
    quote = f"{name} asked for a dessert without sugar."
    start = text.index(quote)
    span = {"start": start, "end": start + len(quote)}
    everything = {
        "subject": f"person:{name}", "predicate": f"says {name}", "qualifiers": {name: f"when {name}"}, "statement": f"{name} said so", "speaker": name,
        "conditions": f"if {name}", "authority": f"kin of {name}", "confirmed_by": name, "source_uri": f"https://example.org/{name}",
        "source_span": {"heading": f"About {name}"}, "task": f"task {name}", "purposes": [f"for {name}"], "owner": f"owner {name}",
        "extraction": {"method": name, "version": name}, "proposed_by": f"bot {name}", "contributors": [f"helper {name}"],
    }  # fmt: skip
    bound = [{"evidence": f"E-{name}", "span": span, "quote": quote}]
    return [
        source(f"S-{name}", title=f"Talk with {name}", uri=f"file:///{name}.txt", owner=name, authority=f"notes of {name}", family=f"family {name}"),
        evidence(f"E-{name}", f"S-{name}", text),
        accepted(f"C-{name}", f"{name} likes it", evidence=bound, **everything, **fields),
        claim(f"N-{name}", {"deep": [name, {name: 1}]}, evidence=bound, **everything, **fields),
        artifact(
            f"R-{name}", f"C-{name}", title=f"Report on {name}", body=f"It says {name}.", owner=f"owner {name}", task=name, proposed_by=name,
            deliveries=[delivered(f"{name}@example.org", f"channel {name}", operation=f"op {name}")],
        ),
    ]  # fmt: skip


def ids_of(name):
    return [f"{kind}-{name}" for kind in "ECNR"]


def forget(store, *ids, by="operator", surfaces=(Surface.RECORD, Surface.SEARCH_INDEX), workers=None):
    """Block records and let workers clear them, without a request."""
    workers = workers or {Surface.RECORD: clear_record, Surface.SEARCH_INDEX: clear_search_index}
    with write(store, by, TENANT, "block", ["block"]) as tx:
        numbers = sorted(find_numbers(tx.connection, tx.tenant, ids).values())
        state = {row.record: row for row in tx.connection.execute(t.record_state.select().where(t.record_state.c.record.in_(numbers)))}
        for number in numbers:
            tx.set_status(number, state[number].status, Status.DELETION_PENDING, state[number].version)
    found = {}
    for surface in surfaces:
        with write(store, by, TENANT, "erase", [1, surface]) as tx:
            found[surface] = workers[surface](tx, 1, numbers)
    return numbers, found
