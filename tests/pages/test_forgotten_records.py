"""Every page opened on something that is being forgotten, and on what is left of it: nothing of it, and no page breaks."""

import pytest

from store import Wanted, create_store, import_lines, request_deletion, run_deletion, show_record
from tests.builders import CAST, GROUND, accepted, artifact, claim, delivered, encode, evidence, source
from tests.pages.opened import opener, raw

SECRET = "quietword"
OTHER = "The endpoint accepts safe retries."
PLACES = (
    ("record", "record"), ("candidates", "candidate"), ("dependencies", "record"), ("revoke", "pick"), ("revalidate", "record"), ("deliveries", "artifact"),
    ("about", "find"),
)  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A store in which a claim, a candidate, a report and a version are being forgotten (P…), and such that are (D…)."""
    url = f"sqlite:///{tmp_path_factory.mktemp('gone')}/own.db"
    store = create_store(url)
    lines = [*CAST, *GROUND]
    for first in "PD":
        text = f"{first} says {SECRET}."
        lines += [source(f"{first}S"), evidence(f"{first}E", f"{first}S", text)]
        lines.append(accepted(f"{first}C", SECRET, statement=f"says {SECRET}", subject=f"person:{first}{SECRET}", quote=OTHER))
        lines.append(accepted(f"{first}B", "stays", on=f"{first}C"))
        lines.append(artifact(f"{first}R", f"{first}C", title=SECRET, body=SECRET, deliveries=[delivered()]))
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    import_lines(store, "operator", encode([claim(f"{first}N", SECRET, subject=f"person:{first}{SECRET}", quote=OTHER) for first in "PD"]))
    found = {}
    for first in "PD":
        ids = tuple(f"{first}{one}" for one in "CRNE")
        request = request_deletion(store, "adam", "acme", Wanted(ids), reason="asked")["request"]
        if first == "D":
            run_deletion(store, "adam", "acme", request)
        found.update({one: show_record(store, "operator", "acme", one)["id"] for one in ids})
    store.close()
    return url, found


@pytest.mark.parametrize("page, name", PLACES)
def test_no_page_breaks_on_it_or_shows_it(monkeypatch, world, page, name):
    url, ids = world
    for id in (*(ids[one] for one in ("PC", "PR", "PE", "DC")), "DC"):
        at = opener(page, "adam")(monkeypatch, url, **{name: id, "tenant": "acme"})
        assert SECRET not in raw(at)
    assert SECRET not in raw(opener(page, "adam")(monkeypatch, url))
