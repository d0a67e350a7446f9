import io
import random

import pytest
from PIL import Image

from jurybox_formats.sets.signs import study
from jurybox_formats.sets.signs.study import Hand, paint
from jurybox_formats.sources.records import ImageRecord, LabelRecord


def test_the_same_seed_draws_the_same_signs_byte_for_byte():
    prompt = study.make_prompts(1)[0]
    once, again = (study.draw(prompt, study.GENERATORS[0]) for _ in range(2))
    assert once == again
    assert study.draw(prompt, study.GENERATORS[0], seed=12).png != once.png


def test_a_prompt_names_its_words_in_quotation_marks_and_beside_it():
    for prompt in study.make_prompts(12):
        for line in prompt.metadata["text"]:
            assert f"“{line}”" in prompt.text
        assert prompt.tags[0] in study.MANNERS


@pytest.mark.parametrize("word", ["A", "NO", "ENTRY", "LITTLE", "1908"])
def test_a_misspelt_word_is_never_the_word_itself(word):
    for seed in range(200):
        assert study._misspelt(word, random.Random(seed)) not in ("", word)


def test_later_generators_spell_better():
    right = {
        maker.name: sum(study.draw(p, maker).is_right for p in study.make_prompts(40))
        for maker in (study.GENERATORS[0], study.GENERATORS[-1])
    }
    assert right["Slate"] < 20 < right["Copperplate"]


def test_what_is_asked_of_a_sign_is_drawn():
    """Faint letters stand out less, small ones are smaller, and no letter leaves the picture."""
    lines = ("HIDDEN HARBOUR", "SINCE 1908")

    def spread(**hand) -> float:
        picture = paint(lines, Hand(**hand), size=256, rng=random.Random(1)).convert("L")
        histogram = picture.crop((90, 100, 166, 156)).getextrema()
        return float(histogram[1] - histogram[0])

    assert spread(faint=0.7) < 0.5 * spread()
    for hand in (Hand(), Hand(slant=30, turn=12), Hand(slant=-30, bold=2)):
        picture = paint(lines, hand, size=256, rng=random.Random(1))
        assert picture.size == (256, 256)
        edge = {picture.getpixel((x, y)) for x in (0, 255) for y in range(256)}
        assert len(edge) == 1  # the wall alone


def test_every_sign_is_followed_by_the_answers_of_its_people():
    records = list(study.study(3))
    images = [r for r in records if isinstance(r, ImageRecord)]
    labels = [r for r in records if isinstance(r, LabelRecord)]
    assert [image.key for image in images] == sorted(image.key for image in images)
    assert len(images) == 3 * len(study.GENERATORS)
    assert len(labels) == 2 * 3 * len(images)
    assert Image.open(io.BytesIO(images[0].content)).size == (study.SIZE, study.SIZE)
