import uuid

import pytest

from annotations.errors import LabelRefused, StudyRefused
from annotations.labelling import assign, record
from annotations.models import Annotation, Image
from annotations.studies import settings as study_settings
from tests import making

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("status", "words"), [("paused", "is paused"), ("closed", "is closed")])
def test_who_is_in_the_middle_reads_what_happened(bob, study, status, words):
    making.label(bob)
    held = assign.next_image(annotator=bob)
    study_settings.set_status(study=study, status=status)
    bob.study.refresh_from_db()
    with pytest.raises(LabelRefused, match=f"{words}.*earlier answers are kept"):
        record.record_label(
            image=held.image,
            annotator=bob,
            form=study.form,
            answers={"aligned": 1, "quality": 1},
            submission=uuid.uuid4(),
        )
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize(
    ("verb", "value", "words"),
    [
        (study_settings.set_status, {"status": "asleep"}, "open, paused or closed"),
        (study_settings.set_overlap, {"people": 0}, "1 to 100"),
        (study_settings.set_gold_share, {"share": 51}, "between 0 and 50"),
    ],
)
def test_what_cannot_be_is_refused_in_words(study, verb, value, words):
    with pytest.raises(StudyRefused, match=words):
        verb(study=study, **value)


def test_the_last_owner_stays(study, alice, bob):
    with pytest.raises(StudyRefused, match="needs an owner"):
        study_settings.set_role(member=alice, role="annotator")
    with pytest.raises(StudyRefused, match="needs an owner"):
        study_settings.remove(member=alice)
    study_settings.set_role(member=bob, role="owner")
    study_settings.set_role(member=alice, role="researcher")
    alice.refresh_from_db()
    assert alice.role == "researcher"


def test_who_is_removed_gives_back_their_image_and_keeps_their_answers(study, alice, bob):
    making.label(bob)
    held = assign.next_image(annotator=bob)
    study_settings.remove(member=bob)
    bob.refresh_from_db()
    assert bob.user is None
    assert bob.removed_at is not None
    assert Image.objects.get(pk=held.image_id).taken == 0
    assert Annotation.objects.filter(annotator=bob, state="counted").count() == 1
