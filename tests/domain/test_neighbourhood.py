"""What stands around a record: distances, lines and ways as networkx finds them; boxes that sum up; nothing drawn ever moves."""

import networkx as nx
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from store.domain.bundles import CHAIN, HIDDEN, LIMIT, OPENED, Facts, bundle, compose
from store.domain.layout import place_outward, squeeze_in
from store.domain.neighbourhood import find_ways, gather, gather_ways
from store.domain.reach import Graph
from store.domain.status import Kind, Status

#: Lines of an acyclic graph over the records 1 to 40: from a lower number to a higher.
LINES = st.sets(st.tuples(st.integers(1, 40), st.integers(1, 40)).filter(lambda line: line[0] < line[1]), max_size=140)
STEPS = st.one_of(st.none(), st.integers(0, 4))


def graph_of(lines, size=41):
    return Graph(size, np.array(sorted((parent << 32) | child for parent, child in lines), dtype=np.int64))


def facts_of(found, *, label=lambda record: 0, unseen=()):
    records = found.records.tolist()
    return Facts(
        kind=np.array([int(Kind.CLAIM if record % 3 else Kind.ARTIFACT) for record in records], dtype=np.int8),
        status=np.array([int(Status.STALE if record % 5 == 0 else Status.ACCEPTED) for record in records], dtype=np.int8),
        delivered=np.array([record % 7 == 0 for record in records]), high=np.array([record % 11 == 0 for record in records]),
        children=np.array(records, dtype=np.int64), label=np.array([label(record) for record in records], dtype=np.int64), labels={0: "says", 1: "holds"},
        seen=np.array([record not in unseen for record in records]),
    )  # fmt: skip


def picture(found, opened=None, **facts):
    return compose(found, bundle(found, facts_of(found, **facts)), opened or {})


def stands(boxes):
    return {box.key: (box.column, box.row) for box in boxes.boxes}


def hub(children, deeper=()):
    return gather(graph_of([(1, n) for n in range(2, children + 2)] + list(deeper), children + 10), 1, None, None)


@given(LINES, st.integers(1, 40), STEPS, STEPS)
def test_a_neighbourhood_holds_exactly_what_is_at_most_so_many_steps_away(lines, focus, up, down):
    found = gather(graph_of(lines), focus, up, down)
    whole = nx.DiGraph(list(lines))
    whole.add_node(focus)
    wanted = {record: steps for record, steps in nx.single_source_shortest_path_length(whole, focus, cutoff=down).items()}
    wanted |= {record: -steps for record, steps in nx.single_source_shortest_path_length(whole.reverse(), focus, cutoff=up).items()}

    assert dict(zip(found.records.tolist(), found.step.tolist(), strict=True)) == wanted
    assert found.records[0] == focus
    assert sorted(map(tuple, found.lines.tolist())) == sorted(line for line in lines if line[0] in wanted and line[1] in wanted)
    for record, step, via in zip(found.records.tolist(), found.step.tolist(), found.via.tolist(), strict=True):
        if step:
            assert ((via, record) if step > 0 else (record, via)) in lines
            assert abs(wanted[via]) == abs(step) - 1


def test_a_wide_level_is_walked_as_a_narrow_one_is():
    found = hub(300, [(n, 305) for n in range(2, 302)])

    assert dict(zip(*np.unique(found.step, return_counts=True), strict=True)) == {0: 1, 1: 300, 2: 1}
    assert found.widest() == 300


@given(LINES, st.integers(1, 40), st.integers(1, 40))
def test_ways_between_two_records_are_all_the_shortest_ones(lines, one, other):
    assume(one != other)
    ways = find_ways(graph_of(lines), one, other, 10_000)
    whole = nx.DiGraph(list(lines))
    whole.add_nodes_from((one, other))
    start, end = (one, other) if nx.has_path(whole, one, other) else (other, one)
    wanted = sorted(map(tuple, nx.all_shortest_paths(whole, start, end))) if nx.has_path(whole, start, end) else None

    if wanted is None:
        assert ways is None
    else:
        assert ways is not None
        assert sorted(ways.listed) == wanted
        assert ways.count == len(wanted)
        assert set(ways.on) == {record for way in wanted for record in way}
        around = gather_ways(graph_of(lines), one, ways)
        assert set(around.records.tolist()) == set(ways.on)
        assert around.step.tolist()[0] == 0
        assert {int(step) > 0 for step in around.step[1:]} == {start == one}


def test_more_ways_than_can_be_listed_are_still_counted():
    lines = [(1, 2), (1, 3)]
    for n in range(2, 60, 2):  # a ladder: two ways at every rung
        lines += [(n, n + 2), (n, n + 3), (n + 1, n + 2), (n + 1, n + 3)]
    ways = find_ways(graph_of(lines, 100), 1, 60, 5)

    assert ways.count == 2 ** (ways.length - 1)
    assert len(ways.listed) == 5
    assert all(len(way) == ways.length + 1 for way in ways.listed)


@given(LINES, st.integers(1, 40), STEPS, STEPS, st.sets(st.integers(1, 40), max_size=6), st.dictionaries(st.integers(0, 8), st.integers(1, 30), max_size=4))
def test_every_record_is_in_exactly_one_box_and_every_line_is_told_once(lines, focus, up, down, unseen, openings):
    found = gather(graph_of(lines), focus, up, down)
    bundles = bundle(found, facts_of(found, label=lambda record: record % 2, unseen=unseen - {focus}))
    opened = {bundles[n].key: more for n, more in openings.items() if n < len(bundles)}
    boxes = compose(found, bundles, opened)

    assert sorted(place for box in boxes.boxes for place in box.members) == list(range(len(found)))
    assert len({box.key for box in boxes.boxes}) == len(boxes.boxes)
    box_of = {int(found.records[place]): n for n, box in enumerate(boxes.boxes) for place in box.members}
    wanted = {}
    for parent, child in found.lines.tolist():
        pair = (box_of[parent], box_of[child])
        if pair[0] != pair[1]:
            wanted[pair] = wanted.get(pair, 0) + 1
    assert dict(boxes.links) == wanted
    single = {int(found.records[box.members[0]]) for box in boxes.boxes if box.bundle is None}
    assert not single & (unseen - {focus})
    for column in {box.column for box in boxes.boxes}:
        rows = sorted(box.row for box in boxes.boxes if box.column == column)
        assert all(below - above > 0.999 for above, below in zip(rows, rows[1:], strict=False))


@given(LINES, st.integers(1, 40), st.lists(st.integers(0, 8), min_size=1, max_size=5))
def test_opening_bundles_moves_nothing_that_was_drawn(lines, focus, openings):
    found = gather(graph_of(lines), focus, None, None)
    bundles = bundle(found, facts_of(found, label=lambda record: record % 2))
    opened, before = {}, stands(compose(found, bundles, {}))
    for n in openings:
        if n < len(bundles):
            key = bundles[n].key
            opened[key] = opened.get(key, 0) + 3
            after = stands(compose(found, bundles, opened))
            if list(opened)[-1] == key:  # an earlier bundle opened further comes before the later ones
                assert {key: place for key, place in after.items() if key in before} == {key: place for key, place in before.items() if key in after}
            before = after


@given(LINES, st.integers(1, 40))
def test_looking_farther_moves_nothing_that_stands_nearer(lines, focus):
    graph = graph_of(lines)
    near, far = gather(graph, focus, 1, 1), gather(graph, focus, 3, 3)
    near_bundles, far_bundles = bundle(near, facts_of(near)), bundle(far, facts_of(far))
    assume(not any(one.form == CHAIN for one in far_bundles))
    before, after = stands(compose(near, near_bundles, {})), stands(compose(far, far_bundles, {}))

    assert {key: after.get(key) for key in before} == before


def test_a_fan_is_drawn_as_a_few_and_the_rest_opens_ten_at_a_time():
    found = hub(10_000)
    boxes = picture(found, label=lambda record: record % 2)

    assert len(boxes.boxes) < 40
    rest = [box for box in boxes.boxes if box.bundle is not None]
    assert sum(len(box.members) for box in rest) + sum(box.bundle is None for box in boxes.boxes) == 10_001
    more = picture(found, {rest[0].key: OPENED}, label=lambda record: record % 2)
    assert len(more.boxes) == len(boxes.boxes) + OPENED


def test_what_to_look_at_first_is_drawn_first():
    found = hub(200)
    drawn = [int(found.records[box.members[0]]) for box in picture(found).boxes if box.bundle is None][1:]

    assert all(record % 7 == 0 for record in drawn), "the delivered ones"
    assert {105} | {35, 70, 140, 175} <= set(drawn), "of them, those that need re-validation"


def test_a_picture_has_a_limit_and_says_when_it_cut_something():
    found = hub(1000)
    rest = next(box for box in picture(found).boxes if box.bundle is not None)
    boxes = picture(found, {rest.key: 900})

    assert boxes.cut
    assert sum(box.bundle is None for box in boxes.boxes) == LIMIT
    assert not picture(found, {rest.key: 20}).cut


def test_a_chain_is_one_box_and_opens_from_the_focus_outwards():
    found = gather(graph_of([(n, n + 1) for n in range(1, 501)], 510), 1, None, None)
    boxes = picture(found)

    assert [(len(box.members), box.column) for box in boxes.boxes] == [(1, 0), (499, 1), (1, 2)]
    opened = picture(found, {boxes.boxes[1].key: 10})
    assert [int(found.records[box.members[0]]) for box in opened.boxes if box.bundle is None] == [1, 501, *range(2, 12)]
    assert len(next(box for box in opened.boxes if box.bundle is not None).members) == 489


def test_a_short_run_is_drawn_as_it_is():
    found = gather(graph_of([(1, 2), (2, 3), (3, 4)], 10), 1, None, None)

    assert all(box.bundle is None for box in picture(found).boxes)


def test_hidden_records_are_counted_and_never_open():
    found = hub(20)
    unseen = set(range(2, 9))
    boxes = picture(found, {"1.hidden": 10}, unseen=unseen)
    hidden = [box for box in boxes.boxes if box.bundle is not None and box.bundle.form == HIDDEN]

    assert [len(box.members) for box in hidden] == [7]


def test_an_unknown_bundle_in_an_address_changes_nothing():
    found = hub(100)

    assert stands(picture(found, {"no such bundle": 10, "1.claim.": -3})) == stands(picture(found))


def test_claims_of_a_frequent_predicate_are_a_bundle_of_their_own():
    found = hub(60)
    keys = {one.key for one in bundle(found, facts_of(found, label=lambda record: record % 2))}

    assert keys == {"1.artifact.says", "1.artifact.holds", "1.claim.says", "1.claim.holds"}


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.data())
def test_boxes_of_a_column_keep_their_distance(columns, data):
    columns = [0, *columns]
    pairs = st.tuples(st.integers(0, len(columns) - 1), st.integers(0, len(columns) - 1)).filter(lambda pair: pair[0] != pair[1])
    rows = place_outward(columns, data.draw(st.lists(pairs, max_size=40)))

    for column in set(columns):
        its = sorted(row for row, where in zip(rows, columns, strict=True) if where == column)
        assert all(below - above > 0.999 for above, below in zip(its, its[1:], strict=False))


@given(st.floats(-20, 20), st.lists(st.integers(-20, 20), max_size=20, unique=True))
def test_what_is_squeezed_in_touches_nothing(wanted, taken):
    found = squeeze_in(wanted, taken)

    assert all(abs(found - row) > 0.999 for row in taken)
