"""What is wrong with each image of a run of AlignScore, as pairs of prompts to repair it by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from annotations.errors import Refused
from annotations.models import Study
from judges.models import Run, Score
from judges.names import runs_by_name
from jurybox_judging.methods.align_score import AlignScore, asked_of
from jurybox_judging.methods.revising import revise

COLUMNS = (
    "image_id", "prompt_id", "prompt", "generator", "judge", "score", "wanted", "found",
    "other_findings",
)  # fmt: skip
CHUNK = 500


def run_of(study: Study, judge: str | None = None) -> tuple[str, Run]:
    """The one run whose findings are wanted, and its judge's name in the study."""
    runs = {
        name: run
        for name, run in runs_by_name(study).items()
        if run.judge.method == AlignScore.identity and judge in (None, name, run.judge.name)
    }
    if not runs:
        asked = f"“{judge}” is no judge of this study that" if judge else "No judge of this study"
        raise Refused(f"{asked} finds instances, colors and relations as AlignScore does.")
    if len(runs) > 1:
        raise Refused(f"Which of {', '.join(runs)}? Name it with --judge.")
    return next(iter(runs.items()))


def repairs(name: str, run: Run, left_out: Counter[str]) -> Iterator[dict[str, object]]:
    """A row for each image with something to repair, by key; `left_out` counts the others, by reason."""
    threshold = float(run.judge.options.get("position_threshold", AlignScore().position_threshold))
    scores = (
        Score.objects.filter(run=run)
        .select_related("image__prompt", "image__generator")
        .order_by("image__key")
    )
    for score in scores.iterator(chunk_size=CHUNK):
        image, prompt = score.image, score.image.prompt
        asked = asked_of(prompt.metadata)
        if score.value is None or isinstance(asked, str):
            left_out["without a score"] += 1
            continue
        if "detections" not in score.evidence:
            left_out["scored elsewhere, without what was found"] += 1
            continue
        made = revise(*asked, score.evidence["detections"], threshold=threshold)
        if made is None:
            left_out["nothing to repair"] += 1
            continue
        yield {
            "image_id": image.key,
            "prompt_id": prompt.key,
            "prompt": prompt.text,
            "generator": image.generator.name,
            "judge": name,
            "score": score.value,
            "wanted": made.wanted,
            "found": made.found,
            "other_findings": int(made.others),
        }


def describe(name: str, run: Run, *, file: str, format: str, signature: str) -> dict[str, object]:
    """The sidecar of a file of repairs."""
    study = run.study
    return {
        "what": f"What is to be repaired in the images of “{study.title}” ({study.slug}), from Jurybox.",
        "file": file,
        "format": format,
        "rules": "inferred from figure 12 of M3T2IBench’s paper, which prints none",
        "signature": {"sha256": signature, "judges": {name: run.judge.fingerprint}},
    }
