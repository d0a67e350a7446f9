"""Which images people label next, what they are given, and what a report of their labels says."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.labelling import assign, queries
from annotations.models import DrawnImage, Event, Image
from annotations.studies import draws, groups, selections
from audit.next_labels.draw import draw_labels, usefulness
from audit.reports import make as reports
from audit.reports.human_scores import REFUSED
from jurybox_stats.draws.drawn_sample import systematic
from tests import making

pytestmark = pytest.mark.django_db

FEW = reports.Options(resamples=100)


def drawn_keys(study) -> set[str]:
    rows = DrawnImage.objects.filter(draw__study=study, drawn=True)
    return set(rows.values_list("image__key", flat=True))


def all_given_to(person) -> list[str]:
    person.study.refresh_from_db()
    keys = []
    while lease := assign.next_image(annotator=person):
        keys.append(lease.image.key)
        making.label(person)
    return keys


def uncertain(study) -> None:
    """The judge is unsure of the first image of each generator, and sure of all others."""
    keys = study.images.values_list("key", flat=True)
    making.scores(study, {key: 0.5 if key.endswith("-0") else 0.01 for key in keys})


def test_a_draw_has_exactly_as_many_images_as_wanted_and_its_seed_repeats_it():
    chances = np.array([0.2, 0.9, 0.4, 1.0, 0.5])
    first = systematic(chances, [7, 0])
    assert first.sum() == 3
    assert first[3]
    assert (first == systematic(chances, [7, 0])).all()


def test_each_image_is_drawn_as_often_as_its_chance_says():
    chances = np.array([0.2, 0.9, 0.4, 1.0, 0.5])
    often = np.mean([systematic(chances, [seed]) for seed in range(4000)], axis=0)
    # Four standard errors of a share of 4,000.
    assert np.abs(often - chances).max() < 4 * (0.25 / 4000) ** 0.5


def test_people_get_the_images_of_a_draw_and_no_others(study, bob, charlie):
    draw_labels(study=study, count=3, seed=7, by="uniform")
    bob.study.refresh_from_db()
    assert queries.progress(bob).left == 3
    assert set(all_given_to(bob)) == drawn_keys(study)
    assert queries.progress(bob).left == 0
    assert set(all_given_to(charlie)) == drawn_keys(study)
    selections.label_as_usual(study=study)
    assert len(all_given_to(bob)) == 5


def test_people_of_a_group_get_what_was_drawn_of_their_images(study, bob):
    mine = study.images.filter(key__startswith="early").values_list("pk", flat=True)
    selection = selections.choose(study=study, images=mine, name="early ones")
    group = groups.make_group(study=study, name="experts", selection=selection, inside=True)
    groups.put(member=bob, group=group)
    draw_labels(study=study, count=5, seed=1, by="uniform")
    bob.study.refresh_from_db()
    theirs = {key for key in drawn_keys(study) if key.startswith("early")}
    assert 0 < len(theirs) < 5
    assert queries.progress(bob).left == len(theirs)
    assert set(all_given_to(bob)) == theirs


def test_an_image_given_back_from_outside_the_draw_waits(study, bob):
    held = assign.next_image(annotator=bob)
    for seed in range(50):
        draw_labels(study=study, count=1, seed=seed, by="uniform")
        if held.image.key not in drawn_keys(study):
            break
        DrawnImage.objects.all().delete()
    assign.release(assignment=held)
    bob.refresh_from_db()
    assert held.image.key not in all_given_to(bob)


def test_two_draws_are_one_with_the_chance_to_be_in_either(study):
    draw_labels(study=study, count=2, seed=7, by="uniform")
    draw_labels(study=study, count=4, seed=7, by="uniform")
    known = draws.chances_of(study)
    # 1 - (1 - 2/8) (1 - 4/8)
    assert list(known.chance.values()) == pytest.approx([0.625] * 8)
    assert known.uniform


def test_what_had_labels_before_the_first_draw_is_certain_and_not_given_out(study, bob):
    making.labels(study, {"early-0": {"ann": 1}, "late-1": {"ann": 0}})
    draw_labels(study=study, count=6, seed=7, by="uniform")
    known = draws.chances_of(study)
    before = set(Image.objects.filter(key__in=["early-0", "late-1"]).values_list("pk", flat=True))
    assert known.before == before
    assert all(known.chance[pk] == 1 for pk in before)
    assert not {"early-0", "late-1"} & set(all_given_to(bob))


def test_uncertain_images_are_drawn_more_often_and_no_image_never(study):
    uncertain(study)
    draw_labels(study=study, count=2, seed=7, by="uncertainty")
    chances = dict(DrawnImage.objects.values_list("image__key", "chance"))
    # u = 1/2 and sqrt(.01 * .99) = .0995; mean .1996; mixed 1.7525 and .7492; 2 / 8 times these.
    assert chances["early-0"] == pytest.approx(0.25 * (0.5 / (2 * 0.19962) + 0.5), rel=1e-3)
    assert chances["early-1"] == pytest.approx(0.25 * (0.0995 / (2 * 0.19962) + 0.5), rel=1e-3)


def test_scores_of_another_scale_are_uncertain_in_the_middle_of_their_ranks(study):
    keys = sorted(study.images.values_list("key", flat=True))
    making.scores(study, {key: 10.0 * number for number, key in enumerate(keys)})
    useful = usefulness(study, draws.frame_of(study).images)
    assert useful.argmax() in (3, 4)
    assert useful[0] == pytest.approx((0.0625 * 0.9375) ** 0.5)


def test_what_cannot_be_drawn_is_refused_in_a_sentence(study):
    for count, by, words in (
        (9, "uniform", "9 images are wanted and 8 can be drawn"),
        (0, "uniform", "one image or more"),
        (2, "uncertainty", "No judge has scored"),
        (2, "whim", "uniform or uncertainty"),
    ):
        with pytest.raises(Refused, match=words):
            draw_labels(study=study, count=count, seed=7, by=by)
    making.scores(study, {key: True for key in study.images.values_list("key", flat=True)})
    with pytest.raises(Refused, match="agree on every image"):
        draw_labels(study=study, count=2, seed=7, by="uncertainty")
    assert not study.draws.exists()


def test_the_command_draws_and_says_so(study, capsys):
    call_command("draw_labels", study.slug, "--count", "3", "--seed", "7")
    assert capsys.readouterr().out.startswith("3 images drawn, the same chance for every image.")
    with pytest.raises(CommandError, match="no study"):
        call_command("draw_labels", "nowhere", "--count", "3")
    assert "drew 3 images" in Event.objects.first().words


def test_labels_of_a_draw_by_uncertainty_are_weighted_or_refused(study, bob):
    uncertain(study)
    draw_labels(study=study, count=5, seed=7, by="uncertainty")
    answers = {key: {"bob": float(n % 2)} for n, key in enumerate(sorted(drawn_keys(study)))}
    making.labels(study, answers)
    body, _ = reports.compute(study, FEW)
    chances = dict(DrawnImage.objects.values_list("image__key", "chance"))
    weights = {key: 1 / chances[key] for key in answers}
    expected = sum(weights[key] * given["bob"] for key, given in answers.items())
    assert body["people"]["mean"]["value"] == pytest.approx(100 * expected / sum(weights.values()))
    overall = body["judges"]["some-judge"]["overall"]
    assert overall["human_score"]["value"] == pytest.approx(body["people"]["mean"]["value"])
    for name in ("auroc", "cohen_kappa", "kendall_tau_b", "percent_agreement", "spearman"):
        assert overall[name]["undefined"] == REFUSED
    assert body["people"]["percent_agreement"]["undefined"] == REFUSED
    assert body["people"]["krippendorff_alpha"]["nominal"]["undefined"] == REFUSED
    assert body["judges"]["some-judge"]["drift"]["untold"] == REFUSED
    assert body["drawn"]["labelled"] == 5


def test_no_number_but_the_weighted_ones_is_left_in_such_a_report(study):
    uncertain(study)
    draw_labels(study=study, count=6, seed=3, by="uncertainty")
    making.labels(study, {key: {"ann": 1, "ben": n % 2} for n, key in enumerate(drawn_keys(study))})
    body, _ = reports.compute(study, FEW)
    left = set()

    def walk(part, name=""):
        if isinstance(part, dict):
            if {"value", "low", "high"} <= part.keys():
                left.add(name)
            for key, value in part.items():
                walk(value, key)
        for value in part if isinstance(part, list) else ():
            walk(value, name)

    walk(body)
    assert left <= {
        *("human_score", "judge_score", "net_deviation", "mean", "human_mean"),
        *("human_score_assisted", "alone"),
    }


def test_labels_that_were_not_drawn_are_left_out_and_counted(study):
    uncertain(study)
    draw_labels(study=study, count=4, seed=7, by="uncertainty")
    drawn = drawn_keys(study)
    other = next(key for key in study.images.values_list("key", flat=True) if key not in drawn)
    making.labels(study, {key: {"bob": n % 2} for n, key in enumerate(sorted(drawn))})
    before, _ = reports.compute(study, FEW)
    making.labels(study, {other: {"bob": 1}})
    after, _ = reports.compute(study, FEW)
    assert after["people"]["mean"] == before["people"]["mean"]
    assert after["drawn"]["left_out"] == 1


def test_a_uniform_draw_needs_no_weights(study):
    making.scores(study, {key: 0.3 for key in study.images.values_list("key", flat=True)})
    draw_labels(study=study, count=4, seed=7, by="uniform")
    making.labels(study, {key: {"bob": n % 2} for n, key in enumerate(sorted(drawn_keys(study)))})
    body, _ = reports.compute(study, FEW)
    assert "drawn" not in body
    overall = body["judges"]["some-judge"]["overall"]
    assert overall["human_score"]["value"] == 50
    assert overall["auroc"].get("undefined") != REFUSED
