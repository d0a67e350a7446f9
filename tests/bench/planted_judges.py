"""A study as labs have it, of which it is known what every judge does: eight generators, twelve judges, sixty
slices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
from scipy.special import ndtri

GENERATORS, LATE, OWN = (
    8,
    5,
    3,
)  # on those from LATE on a judge may have drifted; OWN is read by itself
TAGS = 60
PEOPLE, NOISE = 3, 0.08
SHARES = (0.35, 0.85)
ODD_TAG = 5


@dataclass(frozen=True)
class Images:
    """`right`: what is so. One row for each image."""

    right: np.ndarray
    generator: np.ndarray
    prompt: np.ndarray
    tags: np.ndarray  # prompts × tags

    @property
    def late(self) -> np.ndarray:
        return self.generator >= LATE


Score = Callable[[Images, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Planted:
    """What a judge does: does it follow people (`yes`, `no`, `upside down`), how has it moved since the sixth
    generator (`stricter`, `milder`, `gain`; empty: not), which generator it reads by itself, and the tag on
    which it is stricter than elsewhere."""

    name: str
    fact: str
    score: Score
    follows: str = "yes"
    moved: str = ""
    apart: str = ""
    tag: str = ""


def verdict(chance: Callable[[Images], np.ndarray]) -> Score:
    return lambda images, random: (random.random(images.right.size) < chance(images)) * 1.0


def rates(hit: float, false: float) -> Callable[[Images], np.ndarray]:
    return lambda images: np.where(images.right, hit, false)


def _stricter(images: Images) -> np.ndarray:
    # Twelve of people's points: their answers are 1 − 2 · NOISE apart, the judge's .84.
    return np.where(images.right, 0.92, 0.08) - 0.12 * images.late * 0.84 / (1 - 2 * NOISE)


def _milder(images: Images) -> np.ndarray:
    return np.where(images.right, 0.86, 0.08) + 0.12 * images.late * 0.78 / (1 - 2 * NOISE)


def _less_gain(images: Images) -> np.ndarray:
    mean = np.linspace(*SHARES, GENERATORS)[LATE:].mean()
    steep, flat = 0.08 + 0.84 * images.right, 0.08 + 0.84 * (mean + 0.55 * (images.right - mean))
    return np.where(images.late, flat, steep)


def _own_gain(images: Images) -> np.ndarray:
    return np.where(
        images.generator == OWN, 0.5 + 0.3 * (images.right - 0.5), 0.08 + 0.84 * images.right
    )


def _odd_tag(images: Images) -> np.ndarray:
    odd = images.tags[images.prompt, ODD_TAG]
    return np.where(images.right, 0.92, 0.08) * np.where(odd, 0.45, 1.0)


def _soft(images: Images, random: np.random.Generator) -> np.ndarray:
    return np.clip(0.2 + 0.6 * images.right + 0.12 * random.normal(size=images.right.size), 0, 1)


def _unbounded(images: Images, random: np.random.Generator) -> np.ndarray:
    return 25 + 4 * images.right + random.normal(size=images.right.size)


def _constant(images: Images, random: np.random.Generator) -> np.ndarray:
    return np.full(images.right.size, 0.7)


def _random(images: Images, random: np.random.Generator) -> np.ndarray:
    return random.random(images.right.size)


def _upside_down(images: Images, random: np.random.Generator) -> np.ndarray:
    return np.clip(0.8 - 0.6 * images.right + 0.15 * random.normal(size=images.right.size), 0, 1)


JUDGES = (
    Planted("stable", "hits 92, false alarms 8 of 100 throughout", verdict(rates(0.92, 0.08))),
    Planted("low-gain", "hits 85, false alarms 30 of 100 throughout", verdict(rates(0.85, 0.3))),
    Planted("soft", "a soft score, the same throughout", _soft),
    Planted("unbounded", "scores from about 22 to 32, the same throughout", _unbounded),
    Planted("stricter", "12 points stricter since the sixth", verdict(_stricter), moved="stricter"),
    Planted("milder", "12 points milder since the sixth", verdict(_milder), moved="milder"),
    Planted("less-gain", "45 % less gain since the sixth", verdict(_less_gain), moved="gain"),
    Planted(
        "own-gain",
        "reads the fourth alone with .36 of its gain",
        verdict(_own_gain),
        apart="generator 3",
    ),
    Planted(
        "odd-tag",
        "says yes half as often on skill 05",
        verdict(_odd_tag),
        tag=f"skill {ODD_TAG:02}",
    ),
    Planted("constant", "gives .7 to all", _constant, follows="no"),
    Planted("random", "throws dice", _random, follows="no"),
    Planted("upside-down", "scores right images lower", _upside_down, follows="upside down"),
)


def draw_images(prompts: int, random: np.random.Generator) -> Images:
    prompt, generator = (part.ravel() for part in np.indices((prompts, GENERATORS)))
    ease = 0.6 * random.normal(size=prompts)[prompt] + 0.8 * random.normal(size=prompt.size)
    right = ease > -ndtri(np.linspace(*SHARES, GENERATORS)[generator])
    number = np.arange(prompts)
    tags = np.zeros((prompts, TAGS), dtype=bool)
    tags[number, number % TAGS] = tags[number, (7 * number + 3) % TAGS] = True
    return Images(right, generator, prompt, tags)


def plant(slug: str, prompts: int, seed: int):
    """The study, in the database."""
    from django.utils import timezone

    from annotations.forms.versions import publish_form
    from annotations.models import Annotation, Answer, Generator, Image, Membership, Prompt, Study
    from jurybox_formats.forms.papers import geneval_audit

    random, now, batch = np.random.default_rng(seed), timezone.now(), 2000
    images = draw_images(prompts, random)
    study = Study.objects.create(
        slug=slug, title=slug, form=publish_form(geneval_audit.FORM), overlap=PEOPLE, simulated=True
    )
    asked = Prompt.objects.bulk_create(
        Prompt(
            study=study,
            key=f"p{n:04}",
            text=f"a red circle, number {n}",
            tags=[f"skill {tag:02}" for tag in np.flatnonzero(images.tags[n]).tolist()],
        )
        for n in range(prompts)
    )
    made_by = Generator.objects.bulk_create(
        Generator(study=study, name=f"generator {n}", release_date=date(2018 + n, 3, 1))
        for n in range(GENERATORS)
    )
    rows = Image.objects.bulk_create(
        (
            Image(study=study, key=f"i{n:06}", prompt=asked[p], generator=made_by[g], place=n)
            for n, (p, g) in enumerate(
                zip(images.prompt.tolist(), images.generator.tolist(), strict=True)
            )
        ),
        batch_size=batch,
    )
    for rater in range(PEOPLE):
        person = Membership.objects.create(study=study, name=f"rater {rater}", simulated=True)
        said = np.where(random.random(len(rows)) < NOISE, ~images.right, images.right) * 1.0
        forms = Annotation.objects.bulk_create(
            (
                Annotation(
                    study=study, image=row, annotator=person, form=study.form, submitted_at=now
                )
                for row in rows
            ),
            batch_size=batch,
        )
        Answer.objects.bulk_create(
            (
                Answer(annotation=form, question="aligned", value=value)
                for form, value in zip(forms, said.tolist(), strict=True)
            ),
            batch_size=batch,
        )
    for number, judge in enumerate(JUDGES):
        score(study, rows, judge, judge.score(images, random), number)
    return study


def score(study, rows, judge: Planted, values: np.ndarray, number: int) -> None:
    from django.utils import timezone

    from judges.models import Judge, Run, Score
    from judges.runs import counts

    row, _ = Judge.objects.get_or_create(
        fingerprint=f"planted-{number:03}",
        defaults={
            "name": judge.name,
            "method": "Planted",
            "method_version": "1",
            "engine": "None",
            "engine_version": "1",
        },
    )
    run = Run.objects.create(
        study=study,
        judge=row,
        state="finished",
        in_peoples_unit=True,
        expected=len(rows),
        started_at=timezone.now(),
    )
    rules = bool(np.isin(values, (0, 1)).all())
    Score.objects.bulk_create(
        (
            Score(run=run, image=image, value=value, correct=bool(value) if rules else None)
            for image, value in zip(rows, values.tolist(), strict=True)
        ),
        batch_size=2000,
    )
    counts.recount(run.pk)


def true_off(judge: Planted, seed: int = 99, prompts: int = 100_000) -> np.ndarray:
    """By generator: people's mean less the judge's, in points, of as many images as nobody has."""
    random = np.random.default_rng(seed)
    images = draw_images(prompts, random)
    people = NOISE + (1 - 2 * NOISE) * images.right
    gap = 100 * (people - judge.score(images, random))
    return np.array([gap[images.generator == at].mean() for at in range(GENERATORS)])


def true_slice(judge: Planted, images: Images, tag: int, again: int = 40) -> float:
    """On these images of a tag less on all: people's mean less the judge's, in points, if both answered again
    and again. A judge of little gain is lower wherever people say yes more often."""
    random = np.random.default_rng(7)
    score = np.mean([judge.score(images, random) for _ in range(again)], axis=0)
    gap = 100 * (NOISE + (1 - 2 * NOISE) * images.right - score)
    return float(gap[images.tags[images.prompt, tag]].mean() - gap.mean())
