"""A reach in groups: counts sum to the total, and a picture of it has few boxes whatever the reach."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from store.domain.folding import Folded, Group, condense

groups = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(["claim", "artifact", "evidence"]), st.text("abcdef", min_size=1, max_size=3), st.integers(1, 5000), st.booleans()), max_size=120,
).map(lambda rows: tuple(Group(n, distance, "ACCEPTED", "STALE", kind, label, count, count if sent else 0) for n, (distance, kind, label, count, sent) in enumerate(rows)))  # fmt: skip


@settings(deadline=None)
@given(groups, st.data())
def test_a_drawing_has_at_most_thirty_boxes_and_loses_no_record(some, data):
    pairs = data.draw(st.dictionaries(st.tuples(st.integers(0, max(0, len(some) - 1)), st.integers(0, max(0, len(some) - 1))), st.integers(1, 9), max_size=60)) if some else {}
    drawing = condense(Folded(some, np.empty(0, np.int64), pairs))

    assert len(drawing.boxes) <= 30
    assert sum(box.count for box in drawing.boxes) == sum(group.count for group in some)
    assert sorted(number for box in drawing.boxes for number in box.groups) == [group.number for group in some]
    assert all(source != target for source, target in drawing.links)
