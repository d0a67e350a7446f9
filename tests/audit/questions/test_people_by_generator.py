"""How well people agree on each generator: by hand, and where there is no number."""

import pytest

from annotations.errors import Refused
from annotations.stored_answers.question import NONE
from audit.questions.people_by_generator.exhibits import EXHIBITS
from audit.questions.people_by_generator.question import people_by_generator
from tests import making

pytestmark = pytest.mark.django_db


def answered_study(prompts: int = 40):
    """Two people: about images by the early generator they differ on each fourth, half of them said yes;
    about the late one's they agree, and say yes to each second."""
    study = making.study(prompts=prompts, files=False)
    labels = {}
    for place, image in enumerate(study.images.order_by("generator__name", "key")):
        yes = place % 2
        other = 1 - yes if image.generator.name == "early" and place % 4 < 1 else yes
        labels[image.key] = {"ann": yes, "ben": other}
    making.labels(study, labels)
    return study


def test_each_generator_has_fleiss_kappa_and_all_together_too():
    body = people_by_generator(answered_study(), NONE)
    found = body["questions"]["aligned"]
    early, late = (found["generators"][name] for name in ("early", "late"))
    assert (early["alike"]["value"], late["alike"]["value"]) == (0.75, 1.0)
    # Of 80 answers 50 are yes: by chance .625² + .375² = .53125 are alike, so κ = .21875 / .46875.
    assert early["fleiss_kappa"]["value"] == pytest.approx(0.21875 / 0.46875)
    assert late["fleiss_kappa"]["value"] == 1
    assert found["all"]["alike"]["value"] == 0.875
    (table,) = EXHIBITS.tables(body)
    assert [row.label for row in table.rows] == ["early", "late", "all"]
    (line,) = EXHIBITS.sentences(body)
    assert line.startswith("“aligned”: people agree least on early, α 0.47")


def test_a_generator_with_fewer_than_30_images_of_two_answers_has_no_number():
    body = people_by_generator(answered_study(prompts=20), NONE)
    found = body["questions"]["aligned"]["generators"]["early"]["fleiss_kappa"]
    assert "20 images with two answers" in found["undefined"]
    assert EXHIBITS.sentences(body) == [
        "“aligned”: no generator has enough images with two answers."
    ]


def test_without_an_answer_there_is_no_agreement():
    with pytest.raises(Refused, match="Nobody has answered"):
        people_by_generator(making.study(files=False), NONE)
