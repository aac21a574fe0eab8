"""What was read lately about subjects of very many claims: their page is drawn again and again, and nothing of it changes between two events."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from threading import Lock
from typing import TypeVar

from store.db.renditions import keep_until_forgotten
from store.db.subjects import Held, Spoken, load_held, moved_subjects, sources_spoken
from store.db.transaction import Reading

T = TypeVar("T")

#: Lists that are kept, and how long one has to be to be worth it.
_MOST, _LEAST = 6, 500
_kept: OrderedDict[tuple[object, ...], Sequence[object]] = OrderedDict()
_lock = Lock()


@keep_until_forgotten
def _forget() -> None:
    with _lock:
        _kept.clear()


class SubjectMemory:
    """Reads of one tenant as it stands after an event, from memory where they are known."""

    def __init__(self, reading: Reading, tenant: int, seq: int) -> None:
        """Take `seq`, the tenant's event that `reading` sees last."""
        self._connection, self._tenant = reading.connection, tenant
        self._place = (f"{reading.store.lineage}:{reading.store.url}", tenant, seq)
        with _lock:
            # What an earlier event left is not asked for again.
            for old in [one for one in _kept if one[:2] == self._place[:2] and one[2] != seq]:
                del _kept[old]

    def held(self, subject: str, scopes: Collection[int]) -> list[Held]:
        """Return what `load_held` does."""
        return self._once(("held", subject, tuple(sorted(scopes))), lambda: load_held(self._connection, self._tenant, subject, scopes))

    def spoken(self, records: Sequence[int]) -> list[Spoken]:
        """Return what `sources_spoken` does."""
        return self._of(records, "spoken", sources_spoken)

    def moved(self, records: Sequence[int]) -> list[tuple[int, int, str]]:
        """Return what `moved_subjects` does."""
        return self._of(records, "moved", moved_subjects)

    def _of(self, records: Sequence[int], what: str, read: Callable[..., list[T]]) -> list[T]:
        def now() -> list[T]:
            return read(self._connection, self._tenant, records)

        return now() if len(records) < _LEAST else self._once((what, tuple(records)), now, least=0)

    def _once(self, name: tuple[object, ...], read: Callable[[], list[T]], least: int = _LEAST) -> list[T]:
        key = (*self._place, *name)
        with _lock:
            known = _kept.get(key)
            if known is not None:
                _kept.move_to_end(key)
                return list(known)  # type: ignore[arg-type]
        found = read()
        if len(found) >= least:
            with _lock:
                _kept[key] = tuple(found)
                while len(_kept) > _MOST:
                    _kept.popitem(last=False)
        return found
