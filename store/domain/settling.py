"""How one rule settles many conflicts at once, and which it must leave alone (R12, R13).

A rule is `{"verdict": …, "prefer": …, "others": …}`:

    verdict   `keep` or `same` one value, `split` by validity, `none`, or `unclear`
    prefer    which value stays, for `keep` and `same`; exactly one of
                {"source": ID}, {"family": NAME}, {"collection": NAME}, {"authority": NAME}, {"origin": NAME, any of these},
                {"extractor": "METHOD" or "METHOD VERSION"}: what that one says; a list of names is tried in order
                {"newest": "observed" | "recorded" | "captured"}: what is newest
                {"independent": "most"}: what most independent sources say
    others    `superseded` by what stays (the default), or `revoked`

A conflict in which a rule does not name exactly one value is left alone, with the reason; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.domain.conflicts import Side, differ
from store.domain.fields import check_one_of, check_word
from store.domain.origins import collection_of, count_apart
from store.domain.strict_json import bad_value

RULE_VERDICTS = ("keep", "same", "split", "none", "unclear")
NAMING = ("source", "family", "collection", "authority", "origin", "extractor")
NEWEST = ("observed", "recorded", "captured")

NAMES_NOBODY = "The rule names no side of it."
NAMES_SEVERAL = "The rule names sides with different values."
NO_TIME = "A side does not say the time the rule goes by."
EQUALLY_NEW = "Sides with different values are equally new."
EQUALLY_MANY = "Different values have equally many independent sources."
STARTS_TOGETHER = "Sides with different values hold from the same moment on."
DECIDED_ALREADY = "It is closed already."
LEFT_OUT = "It was left out."
RESTS_ON_OTHER = "What would stay rests on a side that would go."
RESTS_ON_OTHERS = "What would stay rests on a claim that this plan takes out of use; settle it afterwards."
STILL_CONTRADICT = "Two of its sides would still contradict each other."
NOT_KEPT = "What would stay is suspended, and the policy keeps no such claims any more."
NOT_A_SIDE = "The claim to keep is none of its sides."
NO_RULE = "The plan says neither a rule for it nor which claim stays."


@dataclass(frozen=True, slots=True)
class Voice:
    """A side of a conflict as far as rules are concerned.

    Attributes:
        sources, families, authorities: of the evidence it is bound to, or that it rests on where it is bound to none.
        extractor: method and version.
        independent: (family, digest) of the captured versions it rests on that are accepted and unexpired.
        observed, captured: microseconds UTC, None where not said; `recorded`: number of the event that brought it.
    """

    side: Side
    id: str
    sources: frozenset[str]
    families: frozenset[str]
    authorities: frozenset[str]
    extractor: tuple[str, str] | None
    independent: frozenset[tuple[str, str]]
    observed: int | None
    recorded: int
    captured: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """The records of the value that stays, those the rule named first; or why the conflict is left alone."""

    keep: tuple[int, ...] = ()
    why: str | None = None


def check_rule(rule: Mapping[str, Any], *, chosen: bool = False) -> Mapping[str, Any]:
    """Return a rule if it is one.

    Args:
        chosen: the claims that stay are chosen one by one, so that nothing need be preferred.

    Raises:
        BadLine: with a sentence that says what does not fit.
    """
    unknown = set(rule) - {"verdict", "prefer", "others"}
    if unknown:
        raise bad_value(f"a rule holds verdict, prefer and others, not {min(unknown)!r}")
    verdict = check_one_of(*RULE_VERDICTS)("the verdict of a rule", rule.get("verdict"))
    if "others" in rule:
        check_one_of("superseded", "revoked")("others", rule["others"])
    if verdict not in ("keep", "same"):
        if "prefer" in rule:
            raise bad_value(f"the verdict {verdict} keeps no value, so there is nothing to prefer")
        return rule
    prefer = rule.get("prefer")
    if prefer is None and chosen:
        return rule
    if not isinstance(prefer, Mapping) or len(prefer) != 1:
        raise bad_value(f"the verdict {verdict} needs prefer with one of {', '.join((*NAMING, 'newest', 'independent'))}")
    ((way, value),) = prefer.items()
    if way == "newest":
        check_one_of(*NEWEST)("newest", value)
    elif way == "independent":
        check_one_of("most")("independent", value)
    elif way in NAMING:
        names = value if isinstance(value, list | tuple) else [value]
        if not names:
            raise bad_value(f"{way} names nobody")
        for name in names:
            check_word(way, name)
    else:
        raise bad_value(f"a rule prefers by one of {', '.join((*NAMING, 'newest', 'independent'))}, not by {str(way)[:40]!r}")
    return rule


def choose(rule: Mapping[str, Any], voices: Sequence[Voice]) -> Choice:
    """Return which value of a conflict a rule keeps; for the verdicts that keep none, neither value nor reason."""
    if rule["verdict"] not in ("keep", "same"):
        return Choice()
    if "prefer" not in rule:
        return Choice(why=NO_RULE)
    ((way, value),) = rule["prefer"].items()
    if way == "newest":
        return _newest(value, voices)
    if way == "independent":
        return _most_independent(voices)
    for name in value if isinstance(value, list | tuple) else [value]:
        named = [voice for voice in voices if _SPEAKS[way](voice, name)]
        if named:
            return keep_value(named, voices)
    return Choice(why=NAMES_NOBODY)


_SPEAKS: dict[str, Callable[[Voice, str], bool]] = {
    "source": lambda voice, name: name in voice.sources,
    "family": lambda voice, name: name in voice.families,
    "collection": lambda voice, name: name in {collection_of(source) for source in voice.sources},
    "authority": lambda voice, name: name in voice.authorities,
    "origin": lambda voice, name: any(_SPEAKS[way](voice, name) for way in ("source", "family", "collection", "authority")),
    "extractor": lambda voice, name: voice.extractor is not None and name in (voice.extractor[0], " ".join(voice.extractor)),
}


def keep_value(named: Sequence[Voice], voices: Sequence[Voice]) -> Choice:
    """Return everybody who says what `named` say, if those say one thing."""
    if any(differ(one.side, other.side) for one in named for other in named):
        return Choice(why=NAMES_SEVERAL)
    first = {voice.side.record for voice in named}
    alike = [voice for voice in voices if voice.side.record not in first and not any(differ(voice.side, one.side) for one in named)]
    if any(differ(one.side, other.side) for one in alike for other in alike):
        values = {voice.side.value for voice in named}
        alike = [voice for voice in alike if voice.side.value in values]
    return Choice((*(voice.side.record for voice in named), *(voice.side.record for voice in alike)))


def _newest(by: str, voices: Sequence[Voice]) -> Choice:
    times = {voice.side.record: getattr(voice, by) for voice in voices}
    if any(time is None for time in times.values()):
        return Choice(why=NO_TIME)
    latest = max(times.values())
    found = keep_value([voice for voice in voices if times[voice.side.record] == latest], voices)
    return Choice(why=EQUALLY_NEW) if found.why else found


def _most_independent(voices: Sequence[Voice]) -> Choice:
    found: list[tuple[int, Choice]] = []
    seen: set[int] = set()
    tolerant = any(voice.side.near is not None for voice in voices)
    alike: dict[int | None, list[Voice]] = {}
    for voice in voices:
        alike.setdefault(voice.side.value, []).append(voice)
    for voice in voices:
        if voice.side.record in seen:
            continue
        # Without a tolerance only what has the same code says the same; to ask every pair would take a key of thousands minutes.
        among = voices if tolerant else alike[voice.side.value]
        choice = keep_value([voice], among)
        kept = set(choice.keep)
        seen |= kept
        found.append((count_apart(root for one in among if one.side.record in kept for root in one.independent), choice))
    most = max(count for count, _ in found)
    best = [choice for count, choice in found if count == most]
    return best[0] if len(best) == 1 else Choice(why=EQUALLY_MANY)


def split_by_start(voices: Sequence[Voice]) -> dict[int, int] | str:
    """Return record -> where its validity is to end, so that each value holds until the next begins; or why that cannot be."""
    ends: dict[int, int] = {}
    for voice in voices:
        for other in voices:
            if not differ(voice.side, other.side) or max(voice.side.start, other.side.start) >= min(voice.side.end, other.side.end):
                continue
            if voice.side.start == other.side.start:
                return STARTS_TOGETHER
            earlier, later = sorted((voice.side, other.side), key=lambda side: side.start)
            ends[earlier.record] = min(ends.get(earlier.record, earlier.end), later.start)
    return ends
