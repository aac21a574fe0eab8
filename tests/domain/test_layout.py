"""Where boxes of a picture stand: layers by the longest path, rows by the neighbours, always the same."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from store.domain.layout import layer, place


def test_a_layer_is_the_longest_path_and_a_cycle_is_one_layer():
    assert layer([(1, 2), (2, 3), (1, 3)]) == {1: 0, 2: 1, 3: 2}
    assert layer([(1, 2), (2, 1), (2, 3)]) == {1: 0, 2: 0, 3: 1}
    assert layer([], [7]) == {7: 0}


edges = st.sets(st.tuples(st.integers(1, 14), st.integers(1, 14)), max_size=40).map(lambda pairs: {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})


@settings(deadline=None)
@given(edges)
def test_every_edge_goes_right_no_two_boxes_share_a_place_and_the_order_of_input_does_not_matter(pairs):
    levels = layer(pairs)
    placed = place(levels, dict.fromkeys(sorted(pairs), 1))

    assert all(placed[source][0] < placed[target][0] for source, target in pairs)
    assert len(set(placed.values())) == len(placed)
    assert placed == place(dict(reversed(levels.items())), dict.fromkeys(sorted(pairs, reverse=True), 1))
    graph = nx.DiGraph(sorted(pairs))
    assert not pairs or max(levels.values()) == nx.dag_longest_path_length(graph)


def test_straight_lines_do_not_cross():
    levels = {1: 0, 2: 0, 3: 1, 4: 1}
    placed = place(levels, {(1, 4): 1, (2, 3): 1})

    assert (placed[1][1] < placed[2][1]) == (placed[4][1] < placed[3][1])
