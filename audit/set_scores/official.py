"""The official numbers of a study's generators by one judge, with intervals over prompts and what was left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from audit.set_scores.figure import Figure
from audit.set_scores.figures import EDITIONS, SLIPS, figures
from audit.set_scores.people import scored_by_people
from audit.set_scores.scored import Scored, images_of, make_row, scored_by_judge
from judges.exports.set_files import metadata_as_read, sets_of
from judges.models import Run
from judges.names import runs_by_name
from jurybox_formats.sets.edit_sets.points import POINTS
from jurybox_judging.methods import wise
from jurybox_stats.estimate import Undefined, WithoutInterval
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.percentiles import interval
from jurybox_stats.series import Floats, group_codes

PEOPLE = "people"
WISE_GRADES = ("consistency", "realism", "aesthetic_quality")
CVTG_MEASURES = ("ned", "clipscore", "vqascore", "aesthetic_score")
RESAMPLES, SEED = 1000, 0


class NoOfficialScore(Refused):
    status = 422


def official_scores(
    study: Study, *, judge: str, slips: Sequence[str] = (), edition: str = ""
) -> dict[str, Any]:
    """`judge`: its name, or PEOPLE; empty where only one can be meant."""
    name = set_of(study)
    edition = _checked_edition(name, slips, edition)
    if judge == PEOPLE:
        told = scored_by_people(study, name, edition)
        if told is None:
            raise NoOfficialScore("People have not answered what the score of this set is made of.")
        who = {"judge": PEOPLE, "fingerprint": ""}
    else:
        run = _run(study, judge)
        told = scored_by_judge(run)
        who = {"judge": run.judge.name, "fingerprint": run.judge.fingerprint}
    return {
        "study": study.slug,
        "set": name,
        **who,
        "edition": edition,
        "as_coded": list(slips),
        "resamples": RESAMPLES,
        "seed": SEED,
        "generators": describe_generators(told, name, slips, edition),
    }


def describe_generators(
    told: Scored, name: str, slips: Sequence[str], edition: str
) -> list[dict[str, Any]]:
    with metadata_as_read():
        return [
            {
                "generator": generator,
                "images": len(rows),
                "prompts": len({row.prompt for row in rows}),
                "left_out": told.left_out[generator],
                "figures": [_figure_body(one) for one in figures(name, rows, slips, edition)],
            }
            for generator, rows in sorted(told.rows.items())
        ]


def scores_of_everybody(study: Study, *, slips: Sequence[str], edition: str) -> dict[str, Any]:
    """People first, then each judge that has what the score of the set is made of."""
    name = set_of(study)
    edition = _checked_edition(name, slips, edition)
    sources = []
    people = scored_by_people(study, name, edition)
    if people is not None:
        sources.append(_source(PEOPLE, "", people, name, slips, edition))
    for called, told, fingerprint in _judges(study, name, edition):
        source = _source(called, fingerprint, told, name, slips, edition)
        if any(one["figures"] for one in source["generators"]):
            sources.append(source)
    return {"set": name, "edition": edition, "as_coded": list(slips), "sources": sources}


def _source(
    called: str,
    fingerprint: str,
    told: Scored,
    name: str,
    slips: Sequence[str],
    edition: str,
) -> dict[str, Any]:
    generators = describe_generators(told, name, slips, edition)
    return {"name": called, "fingerprint": fingerprint, "generators": generators}


def _judges(study: Study, name: str, edition: str) -> Iterator[tuple[str, Scored, str]]:
    """A judge of one point alone has no score of the set; three of WISE's grades are one in its older
    edition."""
    runs = runs_by_name(study)
    points = _endings(name)
    parts: dict[str, dict[str, Run]] = defaultdict(dict)
    for called, run in runs.items():
        ending = next((end for end in points if called.endswith(f"-{end}")), "")
        owner = called.removesuffix(f"-{ending}")
        if ending and (name == "wise" or owner in runs):
            parts[owner][ending] = run
        else:
            yield called, scored_by_judge(run), run.judge.fingerprint
    if name == "wise" and edition == "legacy":
        for owner, graded in parts.items():
            if len(graded) == len(points):
                told = _together(study, [graded[end] for end in points])
                yield owner, told, graded[points[0]].judge.fingerprint


def _endings(name: str) -> tuple[str, ...]:
    """What the judges of single points are called after."""
    if name == "wise":
        return WISE_GRADES
    if name == "cvtg":
        return CVTG_MEASURES
    return tuple(point.replace("_", "-") for point in POINTS[name].names) if name in POINTS else ()


def _together(study: Study, runs: Sequence[Run]) -> Scored:
    """WISE's older grade of images that have all three."""
    grades: dict[int, list[float]] = defaultdict(list)
    for run in runs:
        for place, value in run.scores.values_list("image_id", "value"):
            if value is not None:
                grades[place].append(value)
    told = Scored()
    for image in images_of(study).filter(scores__run=runs[0]):
        generator, found = image.generator.name, grades.get(image.pk, [])
        if len(found) < len(runs):
            told.left_out[generator] += 1
        else:
            told.rows[generator].append(make_row(image, wise.legacy_grade(*found)))
    return told


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


def _figure_body(figure: Figure) -> dict[str, Any]:
    """Whole prompts are drawn: their sums are enough for that."""
    n = int((figure.parts[:, 1].sum(axis=0) > 0).sum())
    if not n or np.isnan(figure.value(slice(None))):
        reason = "Some of what it is made of has no image."
        return {"name": figure.name, "reason": reason, "n": n}
    codes, size = group_codes(figure.prompts, len(figure.prompts), what="prompts")
    sums = np.array(
        [[np.bincount(codes, part, minlength=size) for part in share] for share in figure.parts]
    )

    def values(table: Floats) -> Floats:
        above, below = np.einsum("rn,spn->psr", table, sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = above / below
        return np.array([figure.combine(shares[:, row]) for row in range(shares.shape[1])])

    counts = cluster_counts(size, RESAMPLES, SEED)
    result = interval(figure.value(slice(None)), values, counts, len(figure.prompts))
    if isinstance(result, Undefined):
        value = figure.value(slice(None))
        result = WithoutInterval(value, None, None, n, result.reason)
    return {"name": figure.name, **result.as_dict(), "n": n}


def set_of(study: Study) -> str:
    names = sets_of(study)
    if len(names) != 1:
        raise NoOfficialScore(
            "The prompts of this study are not those of one set: import them with the set's own format."
        )
    return names.pop()


def _checked_edition(name: str, slips: Sequence[str], edition: str) -> str:
    """The edition that is meant, once all that is wanted exists."""
    known = SLIPS.get(name, ())
    for slip in slips:
        if slip not in known:
            there = f"; it knows {', '.join(known)}" if known else ""
            raise NoOfficialScore(f"“{slip}” is no slip of the script of {name}{there}.")
    if edition and edition not in EDITIONS.get(name, ()):
        there = ", ".join(EDITIONS.get(name, ())) or "none"
        raise NoOfficialScore(f"“{edition}” is no edition of {name}; there are: {there}.")
    return edition or EDITIONS.get(name, ("",))[0]


def _run(study: Study, judge: str) -> Run:
    runs = runs_by_name(study)
    chosen = [run for name, run in runs.items() if judge in ("", name, run.judge.name)]
    if len(chosen) != 1:
        raise NoOfficialScore(
            f"Name one judge: {', '.join(runs) or 'none has scored this study yet'}."
        )
    return chosen[0]
