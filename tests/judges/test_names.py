"""What judges of one name are called in a study."""

from __future__ import annotations

import pytest
from django.utils import timezone

from judges.installed import title_of
from judges.models import Judge, Run
from judges.names import runs_by_name, title
from tests import making

pytestmark = pytest.mark.django_db


def judged(study, *options, name="geneval"):
    for number, given in enumerate(options):
        judge = Judge.objects.create(
            fingerprint=f"{name[:8]}-{number}", name=name, options=given, method="m", engine="e"
        )
        Run.objects.create(
            study=study, judge=judge, state="finished", expected=0, started_at=timezone.now()
        )
    return list(runs_by_name(study))


def test_a_judge_alone_has_its_name_only():
    assert judged(making.study(files=False), {"threshold": 0.3}) == ["geneval"]


def test_the_option_that_differs_tells_two_apart():
    names = judged(
        making.study(files=False),
        {"threshold": 0.7, "crop": True},
        {"threshold": 0.3, "crop": True},
    )
    assert names == ["geneval@threshold 0.3", "geneval@threshold 0.7"]
    assert title(names[1]) == "GenEval (Mask2Former by MMDetection) · threshold 0.7"


def test_an_imported_judge_keeps_its_name_where_a_built_in_one_is_called_so():
    study = making.study(files=False)
    judge = Judge.objects.create(
        fingerprint="given", name="geneval", options={}, method="imported", engine="imported"
    )
    Run.objects.create(
        study=study, judge=judge, state="finished", expected=0, started_at=timezone.now()
    )
    (name,) = runs_by_name(study)
    assert title(name) == title_of(judge) == "geneval"
    other = making.study("other", files=False)
    assert title(*judged(other, {"threshold": 0.3})) == "GenEval (Mask2Former by MMDetection)"


def test_who_has_no_such_option_has_the_usual_ones():
    names = judged(making.study(files=False), {}, {"crop": False})
    assert names == ["geneval@crop off", "geneval@usual options"]


def test_where_options_do_not_tell_the_fingerprint_does():
    names = judged(making.study(files=False), {}, {}, name="own")
    assert names == ["own@own-0", "own@own-1"]
    assert title(names[0]) == "own · own-0"


def test_many_options_are_not_a_name():
    many = {f"option {n}": n for n in range(4)}
    names = judged(making.study(files=False), many, {key: 9 for key in many}, name="own")
    assert names == ["own@own-0", "own@own-1"]
