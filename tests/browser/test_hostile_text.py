"""A store whose every text field holds hostile text, shown on every page: nothing runs, nothing is asked, nothing breaks (R33)."""

from __future__ import annotations

import csv
import io
from urllib.parse import quote

import pytest

from store import (
    ConflictSift,
    answer_question,
    ask,
    capture,
    commit_plan,
    create_store,
    draft_messages,
    export_sheet_csv,
    import_lines,
    list_conflicts_page,
    list_letter_picks,
    list_predicates,
    list_queue,
    list_scopes,
    list_sources,
    list_stale,
    note_remedy,
    open_correction,
    open_store,
    preview_plan,
    reject,
    reopen,
    save_rehearsal,
    suggest_questions,
    suggest_subjects,
    view_people,
)
from store.domain.plans import Plan, Verb

from .hostile import FLAG, Canary, build, everything, word
from .served import ROOT, keep_silence, press_key, serve, settle, walk

#: What must not be in a page that shows hostile text.
FORBIDDEN = """(port) => {
  const at = `127.0.0.1:${port}`, found = [];
  const roots = [document];
  for (const root of roots) {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) roots.push(one.shadowRoot);
      for (const { name, value } of one.attributes) {
        if (name.startsWith("on")) found.push(`${one.tagName} ${name}`);
        if (["src", "srcset", "data", "action", "poster", "background"].includes(name) && value.includes(at)) found.push(`${one.tagName} ${name}`);
        if (["href", "xlink:href", "formaction"].includes(name) && !(one.rel === "shortcut icon" && value.startsWith("data:image/svg")) && new URL(value, location.href).origin !== location.origin) found.push(`${one.tagName} ${value.slice(0, 80)}`);
        if (name === "style" && value.includes(at)) found.push(`${one.tagName} style`);
      }
      if (["SCRIPT", "IFRAME", "OBJECT", "EMBED", "BASE", "FORM"].includes(one.tagName) && (one.outerHTML || "").includes(at)) found.push(one.tagName);
      if (one.tagName === "STYLE" && one.textContent.includes(at)) found.push("STYLE");
      if (one.classList.contains("katex")) found.push("katex");
    }
  }
  return found;
}"""
RAW = "() => (document.body.innerText.match(/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff\\u00ad\\u0085]|\\u{e0041}/u) || []).map((one) => one.codePointAt(0).toString(16))"


@pytest.fixture(scope="module")
def hostile(stores):
    """A desk over the hostile store: (server, canary, ids, reviewer, event-making person)."""
    canary = Canary()
    lines, ids, reviewer = build(canary.port)

    def fill(url):
        store = create_store(url)
        report = import_lines(store, "operator", lines, reviewed=True)
        assert report["rejected"] == [], report["rejected"][:3]
        store.close()

    url = stores.fresh("sqlite", "hostile", fill)
    store = open_store(url)
    suspended = next(one for one in ids if one.startswith("e"))
    plan = Plan(Verb.SUSPEND, (ids[2],))
    seen = preview_plan(store, reviewer, "evil", plan)
    commit_plan(store, reviewer, "evil", plan, seen.impact.fingerprint if hasattr(seen, "impact") else seen.fingerprint, word(canary.port, 4, "reason "))
    candidates = [item["id"] for item in list_queue(store, reviewer, "candidates")["items"]]
    store.close()
    served = serve(url)
    yield served, canary, ids, reviewer, candidates, suspended
    served.stop()
    canary.close()


def is_built(name):
    return len((ROOT / "pages" / f"{name}.py").read_text()) > 150


def check(page, canary):
    """Assert that a page shows hostile text as text and nothing else."""
    for summary in page.locator("details.cd-more > summary").all()[:6]:
        if summary.is_visible():
            summary.click()
    page.mouse.move(700, 400)
    page.mouse.move(710, 600)

    assert page.get_by_test_id("stException").count() == 0
    assert page.locator(".cd-fault").count() == 0, "something went wrong on the page; see the server's log"
    assert page.evaluate(f"() => window.{FLAG}") is None
    assert page.evaluate(FORBIDDEN, canary.port) == []
    assert page.evaluate(RAW) == []
    assert page.evaluate("() => getComputedStyle(document.body).direction") == "ltr"
    assert canary.asked == []


def visit(visitors, hostile, paths, **more):
    served, canary, _, reviewer, _, _ = hostile
    page = visitors.page_as(quote(reviewer, safe=""), served, paths[0], **more)
    for place, path in enumerate(paths):
        if place:
            walk(page, path, 60)
        yield page, path
        check(page, canary)


def test_the_choice_of_who_one_is_shows_hostile_names_as_text(hostile, visitors):
    served, canary, *_ = hostile
    page = visitors.page_as(None, served, "/candidates")

    assert page.get_by_text("Who are you?").is_visible()
    assert page.get_by_role("button").filter(has_text="in evil").count() == 2
    check(page, canary)


def test_records_of_every_kind_show_hostile_text_as_text(hostile, visitors):
    ids = hostile[2]
    for page, path in visit(visitors, hostile, [f"/record?record={quote(one, safe='')}" for one in ids]):
        assert page.locator("h1.cd-title").is_visible(), path
        assert page.get_by_role("heading", name="History").is_visible(), path
        text = page.locator('[data-testid="stMain"]').inner_text()
        assert "⟦RLO⟧" in text or "⟦ZWSP⟧" in text, path


def test_hostile_text_stays_text_in_the_dark_and_on_a_narrow_screen(hostile, visitors):
    ids = hostile[2]
    for page, _ in visit(visitors, hostile, [f"/record?record={quote(one, safe='')}" for one in (ids[0], ids[8], ids[-1])], dark=True, width=420):
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 420


def test_the_frame_shows_a_hostile_scope_and_person_as_text(hostile, visitors):
    served, canary, ids, *_ = hostile
    for page, _ in visit(visitors, hostile, ["/record", f"/record?scope={quote('<img src=http://127.0.0.1/x onerror=alert(1)>', safe='')}"]):
        assert page.locator(".cd-who").is_visible()
        page.get_by_test_id("stSidebar").get_by_role("combobox").click()
        assert page.get_by_role("option").count() >= 2
        check(page, canary)
        page.get_by_role("option").nth(1).click()
        settle(page)


@pytest.mark.parametrize("hint", ["record", "tenant", "scope", "part", "candidate", "pick", "missing"])
def test_hostile_addresses_are_shown_as_text(hostile, visitors, hint):
    port = hostile[1].port
    text = quote(word(port, 1), safe="")
    paths = [f"/record?{hint}={text}", f"/record?record=x&{hint}={text}", f"/candidates?{hint}={text}", f"/revoke?{hint}={text}", f"/dependencies?record=x&{hint}={text}"]
    for page, _ in visit(visitors, hostile, paths):
        assert page.locator(".cd-who").is_visible()


def test_candidates_show_hostile_text_as_text(hostile, visitors):
    if not is_built("candidates"):
        pytest.skip("the page is being built")
    candidates = hostile[4]
    for page, path in visit(visitors, hostile, ["/candidates", *(f"/candidates?candidate={quote(one, safe='')}" for one in candidates)]):
        assert page.locator("h1").first.is_visible(), path


def test_revoke_shows_hostile_text_as_text(hostile, visitors):
    if not is_built("revoke"):
        pytest.skip("the page is being built")
    ids = hostile[2]
    for page, path in visit(visitors, hostile, ["/revoke", *(f"/revoke?pick={quote(one, safe='')}" for one in ids[:4])]):
        assert page.locator("h1").first.is_visible(), path


def test_dependencies_show_hostile_text_as_text(hostile, visitors):
    first, *others = (quote(one, safe="") for one in hostile[2])
    whole = f"/dependencies?record={first}&up=all&down=all&lens="
    paths = ["/dependencies?find=evil", *(f"{whole}{lens}" for lens in ("state", "owner", "source")), f"/dependencies?record={others[-1]}&up=all", f"/dependencies?record={first}&to={others[0]}"]
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path
        if page.locator(".g").count():
            page.locator(".g[data-drawn]").wait_for()
            page.locator(".k").focus()
            for key in ("ArrowRight", "ArrowLeft", "Enter"):
                page.keyboard.press(key)
            settle(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the whole picture").click()
    assert saved.value.suggested_filename.isascii()


def test_conflicts_show_hostile_text_as_text(hostile, visitors):
    store = open_store(hostile[0].database)
    rows = list_conflicts_page(store, hostile[3], ConflictSift()).rows
    store.close()
    assert rows
    paths = ["/conflicts"]
    for row in rows[:3]:
        predicate = quote(row.predicate, safe="")
        sources = "".join(f"&source={quote(name, safe='')}" for name in {name for value in row.values for name in value.names})
        paths += [f"/conflicts?conflict={row.id}&tenant=evil", f"/conflicts?predicate={predicate}", f"/conflicts?predicate={predicate}{sources}"]
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path
        for key in ("6", "1") if "conflict=" in path else ("1", "7"):
            keep_silence(page)
            press_key(page, key)
            settle(page, 60)
            check(page, hostile[1])
            keep_silence(page)
            press_key(page, "Escape")
            settle(page, 60)


def test_what_is_held_about_a_hostile_subject_and_a_letter_about_it_show_it_as_text(hostile, visitors):
    port = hostile[1].port
    store = open_store(hostile[0].database)
    subjects = [one.subject for one in suggest_subjects(store, hostile[3], limit=6)]
    letters = [pick.source for pick in list_letter_picks(store, hostile[3], by="source")]
    store.close()
    assert subjects
    assert letters
    paths = ["/about", f"/about?find={quote(word(port, 1), safe='')}", "/letter", "/letter?by=source&pairs=1", f"/letter?source={quote(letters[0], safe='')}"]
    paths += [f"/about?subject={quote(one, safe='')}" for one in subjects] + [f"/about?subject={quote(subjects[0], safe='')}&whole=1"]
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path


def test_the_day_and_its_decisions_show_hostile_text_as_text(hostile, visitors):
    served, canary, ids, reviewer, candidates, _ = hostile
    second = word(canary.port, 1, "p")
    store = open_store(served.database)
    ask(store, second, "evil", "record", candidates[0], everything(canary.port)[:4000], reviewer)
    ask(store, reviewer, "evil", "record", ids[2], everything(canary.port)[:4000], second)
    answer_question(store, second, "evil", 2, everything(canary.port)[:4000])
    reject(store, reviewer, "evil", candidates[1], "rejected", everything(canary.port))
    reopen(store, reviewer, "evil", candidates[1])
    preview_plan(store, reviewer, "evil", Plan(Verb.REVOKE, (ids[2],)))
    sheet = export_sheet_csv(store, reviewer).decode("utf-8-sig")
    store.close()
    rows = list(csv.reader(io.StringIO(sheet)))
    assert len(rows) == 3
    assert not [cell for row in rows[1:] for cell in row if cell.lstrip()[:1] in ("=", "+", "-", "@")]

    text = quote(word(canary.port, 1), safe="")
    paths = ["/today", "/today?show=questions", "/today?show=stale", "/sheet", f"/sheet?by={text}", f"/sheet?day={text}", f"/today?show={text}"]
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path


def test_what_agents_are_told_and_who_may_do_what_show_hostile_text_as_text(hostile, visitors):
    served, _, _, reviewer, _, _ = hostile
    store = open_store(served.database)
    scope = max(list_scopes(store, reviewer), key=lambda one: len(suggest_questions(store, reviewer, one, limit=6)))
    keys = suggest_questions(store, reviewer, scope, limit=6)
    people = [one.id for one in view_people(store, reviewer, scope.split("/")[0]).people]
    predicates = [one.predicate.name for one in list_predicates(store, reviewer, scope.split("/")[0])]
    store.close()
    assert keys and people and predicates

    def link(page, **query):
        return f"/{page}?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())

    asking = {"as": reviewer, "in": scope}
    paths = ["/search", *(link("search", **asking, subject=key.subject, predicate=key.predicate) for key in keys), link("search", **asking, by="words", find="evil")]
    paths += [link("people", who=one) for one in people] + ["/people?add=1", "/people?tab=history", "/people?tab=policy&edit=authority_ranks", "/people?tab=predicates"]
    paths += [link("people", tab="predicates", predicate=one, edit="compare") for one in predicates[:3]]
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path


def test_conflicts_and_imports_show_hostile_text_as_text(hostile, visitors):
    served, _, _, reviewer, _, _ = hostile
    store = open_store(served.database)
    conflicts = [item["id"] for item in list_queue(store, reviewer, "conflicts")["items"]]
    store.close()
    places = [*(f"/conflicts?conflict={quote(one, safe='')}" for one in conflicts[:3]), f"/conflicts?predicate={quote('<img src=x onerror=alert(1)>', safe='')}", "/imports"]
    for page, path in visit(visitors, hostile, ["/conflicts", *places]):
        assert page.locator("h1").first.is_visible(), path


def test_a_correction_of_hostile_sources_shows_them_as_text(hostile, visitors):
    served, canary, ids, reviewer, _, _ = hostile
    words = everything(canary.port)
    store = open_store(served.database)
    sources = [one.id for one in list_sources(store, reviewer).rows]
    artifacts = [one for one in ids if one.startswith("a")]
    for place, (name, content) in enumerate((("x.txt", f"Another text. {words}"), ("x.html", f"<html><body><p>{words}</p><script>fetch('http://127.0.0.1:{canary.port}/x')</script><img src=//127.0.0.1:{canary.port}/y>"))):
        capture(store, reviewer, "evil", sources[place], content.encode(), name=name)
    case = open_correction(store, reviewer, "evil", word(canary.port, 2)[:200], sources=sources, cause=words[:4000])["correction"]
    saved = [save_rehearsal(store, reviewer, "evil", Plan(verb, (sources[0],)), word(canary.port, 5)[:120], correction=case)["rehearsal"] for verb in (Verb.REVOKE, Verb.SUSPEND)]
    plan = Plan(Verb.SUSPEND, tuple(sources))
    commit_plan(store, reviewer, "evil", plan, preview_plan(store, reviewer, "evil", plan).fingerprint, words[:1000])
    note_remedy(store, reviewer, "evil", artifacts[0], "annotation", words[:4000])
    message = draft_messages(store, reviewer, "evil")["drafted"][0]
    stale = [row.id for row in list_stale(store, reviewer).rows][0]
    store.close()

    def link(page, **query):
        return f"/{page}?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in {**query, "tenant": "evil"}.items())

    paths = [
        "/sources", link("sources", source=sources[1], a="1", b="2"), link("corrections", case=case), link("corrections", case=case, print="1"), link("rehearsals", one=saved[0], other=saved[1]), link("deliveries", message=message),
        link("deliveries", view="delivered", artifact=artifacts[0]), link("revalidate", record=stale),
    ]  # fmt: skip
    for page, path in visit(visitors, hostile, paths):
        assert page.locator("h1").first.is_visible(), path
