"""A question that shows several pictures: its key, what the engine gets, and what cannot be asked."""

from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from annotations.models import PromptPicture
from annotations.pictures import store as picture_store
from judges.looks.gather import ImageScorer, subject_of
from judges.looks.of_image import outputs_for
from judges.models import Look
from judges.preferences.stored import Two
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.methods.checklist import Checklist
from jurybox_judging.methods.vqa_score import VqaScore
from jurybox_judging.methods.which_of_two import APART, STRIP
from jurybox_judging.protocols import (
    Answer,
    Judgement,
    Placed,
    Question,
    Similarity,
    Subject,
    Talk,
    Unscored,
)
from jurybox_judging.stored_form import key_of_want, want_as_json
from tests import editing

SOURCE, RESULT = Placed("source", "a" * 64), Placed("result", "b" * 64)
BOTH = ("source", "result")


def key(want):
    return key_of_want(want, closed=False)


def test_questions_about_one_picture_keep_the_keys_that_stored_looks_have():
    # As they were before a question could show more than one.
    assert key(Question("Is it red?", ("Yes", "yes"), "share")) == "5b58e949dad33dff"
    assert key(Talk(("Hello", "Why?"), 99, 0.5, 3)) == "570804d40293884f"
    assert key(Similarity("a cup")) == "5bd22681fe541e8b"
    assert "pictures" not in want_as_json(Talk(("Hello",)), closed=False)


@pytest.mark.parametrize("want", [Question("Is it?", ("Yes",)), Talk(("Is it?",))])
def test_the_key_holds_all_hashes_in_their_order(want):
    shown = [
        (),
        (SOURCE, RESULT),
        (RESULT, SOURCE),
        (SOURCE, replace(RESULT, sha256="c" * 64)),
        (replace(SOURCE, sha256="c" * 64), RESULT),
        (replace(SOURCE, place="reference"), RESULT),
    ]
    assert len({key(replace(want, pictures=pictures)) for pictures in shown}) == len(shown)


def test_a_method_shows_the_places_it_names_in_its_own_order():
    second = Placed("reference-2", "d" * 64)
    subject = Subject("Make it red", pictures=(SOURCE, second, RESULT))
    (want,) = VqaScore(pictures=("result", "reference", "source")).wants(subject, {})
    assert want.pictures == (RESULT, second, SOURCE)
    (alone,) = VqaScore(pictures=("result",)).wants(subject, {})
    assert alone == VqaScore().wants(subject, {})[0]


@pytest.mark.parametrize("places", [("result", "result"), ("before",)])
def test_a_place_that_is_none_and_one_named_twice_are_refused(places):
    with pytest.raises(ValueError, match="“pictures” names"):
        Checklist(pictures=places, asks=("{point}",))


# --- from the study to the engine


@dataclass
class Watcher:
    """Says of what it is shown whether the first picture is as the second."""

    takes_several: bool = True
    batch = 2

    def __post_init__(self):
        self.shown = []

    def answer(self, asked):
        self.shown += [shown for shown, _ in asked]
        return [[Answer(self.value(shown), "Yes") for _ in some] for shown, some in asked]

    @staticmethod
    def value(shown):
        """The green of the first by that of both, at the middle of the circle."""
        greens = [image.convert("RGB").getpixel((110, 110))[1] for _, image in shown]
        return greens[0] / sum(greens)


@pytest.fixture
def study(db):
    return editing.study(count=2)


def scorer(engine, places=BOTH, **more):
    method = VqaScore(template="Was this done: {prompt}?", pictures=places)
    parts = {"answers": engine}
    return closing(ImageScorer(registry.Judge("j", method, parts, {"answers": "e"}, {}, **more)))


def scored(study, engine, places=BOTH):
    images = list(study.images.order_by("key").select_related("prompt"))
    with scorer(engine, places) as one:
        return one.finish(one.begin(images))


def test_an_engine_gets_the_pictures_by_place_in_the_order_of_the_question(study):
    engine = Watcher()
    told = scored(study, engine)
    assert [[name for name, _ in shown] for shown in engine.shown] == [["source", "result"]] * 4
    # Red has a green of 30, the green one 160.
    assert [one.score for one in told] == [pytest.approx(30 / 190)] * 4
    look = Look.objects.first()
    image = look.image
    source = image.prompt.pictures.get().sha256
    assert look.asked["pictures"] == [
        {"place": "source", "sha256": source},
        {"place": "result", "sha256": image.sha256},
    ]


def test_the_outputs_of_an_image_name_the_pictures_that_were_shown(study):
    scored(study, Watcher())
    (told,) = outputs_for(study.images.first()).told
    assert told.asked == "[source, result] Was this done: Make the circle green?"


def test_what_was_said_of_a_pair_stands_among_the_outputs_of_the_left_image(study):
    first, second = study.images.filter(prompt__key="edit-0").order_by("key")
    two = Two(1, "Go", (first.pk, second.pk), ("a", "b"), (first.sha256, second.sha256), ("", ""))
    for layout, shown in ((APART, "[left, right] "), (STRIP, "")):
        want = two.want(0, layout)
        Look.objects.all().delete()
        Look.objects.create(image=first, engine="e", want="w", asked=want, told=["Verdict: left"])
        (told,) = outputs_for(first).told
        assert told.asked == shown + want["turns"][0]
        assert told.told == "Verdict: left"


def test_two_pictures_exchanged_are_another_question_with_another_answer(study):
    engine = Watcher()
    there = scored(study, engine)
    back = scored(study, engine, BOTH[::-1])
    assert [one.score for one in back] == [pytest.approx(160 / 190)] * 4
    assert there[0].score != back[0].score
    assert len(set(Look.objects.values_list("image", "want"))) == 8
    # What is stored is not asked again, in either order.
    asked = len(engine.shown)
    assert [one.score for one in scored(study, engine)] == [one.score for one in there]
    assert len(engine.shown) == asked


def test_a_source_that_is_replaced_is_asked_about_anew(study):
    engine = Watcher()
    scored(study, engine)
    PromptPicture.objects.update(sha256="0" * 64)
    scored(study, engine)
    assert len(engine.shown) == 8


def test_the_source_of_a_prompt_is_opened_once_for_all_its_images(study, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "judges.looks.gather.open_picture",
        lambda file: opened.append(file) or picture_store.open_picture(file),
    )
    scored(study, Watcher())
    assert len(opened) == len(set(opened)) == 2 + 4


def test_a_picture_of_a_prompt_that_is_gone_or_broken_is_a_sentence_for_its_images(
    study, monkeypatch
):
    gone, broken = (row.file for row in study.prompt_pictures.order_by("prompt__key"))

    def open_or_not(file):
        if file == gone:
            raise FileNotFoundError(file)
        if file == broken:
            raise OSError("broken data stream")
        return picture_store.open_picture(file)

    monkeypatch.setattr("judges.looks.gather.open_picture", open_or_not)
    told = {one.reason for one in scored(study, Watcher())}
    assert told == {
        "The source picture of this prompt is gone from the storage.",
        "The source picture of this prompt cannot be read: broken data stream.",
    }


def test_a_prompt_without_a_source_is_not_judged_and_says_so(study):
    prompt = study.prompts.get(key="edit-0")
    prompt.pictures.all().delete()
    type(prompt).objects.filter(pk=prompt.pk).update(picture_count=0)
    told = scored(study, Watcher())
    assert [isinstance(one, Judgement) for one in told] == [False, True, False, True]
    assert told[0] == Unscored("This prompt has no source picture.", lacks="prompt picture")


def test_an_engine_that_takes_one_picture_is_never_shown_two(study):
    engine = Watcher(takes_several=False)
    told = scored(study, engine)
    assert engine.shown == []
    assert "its engine takes one" in told[0].reason


def test_such_a_judge_is_refused_before_it_starts():
    with pytest.raises(JudgeRefused, match=r"\(source, result\), and ClipFlanT5 takes one"):
        registry.check_options("vqa-score", {"pictures": list(BOTH)})
    registry.check_options("vqa-score", {"pictures": ["result"]})


def test_an_image_without_prompt_pictures_is_shown_alone(db):
    from tests import making

    image = making.study(prompts=1).images.first()
    assert subject_of(image).pictures == (Placed("result", image.sha256),)
    (want,) = VqaScore().wants(subject_of(image), {})
    assert want.pictures == ()
