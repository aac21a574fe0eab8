"""Every page of the desk as it is opened over the sample store, for tests that hold for all of them."""

from urllib.parse import quote

from pages.widgets.frame import ADDRESSES
from store import PLAN_TABS

#: A place: page, and what is in its address. The first of a page is the one most looked at.
PLACES = [
    ("candidates", {"candidate": "nav-2026-q3-misread"}),
    ("candidates", {"document": "VENDOR-CALL@1", "view": "grid"}),
    ("record", {"record": "nav-2026-q2", "tenant": "acme"}),
    ("record", {"record": "LARCH-Q3@1"}),
    ("record", {"record": "report-larch-q3"}),
    ("revoke", {"pick": "LARCH-Q3", "do": "revoke"}),
    ("revoke", {"find": "larch"}),
    ("revoke", {"find": "zzzz nothing like it"}),
    *(("revoke", {"pick": "LARCH-Q3", "do": "revoke", "tab": tab}) for tab in PLAN_TABS[1:]),
    ("revoke", {"pick": "LARCH-Q3", "do": "suspend"}),
    ("revoke", {"pick": "LARCH-Q3", "do": "reinstate"}),
    ("revoke", {"pick": "outage-call", "do": "reinstate"}),
    ("about", {"subject": "parcelwing/shipments"}),
    ("about", {"find": "larch"}),
    ("about", {"subject": "larch-hollow-3", "predicate": "nav"}),
    ("about", {"subject": "person:lin-yue", "tenant": "acme", "show": "person"}),
    ("record", {"record": "memo-larch-q2", "known": "2099-01-01"}),
    ("letter", {"source": "call_notes", "other": "auditor_report"}),
    ("search", {"as": "bot", "in": "acme/support", "by": "words", "find": "refund"}),
]
PLACES += [
    ("conflicts", {"conflict": "conflict-050fd45811-1"}),
    ("people", {"tab": "policy"}),
    ("people", {"who": "ana"}),
    ("today", {"show": "stale"}),
    ("sheet", {"by": "ana"}),
    ("dependencies", {"record": "nav-2026-q3"}),
    ("dependencies", {"record": "nav-2026-q3", "down": "all", "lens": "owner", "sel": "LARCH-Q3@1"}),
    ("dependencies", {"record": "report-larch-q3", "to": "LARCH-Q3@1"}),
    ("dependencies", {"find": "larch"}),
]
PLACES += [("today", {"show": "stale"}), ("today", {"show": "dates", "week": "past"})]
PLACES += [
    ("search", {"as": "bot", "in": "acme/api", "subject": "parcelwing/shipments", "predicate": "key_lifetime_hours"}),
    ("search", {"as": "bot", "in": "acme/api", "subject": "parcelwing/cancel", "predicate": "repeat_is_harmless", "at": "2026-10-01"}),
    ("search", {"as": "bot", "in": "acme/support", "subject": "team-lead", "predicate": "goodwill_limit"}),
    ("people", {"who": "bot"}),
    ("people", {"tab": "predicates", "predicate": "nav", "where": "acme"}),
    ("people", {"tab": "policy"}),
    ("people", {"tab": "history"}),
]
PLACES += [
    ("conflicts", {"conflict": "conflict-5db83e69f8-1"}),
    ("conflicts", {"conflict": "conflict-b56c4e78ed-1"}),
    ("conflicts", {"predicate": "first_response", "source": "policy_page"}),
    ("conflicts", {"predicate": "fair_value"}),
]
PLACES += [("corrections", {"new": "1", "tenant": "acme", "source": "LARCH-Q3"}), ("corrections", {"show": "closed"})]
PLACES += [
    ("sources", {"source": "REFUND-POLICY", "tenant": "acme"}),
    ("sources", {"source": "REFUND-POLICY", "a": "1", "b": "2"}),
    ("sources", {"source": "HERON-Q2", "a": "1", "tenant": "acme"}),
    ("sources", {}),
    ("sources", {"view": "extractors"}),
    ("sources", {"source": "REFUND-POLICY", "a": "1"}),
    ("sources", {"source": "REFUND-POLICY", "do": "recapture"}),
    ("sources", {"find": "policy"}),
    ("sources", {"source": "ADMIN-TABLE"}),
    ("sources", {"source": "HOTEL-BOOKING"}),
    ("sources", {"only": "unsorted"}),
]
PLACES += [
    ("revalidate", {"state": "lost"}),
    ("revalidate", {"kind": "artifact", "mine": "1"}),
    ("revalidate", {"weeks": "1", "state": "expired"}),
    ("revalidate", {"record": "guess-retry-report", "tenant": "acme", "do": "answer"}),
]
PLACES += [
    ("deliveries", {"message": "tell-refund-september", "tenant": "acme"}),
    ("deliveries", {}),
    ("deliveries", {"message": "told-larch-q2", "tenant": "acme"}),
    ("deliveries", {"view": "delivered"}),
    ("deliveries", {"view": "delivered", "artifact": "report-larch-q3", "tenant": "acme"}),
]
PLACES += [
    ("revoke", {"by": "made", "tenant": "acme"}),
    ("revoke", {"by": "made", "tenant": "acme", "made": "extractor=passage-reader", "do": "suspend"}),
    ("sources", {"view": "extractors", "order": "rejected"}),
]
PLACES += [
    ("forgetting", {"do": "request", "record": "nav-2026-q2", "tenant": "acme"}),
    ("forgetting", {"do": "request", "subject": "team-lead", "tenant": "acme"}),
    ("forgetting", {"do": "request", "by": "search", "find": "goodwill", "tenant": "acme"}),
    ("forgetting", {"view": "copies", "tenant": "acme"}),
    ("forgetting", {"view": "proofs"}),
]
PLACES += [(name, {}) for name in ADDRESSES]
#: Addresses that name what is not there, or is not theirs to see, or make no sense.
NOWHERE = [
    ("forgetting", {"request": "nobody-knows-it", "part": "dance", "tenant": "nobody"}),
    ("forgetting", {"do": "request", "record": "nobody-knows-it", "keep": "x", "leave": "y", "by": "dance", "tenant": "acme"}),
    ("forgetting", {"do": "request", "source": "nobody-knows-it", "tenant": "nobody", "tab": "none", "page": "-3", "group": "x.y"}),
    ("forgetting", {"show": "none", "view": "dance"}),
    ("revalidate", {"record": "nobody-knows-it", "do": "dance", "state": "none", "cause": "x", "drop": "y"}),
    ("revalidate", {"correction": "nobody-knows-it"}),
    ("revalidate", {"after": "x", "kind": "y"}),
    ("revalidate", {"week": "soon", "tick": "nobody", "within": "nobody-knows-it", "do": "answer"}),
    ("corrections", {"case": "nobody-knows-it"}),
    ("corrections", {"case": "nobody-knows-it", "print": "1"}),
    ("corrections", {"case": "nobody-knows-it", "tenant": "nobody", "edit": "1"}),
    ("corrections", {"new": "1", "tenant": "acme", "source": "nobody-knows-it"}),
    ("corrections", {"show": "dance", "new": "maybe"}),
    ("conflicts", {"conflict": "nobody-knows-it"}),
    ("conflicts", {"show": "none", "differ": "-3", "page": "x"}),
    ("people", {"who": "nobody-knows-it", "tab": "none"}),
    ("sources", {"source": "nobody-knows-it"}),
    ("sources", {"source": "REFUND-POLICY", "a": "99", "b": "-1", "at": "999999999", "claim": "nobody-knows-it", "do": "dance"}),
    ("sources", {"only": "none", "order": "x", "after": "y"}),
    ("imports", {"code": "none", "part": "-3"}),
    ("sheet", {"day": "yesterday", "by": "nobody-knows-it", "show": "none", "after": "-3"}),
    ("today", {"show": "none", "week": "x", "after": "y"}),
    ("candidates", {"candidate": "nobody-knows-it"}),
    ("record", {"record": "nobody-knows-it"}),
    ("record", {"record": "nav-2026-q2", "part": "99999"}),
    ("revoke", {"pick": "nobody-knows-it"}),
    ("revoke", {"done": "99999"}),
    ("revoke", {"by": "dance", "made": "colour=blue", "do": "suspend"}),
    ("revoke", {"by": "made", "tenant": "nobody", "made": "since=yesterday"}),
    ("sources", {"view": "dance", "order": "none"}),
    ("revoke", {"pick": "LARCH-Q3", "do": "dance", "tab": "none", "page": "-3", "group": "x.y"}),
    ("about", {"subject": "nobody-knows-it"}),
    ("dependencies", {"record": "nobody-knows-it"}),
    ("dependencies", {"record": "nav-2026-q3", "to": "nobody-knows-it", "up": "-3", "lens": "x", "open": "1", "step": "y", "page": "z"}),
    ("about", {"subject": "larch-hollow-3", "state": "none", "start": "-3", "whole": "maybe"}),
    ("record", {"record": "nav-2026-q2", "known": "yesterday", "at": "never"}),
    ("letter", {"source": "nobody-knows-it"}),
    ("today", {"show": "nothing", "after": "-3"}),
    ("today", {"show": "dates", "week": "never"}),
    ("sheet", {"day": "never"}),
    ("sheet", {"day": "2026-01-01", "by": "nobody-knows-it", "show": "dance", "after": "-3"}),
    ("people", {"who": "nobody-knows-it"}),
    ("people", {"tab": "predicates", "predicate": "nobody-knows-it"}),
    ("people", {"tab": "dance", "where": "nobody/knows", "edit": "x", "before": "-3"}),
    ("conflicts", {"conflict": "nobody-knows-it"}),
    ("conflicts", {"predicate": "nobody-knows-it", "source": "nobody"}),
    ("conflicts", {"show": "x", "differ": "y", "page": "-3", "with": "z"}),
    ("rehearsals", {"one": "nobody-knows-it"}),
    ("deliveries", {"message": "nobody-knows-it", "tenant": "acme"}),
    ("deliveries", {"view": "delivered", "artifact": "nobody-knows-it", "tenant": "acme", "after": "-3"}),
    ("deliveries", {"state": "none", "correction": "nobody-knows-it", "view": "dance", "only": "x"}),
    ("rehearsals", {"one": "nobody-knows-it", "other": "nor-this", "part": "x.y", "p": "-3"}),
    ("rehearsals", {"show": "none", "correction": "nobody-knows-it", "pick": "maybe"}),
    ("search", {"as": "nobody-knows-it", "in": "acme/support", "by": "words", "find": "refund"}),
]


PLACES = [place for n, place in enumerate(PLACES) if place not in PLACES[:n]]
NOWHERE = [place for n, place in enumerate(NOWHERE) if place not in NOWHERE[:n]]
#: Those that look different from each other, for what only a browser can see: three of each page, five of those of sources and deliveries.
LOOKS = [place for n, place in enumerate(PLACES) if sum(other[0] == place[0] for other in PLACES[:n]) < (5 if place[0] in ("sources", "deliveries") else 3)]


def path_of(page, query):
    """The address of a place."""
    return f"/{page}" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items()) if query else "")
