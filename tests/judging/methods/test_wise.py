import pytest

from jurybox_judging.methods import wise


def test_the_old_grade_weighs_three_grades_of_0_to_2():
    assert wise.legacy_grade(2, 1, 0) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("edition", "number", "name"),
    [
        (wise.LEGACY, 400, "CULTURE"),
        (wise.LEGACY, 567, "TIME"),
        (wise.LEGACY, 568, "SPACE"),
        (wise.VERIFIED, 521, "SPACE"),
        (wise.VERIFIED, 1000, "CHEMISTRY"),
    ],
)
def test_the_number_of_a_prompt_tells_its_category(edition, number, name):
    assert wise.category_of(number, edition) == name


def test_no_prompt_of_another_number():
    for number in (0, 1001):
        with pytest.raises(ValueError, match="no prompt"):
            wise.category_of(number, wise.VERIFIED)


def test_culture_weighs_four_tenths_and_a_missing_category_leaves_no_mean():
    firsts = (1, 401, 521, 641, 761, 881)
    means = wise.wise_categories([(n, float(n == 1)) for n in firsts], wise.VERIFIED)
    assert wise.wise_overall(means, wise.VERIFIED) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="No picture of CHEMISTRY"):
        wise.wise_overall({k: v for k, v in means.items() if k != "CHEMISTRY"}, wise.VERIFIED)
