"""The official numbers of a study's generators by one judge, with intervals over prompts and what was left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from audit.set_scores.figures import EDITIONS, SLIPS, Figure, ScoredImage, figures
from audit.stats.estimate import Undefined
from audit.stats.intervals import bootstrap
from judges.exports.set_files import metadata_as_read, sets_of
from judges.models import Run, Score
from judges.names import runs_by_name

RESAMPLES, SEED = 1000, 0


class NoOfficialScore(Refused):
    status = 422


def official_scores(
    study: Study, *, judge: str, slips: Sequence[str] = (), edition: str = ""
) -> dict[str, Any]:
    name = _set_of(study)
    _check(name, slips, edition)
    edition = edition or EDITIONS.get(name, ("",))[0]
    run = _run(study, judge)
    by_generator: dict[str, list[ScoredImage]] = defaultdict(list)
    left_out: dict[str, int] = defaultdict(int)
    scores = Score.objects.filter(run=run).select_related("image__prompt", "image__generator")
    with metadata_as_read():
        for score in scores.prefetch_related("atoms__atom").order_by(
            "image__prompt_id", "image_id"
        ):
            generator = score.image.generator.name
            if score.value is None:
                left_out[generator] += 1
            else:
                by_generator[generator].append(_scored_image(score, score.value))
    with metadata_as_read():
        found = {
            generator: [_figure_body(one) for one in figures(name, rows, slips, edition)]
            for generator, rows in by_generator.items()
        }
    return {
        "study": study.slug,
        "set": name,
        "judge": run.judge.name,
        "fingerprint": run.judge.fingerprint,
        "edition": edition,
        "as_coded": list(slips),
        "resamples": RESAMPLES,
        "seed": SEED,
        "generators": [
            {
                "generator": generator,
                "images": len(rows),
                "prompts": len({row.prompt for row in rows}),
                "left_out": left_out[generator],
                "figures": found[generator],
            }
            for generator, rows in sorted(by_generator.items())
        ],
    }


def in_words(body: dict[str, Any]) -> str:
    lines = []
    for one in body["generators"]:
        out = f"; {one['left_out']} images without a score are left out" if one["left_out"] else ""
        lines.append(
            f"{one['generator']}: {one['images']:,} images of {one['prompts']:,} prompts{out}"
        )
        for figure in one["figures"]:
            if "reason" in figure:
                lines.append(f"  {figure['name']}: no value. {figure['reason']}")
                continue
            between = ""
            if figure["low"] is not None:
                between = f" [{figure['low']:.4f}, {figure['high']:.4f}]"
            lines.append(f"  {figure['name']}: {figure['value']:.4f}{between}, n = {figure['n']}")
    how = [body["edition"], *(f"as coded: {slip}" for slip in body["as_coded"])]
    lines.append(
        " · ".join(
            filter(
                None,
                [
                    f"{body['set']} by {body['judge']} {body['fingerprint']}",
                    *how,
                    f"{body['resamples']} resamples of prompts, seed {body['seed']}",
                ],
            )
        )
    )
    return "\n".join(lines)


def _scored_image(score: Score, value: float) -> ScoredImage:
    said = score.evidence.get("answers")
    return ScoredImage(
        score.image.prompt.key,
        score.image.prompt.metadata,
        score.image.sample,
        value,
        {one.atom.index: one.value for one in score.atoms.all()},
        score.evidence,
        None if not said else tuple(_was_right(one) for one in said),
    )


def _was_right(answer: dict[str, Any]) -> float:
    said = str(answer.get("said") or "").strip(" .,?!").lower()
    return float(said == str(answer.get("expected", "yes")).lower())


def _figure_body(figure: Figure) -> dict[str, Any]:
    n = int((figure.parts[:, 1].sum(axis=0) > 0).sum())
    if not n or np.isnan(figure.value(slice(None))):
        reason = "Some of what it is made of has no image."
        return {"name": figure.name, "reason": reason, "n": n}
    result = bootstrap(
        figure.value,
        [np.arange(len(figure.prompts))],
        clusters=figure.prompts,
        resamples=RESAMPLES,
        seed=SEED,
    )
    if isinstance(result, Undefined):
        return {"name": figure.name, "reason": result.reason, "n": n}
    return {"name": figure.name, **result.as_dict(), "n": n}


def _set_of(study: Study) -> str:
    names = sets_of(study)
    if len(names) != 1:
        raise NoOfficialScore(
            "The prompts of this study are not those of one set: import them with the set's own format."
        )
    return names.pop()


def _check(name: str, slips: Sequence[str], edition: str) -> None:
    known = SLIPS.get(name, ())
    for slip in slips:
        if slip not in known:
            there = f"; it knows {', '.join(known)}" if known else ""
            raise NoOfficialScore(f"“{slip}” is no slip of the script of {name}{there}.")
    if edition and edition not in EDITIONS.get(name, ()):
        there = ", ".join(EDITIONS.get(name, ())) or "none"
        raise NoOfficialScore(f"“{edition}” is no edition of {name}; there are: {there}.")


def _run(study: Study, judge: str) -> Run:
    runs = runs_by_name(study)
    chosen = [run for name, run in runs.items() if judge in ("", name, run.judge.name)]
    if len(chosen) != 1:
        raise NoOfficialScore(
            f"Name one judge: {', '.join(runs) or 'none has scored this study yet'}."
        )
    return chosen[0]
