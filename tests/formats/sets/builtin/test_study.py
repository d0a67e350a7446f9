import io
from collections import Counter
from datetime import date
from itertools import islice

import numpy as np
import pytest
from PIL import Image

from jurybox_formats.sets.builtin.study import (
    GENERATORS,
    draw,
    image_key,
    make_prompts,
    simulated_answers,
    study,
)
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord, LabelRecord, PromptRecord

FIRST, LAST = GENERATORS[0], GENERATORS[-1]


def opened(png):
    return Image.open(io.BytesIO(png))


# --- pictures


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_the_same_seed_draws_the_same_bytes(generator):
    prompt = make_prompts(8)[7]
    assert draw(prompt, generator, seed=3) == draw(prompt, generator, seed=3)


def test_another_seed_sample_or_generator_draws_another_picture():
    prompt = make_prompts(8)[7]
    pictures = {
        draw(prompt, FIRST).png,
        draw(prompt, FIRST, seed=8).png,
        draw(prompt, FIRST, sample=1).png,
        draw(prompt, LAST).png,
    }
    assert len(pictures) == 4


def test_the_order_of_drawing_does_not_matter():
    prompts = make_prompts(4)
    forwards = [draw(prompt, FIRST).png for prompt in prompts]
    backwards = [draw(prompt, FIRST).png for prompt in reversed(prompts)]
    assert forwards == backwards[::-1]


def test_a_picture_has_the_size_that_was_asked_for_and_tells_nothing_but_pixels():
    for size in (64, 256, 300):
        image = opened(draw(make_prompts(1)[0], LAST, size=size).png)
        assert image.size == (size, size)
        assert image.mode == "RGB"
        assert image.info == {}


def test_the_size_changes_nothing_but_the_size():
    prompt = make_prompts(8)[5]
    small, large = draw(prompt, LAST, size=128), draw(prompt, LAST, size=256)
    assert (small.truth, small.well_formed) == (large.truth, large.well_formed)
    reduced = np.asarray(opened(large.png).reduce(2), float)
    assert abs(reduced - np.asarray(opened(small.png), float)).mean() < 8


def test_the_truth_has_one_value_for_each_atom():
    for prompt in make_prompts(12):
        assert len(draw(prompt, FIRST, size=64).truth) == len(prompt.atoms)


def test_each_generator_paints_with_more_tones_than_the_one_before():
    prompts = make_prompts(12)

    def tones(generator):
        pictures = [opened(draw(prompt, generator).png) for prompt in prompts]
        return np.mean([len(picture.getcolors(1 << 16)) for picture in pictures])

    counted = [tones(generator) for generator in GENERATORS]
    assert counted[0] < counted[1] < counted[2] < max(counted[3:])
    assert min(counted[3:]) > 4 * counted[1]


def test_the_generators_are_released_over_five_years():
    released = [generator.released for generator in GENERATORS]
    assert released == sorted(released)
    assert released[0] < date(2021, 1, 1)
    assert released[-1] > date(2025, 6, 1)


# --- people


def test_without_errors_simulated_people_say_the_truth():
    drawing = draw(make_prompts(8)[7], FIRST)
    answers = simulated_answers(drawing, "simulated-1", error_rate=0)
    assert answers.aligned == all(drawing.truth)
    assert answers.quality == drawing.well_formed
    assert answers.atoms == drawing.truth


def test_one_who_always_errs_says_the_opposite():
    drawing = draw(make_prompts(8)[7], FIRST)
    answers = simulated_answers(drawing, "simulated-1", error_rate=1)
    assert answers.aligned != all(drawing.truth)
    assert all(said != true for said, true in zip(answers.atoms, drawing.truth, strict=True))


def test_people_err_as_often_as_is_stated_and_each_in_their_own_places():
    prompts = make_prompts(200)
    drawings = [draw(prompt, FIRST, size=32) for prompt in prompts]
    wrong = {
        rater: [
            said != true
            for drawing in drawings
            for said, true in zip(
                simulated_answers(drawing, rater, 1, 0.1).atoms, drawing.truth, strict=True
            )
        ]
        for rater in ("simulated-1", "simulated-2")
    }
    for errors in wrong.values():
        # 1,100 answers: three standard errors of 10% are 2.7 points.
        assert np.mean(errors) == pytest.approx(0.1, abs=0.027)
    both = np.logical_and(*wrong.values())
    assert np.mean(both) < 0.03


def test_the_same_rater_answers_the_same_again():
    drawing = draw(make_prompts(1)[0], FIRST)
    assert simulated_answers(drawing, "a", 5) == simulated_answers(drawing, "a", 5)


# --- a study


def small_study(**changes):
    return list(study(**{"prompts": 4, "generators": 3, "size": 48, "raters": 2, **changes}))


def test_a_study_holds_everything_and_says_how_much():
    kinds = Counter(type(record) for record in small_study())
    # 4 prompts by 3 generators: 12 images, two people, two questions each.
    assert kinds == {PromptRecord: 4, GeneratorRecord: 3, ImageRecord: 12, LabelRecord: 48}


def test_labels_follow_their_image_and_come_from_simulated_people():
    records = small_study(raters=3)[7:]
    for start in range(0, len(records), 7):
        image, *labels = records[start : start + 7]
        assert isinstance(image, ImageRecord)
        assert {label.image for label in labels} == {image.key}
        assert [(label.rater, label.question) for label in labels] == [
            (f"simulated-{n}", question) for n in (1, 2, 3) for question in ("aligned", "quality")
        ]
        assert {label.value for label in labels} <= {0, 1}


def test_labels_of_the_atoms_come_on_request():
    records = small_study(atom_labels=True)
    atoms = {r.key: len(r.atoms) for r in records if isinstance(r, PromptRecord)}
    images = {r.key: r.prompt for r in records if isinstance(r, ImageRecord)}
    asked = Counter(
        (r.image, r.rater) for r in records if isinstance(r, LabelRecord) and r.question == "atom"
    )
    assert len(asked) == 24
    assert all(n == atoms[images[image]] for (image, _), n in asked.items())


def test_neither_the_name_nor_the_order_of_an_image_tells_its_generator():
    images = [r for r in small_study(prompts=30, size=16) if isinstance(r, ImageRecord)]
    names = {generator.name.lower() for generator in GENERATORS}
    for image in images:
        assert image.key.startswith("img-")
        assert not any(name in image.key for name in names)
        assert image.metadata == {}
    assert [image.key for image in images] == sorted(image.key for image in images)
    first_half = Counter(image.generator for image in images[:45])
    assert min(first_half.values()) > 5


def test_an_image_of_the_study_is_the_image_drawn_by_itself():
    prompts = {prompt.key: prompt for prompt in make_prompts(4)}
    makers = {generator.name: generator for generator in GENERATORS}
    for image in small_study():
        if isinstance(image, ImageRecord):
            drawing = draw(prompts[image.prompt], makers[image.generator], size=48)
            assert image.content == drawing.png
            key = image_key(prompts[image.prompt], makers[image.generator])
            assert image.key == drawing.key == key


def test_fewer_generators_still_span_all_the_years():
    names = [r.name for r in small_study(generators=2) if isinstance(r, GeneratorRecord)]
    assert names == [FIRST.name, LAST.name]
    assert all("maginary" in g.record.note for g in GENERATORS)


def test_a_study_is_made_one_record_at_a_time():
    # A million images would take hours; the first ones come at once.
    records = study(prompts=500, generators=6, size=32)
    images = [r for r in islice(records, 520) if isinstance(r, ImageRecord)]
    assert len(images) == 2


@pytest.mark.parametrize("generators", [0, 7])
def test_a_number_of_generators_that_there_are_not_is_refused(generators):
    with pytest.raises(ValueError, match="There are 6 generators"):
        list(study(generators=generators))
