"""A judge's colour and marker are its own, and stay."""

from __future__ import annotations

import pytest

from audit.charts.faces import COLOURS, face, face_of
from audit.reports import make as reports
from tests import making


def test_sixty_four_judges_differ_in_colour_or_marker():
    faces = [face(number) for number in range(64)]
    assert len({(one.colour, one.shape) for one in faces}) == 64
    assert [one.colour for one in faces[:8]] == list(COLOURS)
    assert len({one.shape for one in faces[:8]}) == 8
    assert face(64).shape == face(0).shape


def test_twelve_judges_are_told_apart_without_colour():
    faces = [face(number) for number in range(12)]
    assert len({(one.shape, one.dash) for one in faces}) == 12


@pytest.mark.django_db
def test_a_judge_keeps_its_face_when_another_joins_that_comes_first_by_name():
    study = making.study(prompts=4)
    values = {image.key: 0.1 * n for n, image in enumerate(study.images.order_by("pk"))}
    making.labels(study, {key: {"ann": 1} for key in values})
    making.scores(study, values, name="m-judge")
    before = reports.make_report(study=study).body
    making.scores(study, values, name="a-judge")
    after = reports.make_report(study=study).body
    assert list(after["judges"]) == ["a-judge", "m-judge"]
    assert face_of(after, "m-judge") == face_of(before, "m-judge") == face(0)
    assert face_of(after, "a-judge") == face(1)


@pytest.mark.django_db
def test_a_report_that_knows_no_numbers_counts_by_name():
    study = making.study(prompts=4)
    values = {image.key: 0.5 for image in study.images.all()}
    making.scores(study, values, name="m-judge")
    making.scores(study, values, name="a-judge")
    body = reports.make_report(study=study).body
    for facts in body["signature"]["judge_facts"].values():
        del facts["number"]
    assert face_of(body, "a-judge") == face(0)
