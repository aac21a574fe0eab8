"""What the synthetic records say: ids, sources, subjects, owners, dates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from store.bench.shape import Shape
from store.domain.records import Artifact, Binding, Claim, Delivery, Evidence, Record
from store.domain.status import Kind
from store.domain.text import digest_bytes
from store.domain.times import parse_time

TENANT = "bench"
SCOPES = [TENANT, *(f"{TENANT}/desk-{n:02d}" for n in range(39))]
OWNERS = [f"owner-{n:03d}" for n in range(200)]
FEED = "feed"
_PREDICATES = [f"figure_{n:02d}" for n in range(40)]
_DAY = 24 * 3600 * 1_000_000
_LONG_AGO = parse_time("2025-01-01T00:00:00Z")[0]
_EXPIRED = parse_time("2025-06-30T00:00:00Z")[0]
_LATER = parse_time("2040-01-01T00:00:00Z")[0]
_REVIEW = parse_time("2035-01-01T00:00:00Z")[0]
_CONTENT = b"Figures as published, one per line."
SHA256 = digest_bytes(_CONTENT)


@dataclass(slots=True)
class Texts:
    """Names of the synthetic records."""

    shape: Shape
    ids: list[str]
    kind: list[int]
    source: dict[int, str]
    version: dict[int, int]
    partner: dict[int, int]
    expires: dict[int, int]

    @classmethod
    def of(cls, shape: Shape, seed: int = 11) -> Texts:
        """Return the names of a shape's records: the roots of the large case are the versions of one source."""
        random = np.random.default_rng(seed)
        source: dict[int, str] = {}
        version: dict[int, int] = {}
        for n, record in enumerate(shape.cases["large"].roots.tolist(), 1):
            source[record], version[record] = FEED, n
        ids = [""] * shape.size
        for record, kind in enumerate(shape.kind.tolist()):
            if kind == Kind.EVIDENCE:
                source.setdefault(record, f"S{record}")
                version.setdefault(record, 1)
                ids[record] = f"{source[record]}@{version[record]}"
            else:
                ids[record] = f"{'R' if kind == Kind.ARTIFACT else 'C'}{record}"
        claims = np.flatnonzero(shape.kind == Kind.CLAIM)
        some = random.choice(claims, size=len(claims) * 23 // 1000, replace=False)
        in_pairs = {record for pair in shape.pairs for record in pair}
        expires = {record: _EXPIRED if n % 5 == 0 else _LATER for n, record in enumerate(some.tolist()) if record not in in_pairs}
        partner = {other: one for one, other in shape.pairs}
        return cls(shape, ids, shape.kind.tolist(), source, version, partner, expires)

    def subject(self, record: int) -> tuple[str, str, dict[str, str]]:
        """Return subject, predicate and qualifiers of a claim: its own, or those of the one it contradicts."""
        n = self.partner.get(record, record)
        return f"fund-{n // 40}", _PREDICATES[n % 40], {"as_of": f"20{10 + n % 16}-{1 + n % 12:02d}-28"}

    def scope(self, record: int) -> str:
        """Return a record's scope."""
        return SCOPES[int(self.shape.scope[record])]

    def owner(self, record: int) -> str:
        """Return a record's owner."""
        return OWNERS[int(self.shape.owner[record])]

    def proposer(self, record: int) -> str:
        """Return the program that proposed a claim."""
        return f"agent-{record % 7}"

    def review(self, record: int) -> int:
        """Return a claim's review date."""
        return _REVIEW + record % 3000 * _DAY

    def statement(self, record: int) -> str:
        """Return a claim's sentence."""
        subject, predicate, _ = self.subject(record)
        return f"{subject} reported {predicate.replace('_', ' ')} of {record * 1000} USD"

    def build(self, record: int) -> Record:
        """Return a record's content."""
        kind, shape = self.shape.kind[record], self.shape
        if kind == Kind.EVIDENCE:
            captured = _LONG_AGO + record * 1_000_000
            return Evidence(self.ids[record], self.source[record], self.version[record], captured, "text/plain", SHA256, _CONTENT)
        parents = shape.graph.parents.of(record).tolist()
        owner = self.owner(record)
        if kind == Kind.ARTIFACT:
            deliveries = tuple(
                Delivery(f"client-{record * 7 % 500 + n}", "email", _LONG_AGO + record * 1_000_000, f"op-{record}-{n}") for n in range(record % 3 + 1)
            )
            return Artifact(
                self.ids[record], self.scope(record), "report", f"Report {record}", owner, "normal", tuple(sorted(self.ids[one] for one in parents)),
                body=f"What desk {int(shape.scope[record])} says this quarter.", deliveries=deliveries if record % 5 == 0 else (),
            )  # fmt: skip
        subject, predicate, qualifiers = self.subject(record)
        bound = [self.ids[one] for one in parents if shape.kind[one] == Kind.EVIDENCE]
        above = sorted(self.ids[one] for one in parents if shape.kind[one] != Kind.EVIDENCE)
        return Claim(
            self.ids[record], self.scope(record), subject, predicate, {"amount": record * 1000, "currency": "USD"}, qualifiers,
            evidence=tuple(Binding(one) for one in bound), derived_from=tuple(above), expires_at=self.expires.get(record),
            review_at=self.review(record), authority="fund_report", owner=owner,
            extraction={"method": "table-reader", "version": "2.1"}, entity_confidence=0.98, proposed_by=self.proposer(record),
            statement=self.statement(record),
        )  # fmt: skip
