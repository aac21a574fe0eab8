"""The page about one subject, from one look at the store: what is held, how it changed, and what stands around it."""

from __future__ import annotations

from dataclasses import dataclass

from store.db.claim_store import ClaimStore
from store.db.transaction import read
from store.reads.subject import SubjectLook, SubjectView, describe_subject
from store.reads.subject_around import SubjectAround, describe_around
from store.reads.subject_history import LINES, SubjectHistory, describe_history

_ROUND_ABOUT, _ALL_ROUND = 8, 1_000


@dataclass(frozen=True, slots=True)
class SubjectPage:
    """Everything on the page. `history` is of the predicate asked for, or of all; `around` is None where a list was asked for."""

    view: SubjectView
    history: SubjectHistory | None
    around: SubjectAround | None


def view_subject(
    store: ClaimStore, person: str, tenant: str, subject: str, *, scope: str | None = None, predicate: str | None = None, state: str | None = None,
    start: int = 0, whole: bool = False, authenticated: bool = False,
) -> SubjectPage:  # fmt: skip
    """Return what is held about a subject, as far as the person may see it.

    Args:
        scope: keep to this scope and those below it.
        predicate, state: list the claims of this predicate, in this state (`STATES`), instead of everything by predicate.
        start: how many claims of the list, or groups, to leave out.
        whole: leave nothing out and fold nothing, for a print.

    Raises:
        Refusal: `not_found` where the person may see no claim about it.
    """
    with read(store, person, authenticated=authenticated) as reading:
        look = SubjectLook(reading, tenant, subject, scope)
        view = describe_subject(look, scope, predicate, state, start, whole=whole)
        listing = view.rows is not None
        history = None if listing and predicate is None else describe_history(look, predicate, _ALL_ROUND if whole else LINES)
        return SubjectPage(view, history, None if listing else describe_around(look, _ALL_ROUND if whole else _ROUND_ABOUT))
