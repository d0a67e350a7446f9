"""A lake judged by Ray: tasks read files into slices, actors that hold the judge take them as they come.

Ray Data holds readers back while judges are busy, and gives to others what a killed process had in hand.
Only judges need Django and the engines; readers are plain.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from annotations.errors import Refused
from judges.lake import slices
from judges.lake.sources import LakeRefused, Shard, needs

if TYPE_CHECKING:
    # Workers import this file before Django knows its settings.
    from judges.lake.judge_slice import JudgeChoice
    from judges.lake.work import Shape, Todo

# Processes that may die over one slice; the machine may be at fault, or a picture.
DEATHS = 5
# What a reader takes of a core: it waits for a disk or a network, and cuts.
OF_READER = 0.5
# Beside weights of W gigabytes a card holds pictures and what is computed of them.
ROOM, ROOM_GB = 1.5, 1.0
MOST_ON_A_CARD = 8


def on_ray(*, address: str = "", workers: int = 0) -> Callable[..., Iterator[dict[str, Any]]]:
    """`address`: of a cluster that is there; else one is started here. `workers`: judges at once."""

    def results(asked: JudgeChoice, shape: Shape, todo: Todo) -> Iterator[dict[str, Any]]:
        ray = _ray()
        is_ours = not ray.is_initialized()
        if is_ours:
            _join(ray, address)
        try:
            yield from _stream(ray, asked, shape, todo, workers)
        except ray.exceptions.RayError as error:
            raise LakeRefused(_sentence(error)) from error
        finally:
            if is_ours:
                ray.shutdown()

    return results


def gpu_share(weights_gb: float | None, card_gb: float | None) -> float:
    """Of one card, or several whole ones where the weights are larger than one."""
    if not weights_gb or not card_gb:
        return 1.0
    wanted = ROOM * weights_gb + ROOM_GB
    if wanted > card_gb:
        return float(math.ceil(weights_gb / card_gb))
    return 1.0 / min(int(card_gb // wanted), MOST_ON_A_CARD)


def _ray() -> Any:
    try:
        return needs("ray")
    except LakeRefused:
        raise LakeRefused(
            "A cluster needs Ray: pip install 'jurybox[ray]' (requirements-ray.txt). With --here this process "
            "judges alone."
        ) from None


def _join(ray: Any, address: str) -> None:
    from django.conf import settings

    environment = {"env_vars": {"DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE}}
    own: dict[str, Any] = {} if address else {"include_dashboard": False}
    try:
        ray.init(
            address=address or "local",
            runtime_env=environment,
            log_to_driver=False,
            logging_level=logging.WARNING,
            **own,
        )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        where = address or "here"
        raise LakeRefused(f"Ray cannot be reached at {where}: {error}.") from error


def _stream(
    ray: Any, asked: JudgeChoice, shape: Shape, todo: Todo, workers: int
) -> Iterator[dict[str, Any]]:
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    # A slice is a block: whoever dies loses one, and the next one goes to whoever is free.
    context.target_max_block_size = 1
    context.verbose_stats_logs = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    files = [
        {"file": json.dumps([shard.root, shard.path, shard.name, shard.size, sorted(there)])}
        for shard, there in todo
    ]
    told = (
        ray.data.from_items(files, override_num_blocks=len(files))
        .map_batches(
            Reading(dict(shape.columns), shape.per_part),
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=OF_READER,
            max_retries=DEATHS,
        )
        .map_batches(
            Judging,
            fn_constructor_args=[(asked.name, dict(asked.options), asked.recipe)],
            batch_size=1,
            batch_format="pyarrow",
            max_task_retries=DEATHS,
            **_share(ray, asked, workers),
        )
    )
    for batch in told.iter_batches(batch_size=1, batch_format="pyarrow", prefetch_batches=0):
        for result in batch["result"]:
            yield json.loads(result.as_py())


def _share(ray: Any, asked: JudgeChoice, workers: int) -> dict[str, Any]:
    """What one judge takes, and how many there are."""
    there = ray.cluster_resources()
    cores, cards = there.get("CPU", 1.0), there.get("GPU", 0.0)
    if cards and _uses_gpu(asked):
        share = gpu_share(_weights_gb(asked), _card_gb(ray))
        return {
            "num_cpus": OF_READER,
            "num_gpus": share,
            "compute": _pool(ray, workers or max(1, int(cards / share))),
        }
    of_judge = 1.0 if cores >= 1 + OF_READER else OF_READER
    return {
        "num_cpus": of_judge,
        "compute": _pool(ray, workers or max(1, int((cores - OF_READER) / of_judge))),
    }


def _pool(ray: Any, judges: int) -> Any:
    return ray.data.ActorPoolStrategy(size=judges)


def _uses_gpu(asked: JudgeChoice) -> bool:
    from jurybox_judging import registry

    told = registry.declared_options(asked.name)
    devices = {
        asked.options.get(name, one.default)
        for name, one in told.items()
        if name.endswith(".device")
    }
    return bool(devices - {"cpu"})


def _weights_gb(asked: JudgeChoice) -> float | None:
    """By the table of weights, as docs/judge-tables.md has it."""
    from judges.runs.readiness import readiness
    from jurybox_judging import catalogue

    entry = catalogue.entry(asked.name)
    return readiness(entry, {**entry.all_options, **asked.options}).wants_gb


def _card_gb(ray: Any) -> float | None:
    """Of the first card that answers: the cards of a cluster are taken to be alike."""
    return ray.get(ray.remote(num_gpus=1, num_cpus=0)(_own_card_gb).remote())


def _own_card_gb() -> float | None:
    from judges.runs.machine_memory import card_gb

    return card_gb()


class Reading:
    """Files into slices."""

    def __init__(self, columns: Mapping[str, str], per_part: int) -> None:
        self.columns, self.per_part = columns, per_part

    # Ray takes a plain function or a class, and makes actors of the second.
    @property
    def __name__(self) -> str:
        return "read"

    def __call__(self, table: Any) -> Iterator[Any]:
        for file in table["file"]:
            *shard, there = json.loads(file.as_py())
            try:
                for one in slices.read_slices(
                    Shard(*shard), columns=self.columns, per_part=self.per_part, without=there
                ):
                    yield slices.as_table(one)
            except Refused as refusal:
                yield slices.refused_table(refusal.message)


class Judging:
    """A judge that stays, with its engines loaded."""

    def __init__(self, asked: tuple[str, Mapping[str, Any], str]) -> None:
        import django

        django.setup()
        from judges.lake.judge_slice import JudgeChoice, SliceJudge

        self._refused = ""
        try:
            self._judge = SliceJudge(JudgeChoice(*asked))
        except Refused as refusal:
            self._refused = refusal.message

    def __call__(self, table: Any) -> Iterator[Any]:
        pyarrow = needs("pyarrow")
        for one in slices.from_table(table):
            if isinstance(one, str) or self._refused:
                result = {"refused": self._refused or one}
            else:
                result = self._judge.results(one)
            yield pyarrow.table({"result": [json.dumps(result)]})


def _sentence(error: BaseException) -> str:
    cause = getattr(error, "cause", None) or error
    kind = type(error).__name__
    kept = "All parts that were written are kept; give the same command again."
    if kind in ("ActorDiedError", "WorkerCrashedError", "ActorUnavailableError"):
        return f"A process died {DEATHS + 1} times over the same pictures, perhaps for lack of memory. {kept}"
    first = (str(cause).strip() or kind).splitlines()[-1]
    return f"Ray has stopped: {first} {kept}"
