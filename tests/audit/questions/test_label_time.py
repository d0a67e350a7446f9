"""How long people take: medians by generator, of real people's answers that count."""

import pytest

from annotations.errors import Refused
from annotations.models import Annotation, Membership
from annotations.stored_answers.question import NONE
from audit.questions.label_time.exhibits import EXHIBITS
from audit.questions.label_time.question import label_time
from tests import making

pytestmark = pytest.mark.django_db


def timed_study(prompts: int = 20):
    """Two people about each image: 5 and 7 seconds, four more for images by the late generator, and six
    more for those of the last three prompts."""
    study = making.study(prompts=prompts)
    images = list(study.images.order_by("key"))
    making.labels(study, {image.key: {"ann": 1, "ben": 0} for image in images})
    for annotation in study.annotations.select_related(
        "image__generator", "image__prompt", "annotator"
    ):
        slower = 4 * (annotation.image.generator.name == "late")
        hard = 6 * (annotation.image.prompt.key in {"p17", "p18", "p19"})
        annotation.seconds = 5 + slower + hard + 2 * (annotation.annotator.name == "ben")
        annotation.save(update_fields=["seconds"])
    return study


def test_each_generator_has_its_median_and_all_together_too():
    body = label_time(timed_study(), NONE)
    # Of the early one, in order: 17 of 5 s, 17 of 7, 3 of 11, 3 of 13: the 20th and 21st are 7. Of all,
    # 34 take up to 7 s and 51 up to 9: the 40th and 41st are 9.
    early, late = (one["seconds"] for one in body["generators"])
    assert [one["name"] for one in body["generators"]] == ["early", "late"]
    assert (early["value"], early["n"]) == (7, 40)
    assert (late["value"], late["n"]) == (11, 40)
    assert (body["all"]["value"], body["all"]["n"]) == (9, 80)
    assert EXHIBITS.sentences(body)[1].startswith("Longest about images by late: 11.0 s")


def test_a_generator_with_fewer_than_30_answers_has_no_median():
    body = label_time(timed_study(prompts=14), NONE)
    assert body["generators"][0]["seconds"] == {
        "undefined": "too few to judge: 28 answers, at least 30 needed",
        "n": 28,
    }
    assert "value" in body["all"]
    assert EXHIBITS.charts(body)[0].blank


def test_simulated_people_and_answers_that_do_not_count_are_left_out():
    study = timed_study()
    Annotation.objects.filter(annotator__name="ben").update(state=Annotation.State.SET_ASIDE)
    assert label_time(study, NONE)["all"]["n"] == 40
    Membership.objects.filter(name="ann").update(simulated=True)
    with pytest.raises(Refused, match="No answer has a time yet"):
        label_time(study, NONE)


def test_the_table_has_a_row_for_each_generator_and_one_for_all():
    (table,) = EXHIBITS.tables(label_time(timed_study(), NONE))
    assert [row.label for row in table.rows] == ["early", "late", "all"]
    assert table.columns[0].cell(table.rows[1].numbers[0]).value == "11.0"
