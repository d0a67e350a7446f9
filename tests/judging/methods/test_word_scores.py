import pytest

from jurybox_formats.sets.prompt_sets import word_counts
from jurybox_judging.methods import word_scores


def test_words_are_counted_as_often_as_they_are_expected_whatever_their_case():
    found = word_counts.count_words(
        "the café, the OPEN sign", "THE café Sign open", "en", as_written=False
    )
    assert found == (4, 5)  # “the” is there once of twice


def test_as_written_another_case_is_another_word():
    found = word_counts.count_words("OPEN sign", "open sign!", "en", as_written=True)
    assert found == (1, 2)


def test_chinese_is_counted_by_characters():
    assert word_counts.count_words("今日特价", "今 特特", "zh", as_written=True) == (2, 4)
    assert word_counts.language_of("SALE 今日") == "zh"


def test_missing_words_come_in_the_order_of_the_text_as_they_are_written():
    missing = word_scores.missing_words("No Entry, no exit", "no exit", "en", as_written=False)
    assert missing == ["Entry", "no"]


def test_edits_are_shares_of_the_longer_and_of_the_expected_text():
    assert word_scores.edit_share("abcd", "abxd") == 0.75
    assert word_scores.edit_share("ab", "abcd") == 0.5
    assert word_scores.character_share("ab", "abcd") == 0.0
    assert word_scores.character_share("abcd", "abc") == 0.75
    assert word_scores.character_share("ab", "abcdefgh") == 0.0  # not below


def test_nothing_expected_is_no_number():
    with pytest.raises(ValueError, match="no text to be read"):
        word_scores.character_share("  ", "abc")
    with pytest.raises(ValueError, match="no share"):
        word_scores.long_text([("!", "x")], "en")


def test_one_ig_joins_edits_flawless_pictures_and_words_to_one_number():
    """One picture of two without edits; 4 of 5 words; 3 edits in the other, 1.5 on average."""
    told = word_scores.one_ig_text([("a b", "a b"), ("one two six", "one two")], "en")
    assert told.distances == [0, 4]
    assert (told.mean_distance, told.flawless, told.words) == (2.0, 0.5, 0.8)
    assert told.score == pytest.approx(1 - 2.0 * 0.5 * 0.2 / 100)
