"""Candidates are read document by document, in the order of their passages, and never before what they rest on."""

import random

import numpy as np

from store.domain.reading_order import NOWHERE, Spots, arrange, position_of


def arranged(spots, rests_on=None):
    """The order and the documents of candidates given as record -> (document, start)."""
    records = sorted(spots)
    column = lambda values: np.array(list(values), dtype=np.int64)  # noqa: E731
    pairs = [(parent, child) for child, parents in (rests_on or {}).items() for parent in parents]
    table = Spots(
        column(records), column(spots[one][0] for one in records), column(0 for _ in records), column(spots[one][1] for one in records), column(0 for _ in records)
    )
    found = arrange(table, column(one for one, _ in pairs), column(two for _, two in pairs))
    order = [record for _, record in sorted(zip(found.place.tolist(), found.record.tolist(), strict=True))]
    return order, dict(zip(found.record.tolist(), found.document.tolist(), strict=True))


def test_documents_follow_as_they_came_and_passages_as_they_stand():
    order, document = arranged({1: (70, 500), 2: (60, 10), 3: (70, 20), 5: (60, 5)})

    assert order == [5, 2, 3, 1]
    assert document == {1: 70, 2: 60, 3: 70, 5: 60}


def test_a_pointer_counts_its_numbers_as_numbers_and_nonsense_counts_as_the_beginning():
    assert position_of({"pointer": "/rows/9/nav"}) < position_of({"pointer": "/rows/10/nav"})
    assert position_of({"page": 3, "start": 7, "end": 9}) == (3, 7, "")
    assert position_of({"line_start": 4, "line_end": 4}) == (0, 4, "")
    assert position_of(None) == position_of({"start": True, "page": "x"}) == (0, 0, "")


def test_one_without_a_passage_follows_the_last_it_rests_on_and_others_come_last():
    spots = {1: (70, 5), 2: (70, 50), 3: (70, 90), 4: (NOWHERE, 0), 5: (NOWHERE, 0), 6: (NOWHERE, 0)}

    order, document = arranged(spots, {4: [1, 2], 5: [4]})

    assert order == [1, 2, 4, 5, 3, 6]
    assert (document[5], document[6]) == (70, NOWHERE)


def test_a_document_whose_claims_rest_on_another_comes_after_it():
    spots = {1: (60, 0), 2: (70, 0), 3: (60, 9)}

    assert arranged(spots)[0] == [1, 3, 2]
    assert arranged(spots, {1: [2]})[0] == [2, 1, 3]
    # Each rests on the other: parents still come first, and one document is split.
    assert arranged(spots, {1: [2], 2: [3]})[0] == [3, 2, 1]


def test_on_random_candidates_nothing_stands_before_what_it_rests_on_and_nobody_is_lost():
    chance = random.Random(5)
    for _ in range(60):
        records = sorted(chance.sample(range(1, 500), 40))
        spots = {one: (chance.randrange(1, 6), chance.randrange(900)) if chance.random() < 0.7 else (NOWHERE, 0) for one in records}
        rests_on = {}
        mixed = records[:]
        chance.shuffle(mixed)
        for place, one in enumerate(mixed):
            if place and chance.random() < 0.4:
                rests_on[one] = chance.sample(mixed[:place], min(place, chance.randrange(1, 4)))
        order, _ = arranged(spots, rests_on)

        assert sorted(order) == records
        assert all(order.index(parent) < order.index(child) for child, parents in rests_on.items() for parent in parents)
