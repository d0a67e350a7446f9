"""The study that the chaos is about, and the recount after it; processes of their own.

python -m tests.chaos.study make '{"prompts": …, "people": …}'
python -m tests.chaos.study judge NAME         start the judge's run, or take it up again
python -m tests.chaos.study state NAME         {"state": …, "scores": …}
python -m tests.chaos.study check              recounts, and every run against an undisturbed one
"""

from __future__ import annotations

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db.models import Count  # noqa: E402

from annotations.errors import Refused  # noqa: E402
from annotations.forms.versions import publish_form  # noqa: E402
from annotations.imports import write_study  # noqa: E402
from annotations.imports.outcome import Outcome  # noqa: E402
from annotations.labelling.queries import progress  # noqa: E402
from annotations.models import Annotation, Answer, Assignment, Study  # noqa: E402
from annotations.pictures.store import store_picture  # noqa: E402
from judges import tasks  # noqa: E402
from judges.models import Chunk, Run, Score  # noqa: E402
from judges.runs import lifecycle, score_chunk  # noqa: E402
from jurybox_formats.forms.papers import geneval_audit  # noqa: E402
from jurybox_formats.sets.builtin import study as builtin  # noqa: E402
from jurybox_formats.sources.records import ImageRecord, LabelRecord  # noqa: E402
from tests.making import cookie_of_person, png  # noqa: E402

SLUG, TWIN = "bench", "undisturbed"


def make(*, prompts: int, generators: int, people: int, overlap: int, seed: int) -> dict:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    for slug in (SLUG, TWIN):
        _study(slug, prompts, generators, overlap, seed)
    study = Study.objects.get(slug=SLUG)
    return {"cookies": [cookie_of_person(study, number) for number in range(people)]}


def _study(slug: str, prompts: int, generators: int, overlap: int, seed: int) -> None:
    form = publish_form(geneval_audit.FORM)
    study = Study.objects.create(slug=slug, title=slug, form=form, overlap=overlap)
    drawn = builtin.study(prompts=prompts, generators=generators, size=128, seed=seed, raters=1)
    # People answer during the chaos: the simulated labels stay out.
    records = (record for record in drawn if not isinstance(record, LabelRecord))
    write_study.import_records(study=study, records=records, outcome=Outcome())


def judge(name: str) -> dict:
    run = lifecycle.start_run(study=Study.objects.get(slug=SLUG), name=name)
    tasks.wake(run)
    return {"run": run.pk}


def state(name: str) -> dict:
    run = Run.objects.get(study__slug=SLUG, judge__name=name)
    return {
        "state": run.state,
        "reason": run.reason,
        "scores": run.scores.count(),
        "expected": run.expected,
    }


def twice() -> dict:
    chunks = list(Chunk.objects.values_list("pk", flat=True))
    for chunk in chunks * 2:
        tasks.score_chunk_task.delay(chunk)
    return {"sent": 2 * len(chunks)}


def import_one() -> dict:
    record = ImageRecord(
        key="one-more", prompt="none", generator="none", content=png((1, 2, 3), 32)
    )
    try:
        store_picture(record.content, name="one-more.png", study="shapes")
    except (Refused, OSError) as error:
        return {"refusal": str(error)}
    return {"refusal": ""}


def check() -> dict:
    study = Study.objects.get(slug=SLUG)
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    per_image = counted.order_by().values("image").annotate(n=Count("pk"))
    people = study.memberships.exclude(user=None)
    held = Assignment.objects.filter(study=study, state__in=["answered", "leased", "reserved"])
    in_use = dict(held.order_by().values_list("image").annotate(n=Count("pk")))
    answers: dict[str, dict[str, float]] = {}
    for submission, question, value in Answer.objects.filter(annotation__in=counted).values_list(
        "annotation__submission", "question", "value"
    ):
        answers.setdefault(str(submission), {})[question] = value
    return {
        "answers": answers,
        "over": per_image.filter(n__gt=study.overlap).count(),
        "doubled": counted.count()
        - counted.order_by().values("image", "annotator").distinct().count(),
        "progress_wrong": sum(
            progress(p).mine != counted.filter(annotator=p).count() for p in people
        ),
        "places_wrong": sum(
            in_use.get(pk, 0) != taken for pk, taken in study.images.values_list("pk", "taken")
        ),
        "runs": [_compared(run) for run in Run.objects.filter(study=study)],
    }


def _compared(run: Run) -> dict:
    """Scored once each, none left out, and as by one process that nobody disturbed."""
    twin = lifecycle.start_run(study=Study.objects.get(slug=TWIN), name=run.judge.name)
    score_chunk.work_off(run=twin)
    disturbed, undisturbed = ({key: rest for key, *rest in _scores(one)} for one in (run, twin))
    return {
        "judge": run.judge.name,
        "state": run.state,
        "scores": len(disturbed),
        "expected": run.expected,
        "different": sum(disturbed.get(key) != rest for key, rest in undisturbed.items()),
        "doubled": run.scores.count() - run.scores.values("image").distinct().count(),
    }


def _scores(run: Run):
    return Score.objects.filter(run=run).values_list("image__key", "value", "correct", "error")


VERBS = {
    "judge": judge,
    "state": state,
    "twice": twice,
    "import_one": import_one,
    "check": check,
}

if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "make":
        print(json.dumps(make(**json.loads(rest[0]))))
    else:
        print(json.dumps(VERBS[verb](*rest)))
