import pytest

from annotations.imports.check_labels import scale_words
from jurybox_formats.forms.scales import Scale, inferred


@pytest.mark.parametrize(
    ("values", "kind", "low", "high", "words"),
    [
        ({0, 1}, "yes/no", 0, 1, "yes/no (0 and 1)"),
        ({1}, "yes/no", 0, 1, "yes/no (0 and 1)"),
        ({1, 5}, "rating", 1, 5, "a rating from 1 to 5"),
        ({2, 3}, "rating", 1, 5, "a rating from 1 to 5"),
        ({0, 5}, "number", 0, 5, "a number from 0 to 5"),
        ({1, 6}, "number", 1, 6, "a number from 1 to 6"),
        ({1.5, 4}, "number", 1.5, 4, "a number from 1.5 to 4"),
    ],
)
def test_a_scale_is_inferred_from_its_answers(values, kind, low, high, words):
    scale = inferred(values)
    assert (scale.kind, scale.low, scale.high) == (kind, low, high)
    assert scale_words(values) == words


def test_without_a_number_the_import_speaks_of_text_and_a_report_of_yes_and_no():
    assert inferred([]).is_yes_no
    assert scale_words(set()) == "text, which no statistic uses"


@pytest.mark.parametrize(
    ("scale", "ends"),
    [
        (Scale("yes/no", 0, 1), (0, 1)),
        (Scale("rating", 1, 5), (1, 5)),
        (Scale("number", 0, 1), (0, 1)),
        # Perhaps nobody gave the lowest or the highest yet.
        (Scale("number", 0, 5), None),
    ],
)
def test_where_a_scale_ends_is_known_but_of_numbers_beyond_0_to_1(scale, ends):
    assert scale.ends == ends
