"""How well detection does on the labelled lines, by kind and language: `python -m tests.domain.labelled`, with `-v` every miss."""

import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from store.domain.detection import find_sensitive
from store.domain.records import Claim
from store.domain.watch_words import words_of

FILE = Path(__file__).with_name("labelled_sensitive.jsonl")


@cache
def lines():
    return tuple(json.loads(line) for line in FILE.read_text("utf-8").splitlines())


def found_in(line):
    record = Claim(line["id"], "acme", line["subject"], line["predicate"], line["text"])
    return {flag.kind for flag in find_sensitive(record, words_of({}))}


def measure():
    """(language, kind) -> [right, wrong, missed]; a harmless line that is flagged counts against the kind it was flagged as, and as `harmless` once."""
    counts = {}
    for line in lines():
        found, wanted = found_in(line), set(line["kinds"])
        for kind in found | wanted:
            one = counts.setdefault((line["language"], kind), Counter())
            one["right"] += kind in found and kind in wanted
            one["wrong"] += kind in found - wanted
            one["missed"] += kind in wanted - found
    return counts


def shares(counts):
    """Precision and recall of some counts; None where there is nothing to divide by."""
    right, wrong, missed = (sum(one[name] for one in counts) for name in ("right", "wrong", "missed"))
    return right / (right + wrong) if right + wrong else None, right / (right + missed) if right + missed else None


if __name__ == "__main__":
    measured = measure()
    for language in ("en", "zh"):
        for kind in sorted({kind for its, kind in measured if its == language}):
            one = measured[language, kind]
            print(language, f"{kind:10}", dict(one), "precision {} recall {}".format(*(f"{share:.2f}" if share is not None else "-" for share in shares([one]))))
        print(language, "all       ", "precision {:.3f} recall {:.3f}".format(*shares([one for (its, _), one in measured.items() if its == language])))
    if "-v" in sys.argv:
        for line in lines():
            if found_in(line) != set(line["kinds"]):
                print(line["id"], line["kinds"], sorted(found_in(line)), line["text"])
