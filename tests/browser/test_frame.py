from .served import settle


def test_x(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=nav-2026-q2&tenant=acme")
    page.screenshot(path="/tmp/ui/t1.png")
    print(visitors.watch_of(page))
