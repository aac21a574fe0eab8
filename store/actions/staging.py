"""Reading bundle files into staging: every line parsed and checked on its own before any lock is taken."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from store.domain.bundle import Item, LineError, parse_line
from store.domain.correction_line import CorrectionEntry
from store.domain.errors import Code, Refusal
from store.domain.message_line import MessageEntry, RemedyEntry
from store.domain.records import Artifact, Claim, ConflictEntry, Evidence, Person, Policy, ReadEntry, Record, Source, TriggerEntry
from store.domain.renditions import render
from store.domain.status import KIND_WORD, Status
from store.domain.tombstones import Tombstone, bare
from store.domain.values import Predicate

Progress = Callable[[str, int, int], None]
_PROGRESS_EVERY = 2000


@dataclass(slots=True)
class Staged:
    """A record's line: what deciding its place needs; its content waits in the spool.

    Attributes:
        parents: ids it rests on.
        place: where its content stands in the spool.
        tenant: whose it is, once its source or scope said so.
        stated_text: the line says what text was taken out of the version's bytes.
        version: of a captured version, its number.
        gone: what it is, where the line says only that the record is forgotten, or is being.
    """

    line: int
    id: str
    kind: str
    scope: str | None
    source: str | None
    parents: frozenset[str]
    wanted: str | None
    superseded_by: str | None
    route: str | None
    content_hash: str
    proposed_by: str | None
    place: int
    assumed_utc: bool
    tenant: str | None = None
    sha256: str | None = None
    stated_text: bool = False
    gone: Status | None = None
    version: int | None = None


@dataclass(slots=True)
class Staging:
    """Everything of the files, sorted by what it is; records' content is kept on disk, so memory stays small."""

    records: list[Staged] = field(default_factory=list)
    sources: list[tuple[int, Source]] = field(default_factory=list)
    people: list[tuple[int, Person]] = field(default_factory=list)
    predicates: list[tuple[int, Predicate]] = field(default_factory=list)
    policies: list[tuple[int, Policy]] = field(default_factory=list)
    reads: list[tuple[int, ReadEntry]] = field(default_factory=list)
    conflicts: list[tuple[int, ConflictEntry]] = field(default_factory=list)
    corrections: list[tuple[int, CorrectionEntry]] = field(default_factory=list)
    triggers: list[tuple[int, TriggerEntry]] = field(default_factory=list)
    messages: list[tuple[int, MessageEntry]] = field(default_factory=list)
    remedies: list[tuple[int, RemedyEntry]] = field(default_factory=list)
    rejected: list[LineError] = field(default_factory=list)
    lines: int = 0
    #: Goes over every raw line, so that an operation id stands for these very lines.
    digest: Any = field(default_factory=hashlib.sha256)
    #: Tenant of each read line, by line number, once its records said so.
    read_tenants: dict[int, str] = field(default_factory=dict)
    _spool: IO[bytes] = field(default_factory=lambda: tempfile.SpooledTemporaryFile(max_size=32 * 1024 * 1024))  # noqa: SIM115

    def reject(self, line: int, record_id: str | None, code: Code, message: str) -> None:
        """Note that a line is not taken."""
        self.rejected.append(LineError(line, record_id, code, f"Line {line} was not taken: {message}"))

    def keep(self, record: Record) -> int:
        """Put a record's content into the spool and return its place."""
        place = self._spool.seek(0, 2)
        pickle.dump(record, self._spool, protocol=5)
        return place

    def content(self, staged: Staged) -> Record:
        """Return a record's content from the spool."""
        self._spool.seek(staged.place)
        record: Record = pickle.load(self._spool)  # noqa: S301 - written by `keep` a moment ago, in a file of our own
        return record

    def contents(self, wanted: Iterable[Staged]) -> Iterator[tuple[Staged, Record]]:
        """Yield records with their content."""
        for staged in wanted:
            yield staged, self.content(staged)

    def close(self) -> None:
        """Drop the spool."""
        self._spool.close()


def _reader(folder: Path) -> Callable[[str], bytes]:
    root = folder.resolve()

    def read_file(name: str) -> bytes:
        path = (root / name).resolve()
        if Path(name).is_absolute() or not path.is_relative_to(root) or not path.is_file():
            raise ValueError(f"{name[:80]!r} is no plain file below the bundle's folder")
        return path.read_bytes()

    return read_file


def _stage(staging: Staging, number: int, item: Item | LineError) -> None:
    match item:
        case LineError():
            staging.rejected.append(item)
        case Claim() | Artifact():
            kind = "claim" if isinstance(item, Claim) else "artifact"
            staging.records.append(Staged(
                number, item.id, kind, item.scope, None, frozenset(item.parents()), item.standing.status, item.standing.superseded_by,
                item.standing.route, item.content_hash(), item.proposed_by, staging.keep(item), bool(item.assumed_utc),
            ))  # fmt: skip
        case Evidence():
            try:
                item = item if item.stated else replace(item, rendition=render(item.content, item.media_type))
            except Refusal as refusal:
                why = refusal.message.removesuffix(" Nothing was saved.")
                staging.reject(number, item.id, refusal.code, f'{why} Or write "rendition": null to keep it without text.')
                return
            staging.records.append(Staged(
                number, item.id, "evidence", None, item.source, frozenset(), item.standing.status, item.standing.superseded_by,
                item.standing.route, item.content_hash(), None, staging.keep(item), bool(item.assumed_utc), None, item.sha256, item.rendition is not None and item.stated,
                version=item.version,
            ))  # fmt: skip
        case Tombstone():
            place = staging.keep(bare(item.id, "", item.kind))
            staging.records.append(Staged(number, item.id, KIND_WORD[item.kind], None, None, frozenset(), None, None, None, "", None, place, False, gone=item.status))
        case Source():
            staging.sources.append((number, item))
        case Person():
            staging.people.append((number, item))
        case Predicate():
            staging.predicates.append((number, item))
        case Policy():
            staging.policies.append((number, item))
        case ReadEntry():
            staging.reads.append((number, item))
        case ConflictEntry():
            staging.conflicts.append((number, item))
        case CorrectionEntry():
            staging.corrections.append((number, item))
        case TriggerEntry():
            staging.triggers.append((number, item))
        case MessageEntry():
            staging.messages.append((number, item))
        case RemedyEntry():
            staging.remedies.append((number, item))


def stage_files(paths: list[Path], default_scope: str | None, progress: Progress | None = None) -> Staging:
    """Return the lines of bundle files, parsed. Lines are numbered through all files.

    Raises:
        Refusal: a file cannot be read.
    """
    staging = Staging()
    for path in paths:
        try:
            with path.open("rb") as file:
                stage_lines(staging, file, default_scope, _reader(path.parent), progress, path.stat().st_size)
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise Refusal(Code.NOT_FOUND, f"{path} was not imported: {reason}. Nothing was saved. Check the name.") from None
    return staging


def stage_lines(
    staging: Staging,
    lines: Iterable[bytes],
    default_scope: str | None,
    read_file: Callable[[str], bytes] | None = None,
    progress: Progress | None = None,
    size: int = 0,
) -> Staging:
    """Parse `lines` into `staging`."""
    done = 0
    for raw in lines:
        staging.lines += 1
        staging.digest.update(raw)
        done += len(raw)
        if raw.strip():
            _stage(staging, staging.lines, parse_line(staging.lines, raw.rstrip(b"\r\n"), default_scope, read_file))
        if progress and staging.lines % _PROGRESS_EVERY == 0:
            progress("reading", done, size)
    return staging
