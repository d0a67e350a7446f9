"""Measuring a judge for its card: begun on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from typing import Any

from PIL import Image as Picture

from annotations.models import Image
from judges.cards.pictures import COUNT, MOST, DrawnImages, Maker, images_by_pk, rows_of
from judges.looks.gather import ImageScorer, subject_of
from judges.looks.store import OF_MADE_PICTURES
from judges.models import MadePicture, MadeScore, Measurement, Run
from judges.runs import ask_judge
from judges.runs.same_judge import forget_answers, judge_of_run
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.protocols import RESULT, Judgement, Placed, Subject, Unscored

AT_ONCE = 4  # images, whose pictures are in the memory together
LONGEST = 300  # characters of a reason

Task = tuple[int, list[str]]  # an image and the changes to ask about


def _measure(job: Measurement, progress: Callable[[int], object]) -> dict[str, int]:
    if job.run is None:
        raise JudgeRefused("The run of this judge has been removed.")
    check_can_measure(job.run, job.count)
    return measure(DrawnImages(job.run, job.count), progress)


KIND = ask_judge.judge_job(
    Measurement, _measure, "they were measuring this judge; it may need more memory"
)


def check_can_measure(run: Run, count: int = COUNT) -> None:
    if not 1 <= count <= MOST:
        raise JudgeRefused(f"A card is made of 1 to {MOST:,} images, not {count:,}.")
    if reason := run.judge.why_no_look:
        raise JudgeRefused(f"No picture can be shown to {run.judge.name}: {reason}.")
    if run.is_running:
        # Its images would be others once it is done.
        raise JudgeRefused("The judge is still scoring the study: measure it when that is done.")
    ask_judge.check_is_taken_up(run)


def request(run: Run, *, count: int = COUNT, by: Any = None) -> Measurement:
    """For a worker."""
    check_can_measure(run, count)
    return ask_judge.request_for_run(KIND, run, by=by, count=count)


def stop(run: Run) -> None:
    """A worker that measures it notices at its next pictures; their scores stay."""
    Measurement.objects.filter(
        study=run.study_id,
        payload__run=run.pk,
        state__in=[Measurement.State.WAITING, Measurement.State.WORKING],
    ).delete()


def measure_here(
    run: Run,
    *,
    count: int = COUNT,
    on_step: Callable[[int], object] = lambda done: None,
) -> Measurement:
    """Done in this process."""
    check_can_measure(run, count)
    return ask_judge.do_for_run(Measurement, _measure, run, on_step, count=count)


def measure(
    drawn: DrawnImages, on_step: Callable[[int], object] = lambda done: None
) -> dict[str, int]:
    """Scores and looks are written as they come: whoever goes on later asks only what is missing. `on_step` hears
    how many pictures have a score."""
    if not drawn.rows:
        raise JudgeRefused("The judge has scored no image whose picture is there: run it first.")
    wanted, pending = len(drawn.wanted_pictures), drawn.open_pictures()
    asked = {"pictures": wanted, "asked": len(pending)}
    if not pending:
        return asked
    judge = judge_of_run(drawn.run)
    tasks = [(pk, [name for _, name in some]) for pk, some in groupby(pending, lambda one: one[0])]
    done = wanted - len(pending)
    with closing(ImageScorer(judge, looks=OF_MADE_PICTURES)) as scorer:
        maker = Maker(drawn.run)
        for some in _in_parts(tasks):
            forget_answers(judge)
            _score(drawn, scorer, maker, some)
            done += sum(len(names) for _, names in some)
            on_step(done)
    return asked


def _in_parts(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    for start in range(0, len(tasks), AT_ONCE):
        yield tasks[start : start + AT_ONCE]


def _score(drawn: DrawnImages, scorer: ImageScorer, maker: Maker, tasks: Sequence[Task]) -> None:
    images = images_by_pk([pk for pk, _ in tasks])
    made = [
        (images[pk], name, picture)
        for pk, names in tasks
        if pk in images
        for name, picture in maker.make(images[pk], names)
    ]
    rows = rows_of(made)
    shown = [_made_picture(row, *one) for row, one in zip(rows, made, strict=True)]
    verdicts: list[Judgement | Unscored] = []
    while some := shown[len(verdicts) : len(verdicts) + _at_once(scorer)]:
        verdicts += scorer.finish(scorer.begin_pictures(some))
    MadeScore.objects.bulk_create(
        [_score_row(drawn, row, said) for row, said in zip(rows, verdicts, strict=True)],
        ignore_conflicts=True,
    )


def _at_once(scorer: ImageScorer) -> int:
    return max(engine.batch for engine in scorer.judge.parts.values())


def _made_picture(
    row: MadePicture, image: Image, change: str, picture: Picture.Image
) -> tuple[Image, Subject, Picture.Image]:
    """The made picture in the image's place; the prompt's own pictures stay."""
    subject = subject_of(image)
    placed = tuple(
        Placed(RESULT, row.sha256) if one.place == RESULT else one for one in subject.pictures
    )
    # Never saved: what is looked at has the number of its own row.
    stands_for = Image(
        pk=row.pk, key=f"{image.key}, {change}", prompt=image.prompt, file=image.file
    )
    return stands_for, replace(subject, size=picture.size, pictures=placed), picture


def _score_row(drawn: DrawnImages, row: MadePicture, verdict: Judgement | Unscored) -> MadeScore:
    if isinstance(verdict, Unscored):
        reason = verdict.reason[:LONGEST] or "the judge gave no score"
        return MadeScore(picture=row, judge=drawn.run.judge, error=reason)
    return MadeScore(
        picture=row, judge=drawn.run.judge, value=verdict.score, correct=verdict.correct
    )
