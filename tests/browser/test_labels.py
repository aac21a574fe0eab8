"""What comes from outside stands in the label of a widget as it was written: no mark of Markdown, icon, link or sign is in force there."""

from __future__ import annotations

import contextlib
import json

from playwright.sync_api import expect

from store import OPERATOR, create_store, import_lines

#: Titles as people and attackers write them; each begins with the word that finds all of them.
TITLES = (
    "q4x report: NAV & fees, 12:30 (50 %), a/b, 3.5, \"so\", it's + $5", "q4x *bold* _lean_ snake_case __under__ ~~gone~~ `code` \\* 2*3*4", "q4x [link](http://127.0.0.1:9/x) ![p](/y.png) [x]: z [^1]: n",
    "q4x :red[red] :smile: :+1: :material/delete: :material_delete: :streamlit: ::note :help[it] a:small", "q4x $x^2$ $$y$$ US$ 5", "q4x &amp; &#58; &lt;b&gt; <b>bold</b> <http://127.0.0.1:9/a> a < b",
    "q4x http://127.0.0.1:9/z www.example.org kim@example.org", "q4x a -> b <- c <-> d -- e >= f <= g ~= h", "- q4x one", "# q4x two", "1. q4x three", "> q4x four", "--- q4x", "``` q4x", "| q4x | y |", "q4x 中文：“引号” é", "+ q4x five", "* q4x six", "=== q4x",
)  # fmt: skip


def fill(url):
    """A claim for each title."""
    lines = [
        {"type": "person", "id": "adam", "name": "Adam *The* Admin: :smile: & Co", "roles": [{"role": "admin", "scope": "acme"}, {"role": "reviewer", "scope": "acme"}]},
        {"type": "source", "id": "S1", "scope": "acme", "title": "Source"},
        {"type": "evidence", "id": "E1", "source": "S1", "version": 1, "captured_at": "2026-01-05T09:00:00Z", "media_type": "text/plain", "content": "It is so.\n"},
        *(
            {"type": "claim", "id": f"c{n}", "scope": "acme", "subject": f"thing-{n}", "predicate": "says", "value": n, "statement": title, "owner": "adam", "status": "reviewed",
             "evidence": [{"evidence": "E1", "span": {"start": 0, "end": 9}, "quote": "It is so."}], "review_at": "2099-01-01T00:00:00Z"}
            for n, title in enumerate(TITLES)
        ),
    ]  # fmt: skip
    store = create_store(url)
    with contextlib.closing(store):
        found = import_lines(store, OPERATOR, [json.dumps(line).encode() for line in lines], reviewed=True)
        assert found["rejected"] == []


def shown(locator):
    return locator.inner_text().replace("\u2060", "").strip()


def test_a_label_shows_what_was_written(stores, start_desk, visitors):
    desk = start_desk(stores.fresh("sqlite", "labels", fill))
    page = visitors.page_as("adam", desk, "/forgetting?do=request&by=search&find=q4x&tenant=acme")
    boxes = page.locator(".st-key-forgetting_ticks [data-testid=stCheckbox]")
    expect(boxes).to_have_count(len(TITLES))

    assert sorted(shown(one) for one in boxes.all()) == sorted(TITLES)
    assert boxes.locator("a, em, strong, code, del, img, .katex, [role=img]").count() == 0

    page.goto(desk.url + "/forgetting?do=request&record=c1&tenant=acme")
    press = page.get_by_role("button", name="Block 1 record").first
    expect(press).to_be_visible()
    assert shown(press) == "Block 1 record at once as Adam *The* Admin: :smile: & Co"
