"""What only a browser shows of the page of sources: selecting words, for a new claim and to mend one."""

from store import create_store, import_lines, open_store, show_record
from tests.builders import CAST, accepted, claim, encode, evidence, passage, source

from .served import settle

STRANGE = "# Ca\u0301fe 😀 menu\n\nשלום עולם means hello to e\u0301veryone 👩‍👩‍👧 here.\nThe last line is plain.\n"
WORDS = "עולם means hello to e\u0301veryone 👩‍👩‍👧 he"
MENDED = "😀 menu\n\nשלום"


def select(page, words):
    """Select words in the text and take them."""
    page.get_by_role("region", name="The text, to select words in").evaluate(
        """(one, words) => { const node = one.firstChild, at = node.data.indexOf(words), range = document.createRange();
           range.setStart(node, at); range.setEnd(node, at + words.length);
           const selection = one.getRootNode().getSelection ? one.getRootNode().getSelection() : document.getSelection();
           selection.removeAllRanges(); selection.addRange(range); one.dispatchEvent(new KeyboardEvent("keyup")); }""",
        words,
    )
    page.get_by_role("button", name="Take the selected words").click()
    settle(page)


def quoted(words):
    start = STRANGE.index(words)
    return [{"evidence": "MENU@1", "span": {"start": start, "end": start + len(words)}, "quote": words}]


def test_selected_words_become_a_candidate_or_mend_one_code_point_for_code_point(tmp_path, start_desk, visitors):
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    lines = [*CAST, source("MENU"), evidence("MENU@1", "MENU", STRANGE, media_type="text/markdown"), accepted("last", evidence=[passage("The last line", "MENU@1", STRANGE)])]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    astray = claim("astray", evidence=[{"evidence": "MENU@1", "span": {"start": 0, "end": 4}, "quote": "menu"}])
    assert import_lines(store, "bot", encode([astray]))["rejected"] == []
    store.close()
    page = visitors.page_as("ana", start_desk(url), "/sources?source=MENU")
    page.get_by_text("Choose words for a claim").click()
    settle(page)
    text = page.get_by_role("region", name="The text, to select words in")
    assert text.evaluate("one => one.textContent") == STRANGE
    select(page, WORDS)
    for label, value in (("What or whom it is about", "menu"), ("Which property", "greets"), ("Value", "everyone")):
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Propose it as").click()
    settle(page)
    link = page.get_by_role("link", name="See the candidate").get_attribute("href")
    store = open_store(url)
    found = show_record(store, "ana", "acme", link.split("candidate=")[1].split("&")[0])
    assert found["status"] == "CANDIDATE"
    assert found["record"]["evidence"] == quoted(WORDS)
    assert found["record"]["proposed_by"] == "ana"

    if not page.get_by_role("region", name="The text, to select words in").is_visible():
        page.get_by_text("Choose words for a claim").click()
        settle(page)
    select(page, MENDED)
    page.get_by_role("button", name="Let astray quote these words").click()
    settle(page)
    assert show_record(store, "ana", "acme", "astray")["record"]["evidence"] == quoted(MENDED)
    assert page.get_by_text("is not where its claim says").count() == 0
    store.close()


def test_on_a_narrow_screen_every_figure_stands_below_its_source_with_its_word(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/sources?order=sole", width=420)
    for path, said in (("/sources?order=sole", ["Rest on it", "Delivered", "Owners", "No other support"]), ("/sources?view=extractors", ["Proposed", "Accepted", "Rejected", "Corrected later"])):
        page.goto(quiet_desk.url + path)
        settle(page)
        first = page.locator(".cs-cards tbody tr").first
        assert first.locator(".cs-says:visible").all_inner_texts() == said
        edges = [label.bounding_box() for label in first.locator(".cs-says").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 420 for box in edges)
        assert page.evaluate("[...document.querySelectorAll('.cd-scroll')].every(box => box.scrollWidth <= box.clientWidth)")
