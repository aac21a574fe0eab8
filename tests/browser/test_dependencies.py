"""Dependencies in a real browser: clicks and keys reach Python, nothing drawn moves, the picture is saved whole, the address holds it all."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from PIL import Image

from store import create_store, import_lines, look_around, open_store

from .served import serve, settle

NAV = "/dependencies?record=nav-2026-q3"
#: What axe and the tests see of the picture.
STANDS = "host => host.__stands()"


def opened(page):
    """The host of the picture, once it is drawn."""
    host = page.locator(".g[data-drawn]")
    host.wait_for()
    host.scroll_into_view_if_needed()
    host.hover(trial=True)  # it stands still
    return host


def click(page, key):
    host = opened(page)
    place, frame = host.evaluate("host => host.__places()")[key], host.bounding_box()
    page.mouse.click(frame["x"] + place["x"], frame["y"] + place["y"])
    page.wait_for_timeout(200)
    settle(page)


def panel(page):
    return page.locator(".st-key-dependencies-panel").inner_text()


def active(page):
    """What a screen reader would say of the box the keys are on."""
    keys = page.locator(".k")
    return keys.locator(f"#{keys.get_attribute('aria-activedescendant')}").inner_text()


def key_of(page, text):
    """The key of the box that says itself so."""
    return opened(page).evaluate("(host, text) => host.__look.data.nodes.find(node => node.say.includes(text)).id", text)


@pytest.fixture(scope="module")
def shapes(stores):
    """A desk over a store with a chain of 500, a fan of 10,000 and a claim that rests on 40."""

    def claim(id, *on):
        ground = {"derived_from": list(on)} if on else {"evidence": [{"evidence": "E", "quote": "x"}]}
        return {"type": "claim", "id": id, "scope": "acme", "subject": id, "predicate": "says", "value": 1, "owner": "ana", "review_at": "2099-01-01", "status": "reviewed", **ground}

    def fill(url):
        store = create_store(url)
        lines = [
            {"type": "person", "id": "ana", "name": "Ana", "roles": [{"role": "reviewer", "scope": "acme"}]},
            {"type": "source", "id": "S", "scope": "acme", "title": "Source"},
            {"type": "evidence", "id": "E", "source": "S", "version": 1, "captured_at": "2026-01-01T00:00:00Z", "media_type": "text/plain", "content": "x"},
            claim("link000"), *(claim(f"link{n:03}", f"link{n - 1:03}") for n in range(1, 500)),
            claim("hub"), *(claim(f"leaf{n:05}", "hub") for n in range(10_000)),
            *(claim(f"part{n}") for n in range(40)), claim("wide", *(f"part{n}" for n in range(40))),
        ]  # fmt: skip
        assert import_lines(store, "operator", [json.dumps(line).encode() for line in lines], reviewed=True)["rejected"] == []
        store.close()

    served = serve(stores.fresh("sqlite", "shapes", fill))
    yield served
    served.stop()


def test_a_click_tells_the_record_beside_and_moves_nothing(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, NAV)
    before = opened(page).evaluate(STANDS)
    frame = page.locator(".g").bounding_box()
    click(page, key_of(page, "What is Larch Hollow III worth?"))

    page.wait_for_url(re.compile("sel=answer-larch-nav"))
    assert "What is Larch Hollow III worth?" in panel(page)
    assert page.locator(".g").evaluate(STANDS) == before
    assert page.locator(".g").bounding_box()["height"] == frame["height"]
    page.reload()
    settle(page)
    assert opened(page).evaluate(STANDS) == before
    assert "What is Larch Hollow III worth?" in panel(page)
    page.go_back()
    settle(page)
    assert "Net asset value at the end of September 2026" in panel(page)
    page.go_forward()
    settle(page)
    assert "What is Larch Hollow III worth?" in panel(page)
    page.get_by_role("button", name="Centre here").click()
    page.wait_for_url(re.compile("record=answer-larch-nav"))
    settle(page)
    assert "What is Larch Hollow III worth?" in page.locator(".cd-lead").inner_text()


def test_the_keys_walk_along_the_lines_and_enter_opens(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, NAV)
    opened(page)
    keys = page.get_by_role("listbox")
    keys.focus()
    assert ", the focus;" in active(page)
    page.keyboard.press("ArrowLeft")
    assert active(page).startswith("Larch Hollow Fund III: report Q3 2026 v1, source version, Accepted, 1 step up")
    page.keyboard.press("ArrowRight")
    assert ", the focus;" in active(page)
    page.keyboard.press("ArrowRight")
    first = active(page)
    assert "1 step down" in first
    page.keyboard.press("ArrowDown")
    assert "1 step down" in active(page) != first
    page.keyboard.press("ArrowUp")
    assert active(page) == first
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("sel="))
    settle(page)
    assert first.split(",")[0][:40] in panel(page)
    assert page.evaluate("() => { let one = document.activeElement; while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; return one.getAttribute('role'); }") == "listbox", "the keys go on"
    page.keyboard.press("0")
    assert ", the focus;" in active(page)
    assert keys.locator("[role=option]").count() == int(page.locator(".g").get_attribute("data-drawn"))


def test_a_bundle_opens_by_click_and_by_enter_and_what_was_drawn_stays(shapes, visitors):
    page = visitors.page_as("ana", shapes, "/dependencies?record=hub")
    before = opened(page).evaluate(STANDS)
    rest = key_of(page, "Enter shows more of them")
    click(page, rest)
    page.wait_for_url(re.compile("open=10"))
    after = opened(page).evaluate(STANDS)
    assert len(after) == len(before) + 10
    assert {key: place for key, place in after.items() if key in before} == before
    assert "16 of 10,000 drawn" in panel(page)

    page.locator(".k").focus()
    for _ in range(4):  # held down: opens once
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.wait_for_url(re.compile("open=20"))
    page.wait_for_timeout(600)
    settle(page)
    assert "open=20" in page.url
    assert len(opened(page).evaluate(STANDS)) == len(before) + 20
    page.reload()
    settle(page)
    assert len(opened(page).evaluate(STANDS)) == len(before) + 20
    page.go_back()
    settle(page)
    assert len(opened(page).evaluate(STANDS)) == len(before) + 10
    page.get_by_role("link", name="List them in the table").click()
    settle(page)
    assert "10,000 of 10,002 records are shown" in page.locator(".cd-chosen").inner_text()


@pytest.mark.parametrize(("path", "count", "boxes"), [
    ("/dependencies?record=link250&up=all&down=all", 501, 5), ("/dependencies?record=wide", 41, 8), ("/dependencies?record=hub&up=all&down=all", 10_002, 9),
])  # fmt: skip
def test_a_chain_forty_parents_and_a_fan_are_drawn_as_few_boxes(shapes, visitors, path, count, boxes):
    page = visitors.page_as("ana", shapes, path)

    assert int(opened(page).get_attribute("data-drawn")) == boxes
    assert f"{count:,} records in view" in page.locator(".cd-counts").inner_text()
    holding = page.locator(".cd-holding").inner_text()
    drawn, folded = (int(part.replace(",", "")) for part in re.search(r"([\d,]+) records? drawn · ([\d,]+) folded", holding).groups())
    assert drawn + folded == count


def test_the_picture_is_saved_whole_with_its_lines(quiet_desk, visitors, tmp_path):
    page = visitors.page_as("ana", quiet_desk, f"{NAV}&down=all")
    host = opened(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the whole picture as PNG").click()
    path = tmp_path / "saved.png"
    download.value.save_as(path)
    boxes, lines = map(int, host.get_attribute("data-saved").split())

    assert download.value.suggested_filename == "dependencies-nav-2026-q3.png"
    assert (boxes, lines) == (int(host.get_attribute("data-drawn")), int(host.get_attribute("data-lines")))
    assert boxes == 19
    assert lines >= 20
    image = Image.open(path).convert("RGB")
    ground = image.getpixel((2, image.height - 2))
    data = host.evaluate("host => ({ nodes: host.__look.data.nodes, edges: host.__look.data.edges, box: host.__look.data.box })")
    stands = {node["id"]: (node["x"], node["y"]) for node in data["nodes"]}
    left = min(x for x, _ in stands.values()) - data["box"][0] / 2 - 12
    wide = max(x for x, _ in stands.values()) + data["box"][0] / 2 + 16 - left
    unit = image.width / wide
    columns = sorted({x for x, _ in stands.values()})
    for one, next_one in zip(columns, columns[1:], strict=False):  # between two columns nothing is drawn but lines
        at = int(((one + next_one) / 2 - left) * unit)
        inked = [row for row in range(int(50 * unit), image.height) if sum(abs(a - b) for a, b in zip(image.getpixel((at, row)), ground, strict=True)) > 40]
        assert inked, f"lines at {at}"


def test_the_file_has_a_row_for_every_record_on_the_screen(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, f"{NAV}&down=all&kind=artifact")
    opened(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("CSV of all 19")).click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    store = open_store(quiet_desk.database)
    found = look_around(store, "ana", "acme", "nav-2026-q3", down=None)
    store.close()

    assert download.value.suggested_filename == "dependencies-nav-2026-q3.csv"
    assert len(rows) == found.count() == 19
    assert "19 records in view" in page.locator(".cd-counts").inner_text()
    assert page.locator(".cd-neighbours tbody tr").count() == found.count_kinds()["artifact"]
    assert sorted(row["id"] for row in rows if row["kind"] == "artifact") == sorted(page.locator(".cd-neighbours small .cd-id").all_inner_texts())


def test_steps_and_lens_go_to_the_address(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, NAV)
    opened(page)
    page.get_by_role("radiogroup", name="Steps down").get_by_text("all", exact=True).click()
    page.wait_for_url(re.compile("down=all"))
    settle(page)
    assert "19 records in view" in page.locator(".cd-counts").inner_text()
    page.get_by_role("radiogroup", name="Colour by").get_by_text("Owner").click()
    page.wait_for_url(re.compile("lens=owner"))
    settle(page)
    assert "olga" in page.locator(".cd-lenslegend").inner_text()
    page.go_back()
    settle(page)
    assert "down=all" in page.url
    assert page.locator(".cd-lenslegend .cd-status").count() >= 2, "the legend of states again"
