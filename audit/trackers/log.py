"""A report to MLflow, Weights & Biases, trackio or TensorBoard: scalars, and the JSON as an artefact.

Each library is imported when it is used; it reads its own settings and tokens.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from annotations.errors import Refused
from annotations.storage.written_files import WrittenFolder
from audit.models import Report
from jurybox_formats.plugins import CallFailed, CallHangs, call_within

# Trackers take letters, digits and these in a name.
UNFIT = re.compile(r"[^\w\-. /]+", re.ASCII)
LONGEST = 250
# What says how the report was made, not what it found.
NOT_NUMBERS = {"signature", "schema", "missing"}


# For all that a tracker is sent.
SECONDS = 600.0
# MLflow takes so many metrics in one request.
BATCH = 1000


class Logged(NamedTuple):
    numbers: int
    undefined: int
    where: str


class ToLog(NamedTuple):
    name: str
    about: dict[str, str]
    values: dict[str, float]
    step: int
    file: Path


def log(report: Report, tracker: str, *, project: str = "jurybox", folder: Path) -> Logged:
    """`folder`: where TensorBoard writes, and Weights & Biases while it sends."""
    found = report_scalars(report.body)
    study = report.study
    about = {
        "study": study.slug,
        "report": str(report.pk),
        "data": report.data,
        "question": str(report.body.get("question", "")),
        "judges": json.dumps(
            {
                name: facts.get("fingerprint", "")
                for name, facts in report.body["signature"].get("judge_facts", {}).items()
            }
        ),
        "undefined": str(found.undefined),
    }
    with tempfile.TemporaryDirectory(prefix="jurybox-report-") as place:
        file = Path(place) / f"{study.slug}-report-{report.pk}.json"
        file.write_text(json.dumps(report.body, ensure_ascii=False))
        name = f"{study.slug} {report.created_at:%Y-%m-%d %H:%M}"
        given = ToLog(name, about, found.values, report.pk, file)
        where = _within_time(tracker, given, project, folder)
    return Logged(len(found.values), found.undefined, where)


def _within_time(tracker: str, given: ToLog, project: str, folder: Path) -> str:
    """The libraries have threads and retries of their own."""
    title, send = TRACKERS[tracker]
    try:
        return str(call_within(SECONDS, tracker, send, given, project, folder))
    except CallFailed as failure:
        if isinstance(failure.error, Refused):
            raise failure.error from None
        raise _refused(title, failure.error) from failure.error
    except CallHangs:
        raise Refused(f"{title} did not answer within {SECONDS / 60:g} minutes.") from None


def _mlflow(given: ToLog, project: str, folder: Path) -> str:
    mlflow = _library("mlflow", "mlflow")
    mlflow.set_experiment(project)
    with mlflow.start_run(run_name=given.name) as run:
        mlflow.set_tags({f"jurybox.{name}": value for name, value in given.about.items()})
        names = list(given.values)
        for start in range(0, len(names), BATCH):
            some = {name: given.values[name] for name in names[start : start + BATCH]}
            mlflow.log_metrics(some, step=given.step)
        mlflow.log_artifact(str(given.file))
        return f"MLflow, run {run.info.run_id}"


def _wandb(given: ToLog, project: str, folder: Path) -> str:
    wandb = _library("wandb", "wandb")
    folder.mkdir(parents=True, exist_ok=True)
    run = wandb.init(project=project, name=given.name, config=given.about, dir=str(folder))
    run.log(given.values, step=given.step)
    artefact = wandb.Artifact(f"report-{given.step}", type="report")
    artefact.add_file(str(given.file))
    run.log_artifact(artefact)
    run.finish()
    return f"Weights & Biases, run {run.id}"


def _trackio(given: ToLog, project: str, folder: Path) -> str:
    """It keeps its runs where its own TRACKIO_DIR says, and starts no dashboard here."""
    trackio = _library("trackio", "trackio")
    quiet = {"embed": False, "auto_log_gpu": False, "auto_log_cpu": False}
    run = trackio.init(project=project, name=given.name, config=given.about, **quiet)
    run.log(given.values, step=given.step)
    artefact = trackio.Artifact(f"report-{given.step}", type="report")
    artefact.add_file(str(given.file))
    run.log_artifact(artefact)
    run.finish()
    return f"trackio, run {run.id}"


def _tensorboard(given: ToLog, project: str, folder: Path) -> str:
    """The writer is tensorboardX: torch's needs torch, which a web host has not."""
    library = _library("tensorboardX", "tensorboardX")
    place = folder / project / given.about["study"]
    writer = library.SummaryWriter(str(place))
    for name, value in given.values.items():
        writer.add_scalar(name, value, given.step)
    writer.add_text("report.json", given.file.read_text(), given.step)
    writer.close()
    # TensorBoard has no artefacts: the whole report lies beside its numbers.
    with WrittenFolder(place, "reports", beside_others=True).file(given.file.name) as file:
        file.write(given.file.read_bytes())
    return str(place)


TRACKERS: dict[str, tuple[str, Callable[[ToLog, str, Path], str]]] = {
    "mlflow": ("MLflow", _mlflow),
    "wandb": ("Weights & Biases", _wandb),
    "trackio": ("trackio", _trackio),
    "tensorboard": ("TensorBoard", _tensorboard),
}


def _library(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Refused(f"{package} is not installed: pip install {package}.") from None


def _refused(tracker: str, error: BaseException) -> Refused:
    words = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:300]
    return Refused(f"{tracker} did not take it: {words}.")


class Scalars(NamedTuple):
    values: dict[str, float]
    undefined: int


def report_scalars(body: dict[str, Any]) -> Scalars:
    """`judges/clip/overall/kendall_tau_b/value` and so on; entries of a list by their name. What is undefined is
    not 0: it is missing, and counted."""
    values: dict[str, float] = {}
    undefined = 0

    def walk(name: str, value: Any) -> None:
        nonlocal undefined
        if isinstance(value, dict):
            if "undefined" in value:
                undefined += 1
                return
            for key, inner in value.items():
                if name or key not in NOT_NUMBERS:
                    walk(f"{name}/{key}" if name else str(key), inner)
        elif isinstance(value, list):
            named = [item.get("name") if isinstance(item, dict) else None for item in value]
            # Lists without names are curves and pairs: no scalars.
            if (
                value
                and all(isinstance(one, str) for one in named)
                and len(set(named)) == len(named)
            ):
                for one, item in zip(named, value, strict=True):
                    walk(f"{name}/{one}", {k: v for k, v in item.items() if k != "name"})
        elif isinstance(value, bool) or isinstance(value, int | float) and math.isfinite(value):
            values[fit(name)] = float(value)

    walk("", body)
    return Scalars(values, undefined)


def fit(name: str) -> str:
    return UNFIT.sub("_", name)[:LONGEST]
