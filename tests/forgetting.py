"""Short ways to ask that something be forgotten, and to look how far that is."""

from store import Wanted, preview_deletion, refuse_deletion, request_deletion, run_deletion, view_deletion
from tests.builders import TENANT, given


def asked_to_forget(store, *ids, by="adam", reason="asked by the person", **options):
    """Ask that records be forgotten; return the request's id."""
    return request_deletion(store, by, TENANT, Wanted(ids), reason=reason, **options)["request"]


def forgotten(store, *ids, by="adam", **options):
    """Ask that records be forgotten and erase them; return the request's id."""
    request = asked_to_forget(store, *ids, by=by, **options)
    run_deletion(store, by, TENANT, request)
    return request


def foreseen(store, wanted, by="adam"):
    return preview_deletion(store, by, TENANT, wanted)


def refuse(store, request, by="adam", reason="it has to be kept"):
    return refuse_deletion(store, by, TENANT, request, reason)


def surfaces(store, request, by="adam"):
    """Surface -> state."""
    return {one.name: one.state for one in view_deletion(store, by, TENANT, request).surfaces}


def state(store, request, by="adam"):
    return view_deletion(store, by, TENANT, request).row.state


def waiting(store):
    """Let there be a replica whose owner has to say when something is gone from it."""
    given(store, {"type": "policy", "scope": TENANT, "replicas": [{"name": "standby", "owner": "olga"}]})
