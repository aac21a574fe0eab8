"""What two texts differ in, as a person reads it."""

from store.domain.differences import ADDED, REMOVED, compare_texts, set_beside


def changed(old, new):
    """The words removed and added, as they are marked, and their counts."""
    found = compare_texts(old, new)
    removed = [piece.text.strip() for stretch in found.stretches for piece in stretch.left if piece.kind == REMOVED]
    added = [piece.text.strip() for stretch in found.stretches for piece in stretch.right if piece.kind == ADDED]
    return removed, added, (found.removed, found.added)


def test_a_figure_is_marked_whole_where_some_of_its_digits_changed():
    assert changed("The value was USD 96,400,000 in June.", "The value was USD 93,100,000 in June.") == (["96,400,000"], ["93,100,000"], (1, 1))
    assert changed("It grew by 3.9% then.", "It grew by 3.8% then.") == (["3.9"], ["3.8"], (1, 1))


def test_a_figure_at_the_end_of_a_sentence_leaves_the_full_stop_alone():
    assert changed("It was worth 31.2. Nothing else.", "It was worth 27.9. Nothing else.") == (["31.2"], ["27.9"], (1, 1))


def test_words_beside_a_figure_are_told_apart():
    assert changed("Fees of 1.4 % were paid.", "Fees of 1.4 % are paid.") == (["were"], ["are"], (1, 1))


def test_two_passages_stand_beside_each_other_word_for_word():
    old, new = "NAV was 179,500,000 USD\nin June.", "NAV was 181,900,000 USD\nin June."
    left, right = set_beside(old, new)
    assert ("".join(one.text for one in left), "".join(one.text for one in right)) == (old, new)
    assert [one.text.strip() for one in left if one.kind == REMOVED] == ["179,500,000"]
    assert [one.text.strip() for one in right if one.kind == ADDED] == ["181,900,000"]
    assert [one.kind for one in set_beside("same", "same")[0]] == ["same"]
