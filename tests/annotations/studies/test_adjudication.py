import numpy as np
import pytest
from django.urls import reverse

from annotations.errors import LabelRefused
from annotations.models import Annotation, Decision
from annotations.studies import adjudication
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def split(study):
    making.labels(
        study, {"early-0": {"ann": 1, "ben": 0, "cat": 1}, "early-1": {"ann": 1, "ben": 1}}
    )
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}}, question="quality")
    return study.images.get(key="early-0")


def test_only_images_with_different_answers_are_disagreements(study, split):
    assert list(adjudication.disagreements(study)) == [(split.pk, split.public_id, False, True)]


def test_an_image_without_a_file_is_named_where_its_picture_would_stand(as_alice, study, split):
    picture = reverse("image", args=[split.public_id])
    addresses = (
        reverse("disagreements", args=[study.slug]),
        reverse("disagreement", args=[study.slug, split.public_id]),
    )
    assert all(picture in as_alice.get(address).text for address in addresses)
    study.images.filter(pk=split.pk).update(file="", sha256="")
    pages = [as_alice.get(address).text for address in addresses]
    assert not any(picture in page for page in pages)
    assert "Image 1: no file" in pages[0]
    assert "This image came without a file." in pages[1]


def test_answers_that_do_not_count_disagree_with_nobody(study, split):
    Annotation.objects.filter(annotator__name="ben").update(state="set aside")
    assert list(adjudication.disagreements(study)) == []


def test_answers_stand_side_by_side_without_names(split):
    aligned, quality = adjudication.answers_side_by_side(split)
    assert sorted(aligned.answers) == ["No", "Yes", "Yes"]
    assert not aligned.agreed
    assert [(o.words, o.people) for o in aligned.options] == [("Yes", 2), ("No", 1)]
    assert quality.agreed
    assert sorted(quality.answers) == ["", "Yes", "Yes"]


def test_a_decision_is_kept_with_its_note_and_can_be_made_again(study, split, alice):
    adjudication.decide(image=split, key="aligned", answer="0", note="no circle", by=alice.user)
    adjudication.decide(image=split, key="aligned", answer="1", note="there it is", by=alice.user)
    decision = Decision.objects.get()
    assert (decision.value, decision.note) == (1, "there it is")
    assert list(adjudication.disagreements(study)) == [(split.pk, split.public_id, True, True)]
    images = list(study.images.order_by("key"))
    columns = {image.pk: place for place, image in enumerate(images)}
    found = adjudication.decisions_on(study=study, question="aligned", images=columns)
    assert found[columns[split.pk]] == 1
    assert np.isnan(found).sum() == 7
    assert Annotation.objects.filter(image=split).count() == 3


@pytest.mark.parametrize(
    ("key", "answer", "words"), [("mood", "1", "Nobody answered"), ("aligned", "7", "takes one of")]
)
def test_what_cannot_be_decided_is_refused_in_words(split, alice, key, answer, words):
    with pytest.raises(LabelRefused, match=words):
        adjudication.decide(image=split, key=key, answer=answer, note="", by=alice.user)
    assert not Decision.objects.exists()
