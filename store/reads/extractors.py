"""How well each extractor reads: what it proposed, what was accepted or rejected of it, and what was corrected later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from store.db.claim_store import ClaimStore
from store.db.extractors import Made, count_made_by
from store.db.keys import load_scopes
from store.db.snapshots import Snapshots
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.scopes import covers, tenant_of
from store.domain.status import Status

EXTRACTOR_ORDERS = ("corrected", "rejected", "proposed", "accepted", "name")


@dataclass(slots=True)
class ExtractorRow:
    """What became of the claims one extractor version made. Texts come from outside.

    Attributes:
        method, version: empty where the claims do not say.
        proposed: all claims it made; `waiting`: candidates among them.
        accepted: those accepted at some time, whatever they are now; `served`: ACCEPTED now.
        rejected: those that are rejected now; `routes`: route -> how many of them, under "" where none was given.
        corrected: those that fell, were superseded or revoked after they had been accepted.
    """

    tenant: str
    method: str
    version: str
    proposed: int = 0
    waiting: int = 0
    accepted: int = 0
    served: int = 0
    rejected: int = 0
    corrected: int = 0
    routes: dict[str, int] = field(default_factory=dict)

    @property
    def corrected_share(self) -> float:
        """Return the share of what was accepted that was corrected later, 0 to 1."""
        return self.corrected / self.accepted if self.accepted else 0.0

    @property
    def rejected_share(self) -> float:
        """Return the share of what was decided that is rejected, 0 to 1."""
        decided = self.accepted + self.rejected
        return self.rejected / decided if decided else 0.0


@dataclass(frozen=True, slots=True)
class ExtractorTable:
    """All extractors, in order; `hidden`: how many claims lie in scopes where the person sees no candidates."""

    rows: tuple[ExtractorRow, ...]
    hidden: int


_kept: WeakKeyDictionary[Snapshots, dict[int, tuple[int, Sequence[Made]]]] = WeakKeyDictionary()
_lock = Lock()


def measure_extractors(
    store: ClaimStore, person: str, *, scope: str | None = None, order: str = "corrected", authenticated: bool = False
) -> ExtractorTable:
    """Return what became of what each extractor version made, in the scopes of which the person sees everything.

    Raises:
        Refusal: `bad_value`: no such order.
    """
    if order not in EXTRACTOR_ORDERS:
        raise Refusal(Code.BAD_VALUE, f"Extractors are ranked by {', '.join(EXTRACTOR_ORDERS)}, not by {order[:40]!r}.")
    found: dict[tuple[str, str, str], ExtractorRow] = {}
    hidden = 0
    with read(store, person, authenticated=authenticated) as reading:
        for number, tenant in tenants_of(reading):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            scopes = load_scopes(reading.connection, number)
            shown = {one for one, path in scopes.items() if reading.actor.may(Right.INSPECT, path)}
            inside = {one for one, path in scopes.items() if scope is None or covers(scope, path)}
            for made in _counted(reading, number):
                if made.scope not in inside:
                    continue
                if made.scope not in shown:
                    hidden += made.count
                    continue
                name = (tenant, made.method or "", made.version or "")
                _add(found.setdefault(name, ExtractorRow(*name)), made)
    return ExtractorTable(tuple(sorted(found.values(), key=lambda row: _rank(row, order))), hidden)


def _rank(row: ExtractorRow, order: str) -> tuple[float, int, str, str, str]:
    first = {"corrected": row.corrected_share, "rejected": row.rejected_share, "proposed": row.proposed, "accepted": row.accepted, "name": 0}[order]
    return -first, 0 if order == "name" else -row.proposed, row.method.casefold(), row.version, row.tenant


def _add(row: ExtractorRow, made: Made) -> None:
    n = made.count
    row.proposed += n
    row.waiting += n if made.status == Status.CANDIDATE else 0
    row.served += n if made.status == Status.ACCEPTED else 0
    row.accepted += n if made.accepted else 0
    row.corrected += n if made.corrected else 0
    if made.status == Status.REJECTED:
        row.rejected += n
        row.routes[made.route or ""] = row.routes.get(made.route or "", 0) + n


def _counted(reading: Reading, tenant: int) -> Sequence[Made]:
    """Return the counts as this reading sees them, counted anew once something happened."""
    seq = reading.snapshot(tenant).seq
    with _lock:
        mine = _kept.setdefault(reading.store.snapshots, {})
        kept = mine.get(tenant)
        if kept is None or kept[0] != seq:
            kept = mine[tenant] = (seq, count_made_by(reading.connection, tenant))
        return kept[1]
