"""What only workers know of a judge: its weights, and the libraries of its engines.

The fingerprint of a judge with weights in a folder or a file needs a digest of the files, which may take
seconds and must not hold up a web process. There the digest is known only if a worker has read the same
files before, which their names, sizes and times tell. Nor does a web host know the commit of weights
that a worker's cache holds, or the versions of libraries that it does not have. Then the run begins with
a provisional row of the judge, and the first worker puts the true one in its place, before any score.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from judges import installed
from judges.models import Judge, KnownWeights, Run
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.shared import weight_facts

UNREAD = "not read yet"


def known_digest(path: Path) -> str:
    """The digest from the table, or `UNREAD`; no file is opened."""
    known = KnownWeights.objects.filter(path=str(path), stamp=_stamp(path)).first()
    return known.content if known else UNREAD


def reading_digest(path: Path) -> str:
    """The digest from the files, kept for the web process."""
    content = weight_facts.content_hash(path)
    if known_digest(path) != content:
        KnownWeights.objects.update_or_create(
            path=str(path), defaults={"stamp": _stamp(path), "content": content}
        )
    return content


def is_provisional(judge: Judge) -> bool:
    return has_unread(judge.facts)


def has_unread(facts: Mapping[str, Mapping[str, str]]) -> bool:
    return any(UNREAD in of_engine.values() for of_engine in facts.values())


def judge_row(name: str, identity: Mapping[str, Any]) -> Judge:
    """The row of exactly this judge, created on first use."""
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint({"name": name, **identity}),
        defaults={
            "name": name,
            "release_date": catalogue.entry(name).release_date,
            "recipe": installed.recipe(name),
            **identity,
        },
    )
    return judge


@transaction.atomic
def settle_judge(*, run: Run, identity: Mapping[str, Any]) -> Run:
    """Put the true judge in the place of the provisional one; returns the study's run of it.

    That is another run than this where the judge has one already. Then this one, which has no score, is
    gone: somebody started the same judge again.
    """
    held = Run.objects.select_for_update(of=("self",)).select_related("judge").get(pk=run.pk)
    provisional = held.judge
    if is_provisional(provisional):
        judge = judge_row(provisional.name, identity)
        earlier = Run.objects.filter(study=held.study_id, judge=judge).first()
        if earlier is not None:
            held.delete()
        else:
            Run.objects.filter(pk=held.pk).update(judge=judge)
            held.judge = judge
        Judge.objects.filter(pk=provisional.pk, runs=None).delete()
        if earlier is not None:
            return earlier
    run.judge = held.judge
    return run


@transaction.atomic
def note_devices(judge: Judge, devices: Mapping[str, str]) -> None:
    """The GPUs that computed for this judge, by engine, beside its facts. They make no other judge: the
    same libraries give the same answers on them up to the last digits."""
    if all(name in judge.facts[kind].get("gpus", "").split(", ") for kind, name in devices.items()):
        return
    held = Judge.objects.select_for_update().get(pk=judge.pk)
    for kind, name in devices.items():
        known = held.facts[kind].get("gpus", "")
        names = {*known.split(", "), name} - {""}
        held.facts[kind]["gpus"] = ", ".join(sorted(names))
    held.save(update_fields=["facts"])
    judge.facts = held.facts


def _stamp(path: Path) -> str:
    return hashlib.sha256(json.dumps(weight_facts.files_of(path)).encode()).hexdigest()
