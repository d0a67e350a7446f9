"""The statistics against the ways they replace: time, and whether both agree.

    python -m tests.bench.bench_stats [--quick] [--only coverages …]

One thread, process CPU time, both sides in the same run on the same data. Where a baseline would
take minutes, a stated number of its resamples is timed and scaled, and the line says so. Exit
status 1 when a goal is missed or two sides disagree.
"""

from __future__ import annotations

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"

import argparse  # noqa: E402
import json  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from functools import partial  # noqa: E402

import krippendorff  # noqa: E402
import numpy as np  # noqa: E402
from scipy.stats import kendalltau  # noqa: E402
from sklearn.metrics import cohen_kappa_score, roc_auc_score  # noqa: E402

from jurybox_stats import agreement, raters, ties  # noqa: E402
from jurybox_stats.resamples import STATISTICS, Resamples  # noqa: E402
from jurybox_stats.sums.statistics import ByPrompt  # noqa: E402
from tests.bench.sizes import reached, sized  # noqa: E402
from tests.stats import coverage  # noqa: E402

RESAMPLES = sized(2000, 20)


@dataclass
class Row:
    work: str
    baseline: float | None
    ours: float
    goal: str
    met: bool
    agree: bool | None
    note: str = ""
    unit: str = "s"
    missed_by: str = ""

    def print(self) -> None:
        ratio = "" if self.baseline is None else f"{self.baseline / self.ours:,.1f}x"
        base = "-" if self.baseline is None else f"{self.baseline:.4g} {self.unit}"
        agree = {True: "agree", False: "DISAGREE", None: ""}[self.agree]
        verdict = "met" if self.met else f"MISSED {self.missed_by}".rstrip()
        print(
            f"{self.work:<58} baseline {base:>10}  ours {self.ours:>9.4g} {self.unit}"
            f"  ratio {ratio:>9}  goal {self.goal:<12} {verdict}  {agree}",
            flush=True,
        )
        if self.note:
            print(f"    {self.note}", flush=True)


def cpu(work: Callable, times: int = 1) -> tuple[float, object]:
    """The least CPU time of a few runs, and the result."""
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def at_least(work, baseline, ours, ratio, agree, note="") -> Row:
    missed = f"by {ratio / (baseline / ours):.2f}x"
    return Row(
        work, baseline, ours, f">= {ratio}x", baseline / ours >= ratio, agree, note, "s", missed
    )


def rated_images(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Means of three 1-5 ratings, most of them high, and a judge's scores: the best epsilon lies
    well inside, which is the hard case."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    ratings = np.clip(np.rint(5.2 + 1.6 * quality + 0.5 * rng.normal(size=(3, n))), 1, 5)
    return ratings.mean(axis=0), quality + 1.2 * rng.normal(size=n)


def sort_all_pairs(human: np.ndarray, metric: np.ndarray) -> tuple[float, int]:
    i, j = np.triu_indices(human.size, 1)
    gap = np.abs(metric[i] - metric[j])
    people = np.sign(human[i] - human[j])
    concordant = (people != 0) & (np.sign(metric[i] - metric[j]) == people)
    sign = np.where(people == 0, 1, np.where(concordant, -1, 0)).astype(np.int8)
    order = np.argsort(gap)
    gap = gap[order]
    surplus = np.cumsum(sign[order], dtype=np.int64)
    end = np.r_[gap[1:] != gap[:-1], True]
    gap, surplus = gap[end], surplus[end]
    if gap[0] > 0:
        gap, surplus = np.r_[0.0, gap], np.r_[0, surplus]
    top = int(np.argmax(surplus))
    return float(gap[top]), int(concordant.sum() + surplus[top])


def tie_calibration(quick: bool) -> list[Row]:
    rows = []
    n = sized(3000 if quick else 10_000, 200)
    human, metric = rated_images(n)
    ties.calibrate(human[:1000], metric[:1000])
    ours, found = cpu(lambda: ties.calibrate(human, metric), 5)
    baseline, (epsilon, right) = cpu(lambda: sort_all_pairs(human, metric))
    goal = 50 if quick else 250
    note = f"epsilon {found.epsilon!r}, {found.right} of {found.pairs} pairs right; stretch 900x"
    rows.append(
        at_least(
            f"tie calibration, {n:,} items, {np.unique(human).size} human levels",
            baseline,
            ours,
            goal,
            (found.epsilon, found.right) == (epsilon, right),
            note,
        )
    )
    for n in sized((50_000,) if quick else (200_000, 1_000_000), (1000,)):
        human, metric = rated_images(n)
        sort, _ = cpu(lambda metric=metric: np.sort(metric), 5)
        ours, found = cpu(
            lambda human=human, metric=metric: ties.calibrate(human, metric), 2 if n < 5e5 else 1
        )
        factor = ours / sort
        tracemalloc.start()
        ties.calibrate(human[: n // 4], metric[: n // 4])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        exact = ties.pairwise_accuracy(human, metric, epsilon=found.epsilon).value
        rows.append(
            Row(
                f"tie calibration, {n:,} items, against one np.sort",
                sort,
                ours,
                "<= 400 sorts",
                factor <= 400,
                abs(exact - found.accuracy) < 1e-12,
                f"{factor:,.0f} sorts; peak memory at {n // 4:,} items {peak / (n // 4):,.0f} bytes"
                f" an item (all pairs: {8 * n // 4:,}); accuracy recounted at the epsilon found",
                missed_by=f"by {factor / 400:.2f}x",
            )
        )
    return rows


def grouped(quick: bool) -> Row:
    rng = np.random.default_rng(2)
    prompts = np.repeat(np.arange(800), 10)
    human = np.clip(np.rint(3.5 + 1.3 * rng.normal(size=(3, 8000))), 1, 5).mean(axis=0)
    metric = human + 1.5 * rng.normal(size=8000)

    def ours():
        return Resamples(prompts).pairwise_accuracy_calibrated(human, metric, groups=prompts)

    taken, found = cpu(ours, 3)
    timed = sized(10 if quick else 40, 1)

    def without_each():
        kept = [prompts != one for one in range(timed)]
        return [ties.calibrate(human[k], metric[k], groups=prompts[k]).accuracy for k in kept]

    baseline, values = cpu(without_each)
    one = ByPrompt.of_slices(prompts, (human, metric), [np.arange(8000)], by_kind=False)
    left = one.pairs.best_without(np.arange(800), np.zeros(800, np.int64))[:timed]
    return at_least(
        "grouped 800 x 10, calibrated without each prompt",
        baseline * 800 / timed,
        taken,
        50,
        np.allclose(left, values, rtol=0, atol=1e-12) and found.low <= found.value <= found.high,
        f"baseline: {timed} calibrations, scaled to 800",
    )


def study(images: int = 25_000, prompts: int = 800, seed: int = 3):
    rng = np.random.default_rng(seed)
    prompt = rng.integers(0, prompts, images)
    easy = rng.normal(size=prompts)[prompt]
    people = (easy + rng.normal(size=images) > -0.3).astype(int)
    judge = easy + people + 1.2 * rng.normal(size=images)
    return prompt, people, judge


def left_out(quick: bool) -> list[Row]:
    prompt, people, judge = study()
    verdict = (judge > 0.5).astype(int)
    likert = np.clip(np.rint(3 + judge + np.random.default_rng(4).normal(size=judge.size)), 1, 5)
    timed = sized(8 if quick else 30, 1)

    def row(work, statistic, method, series, goal):
        kept = [prompt != one for one in range(timed)]
        baseline, expected = cpu(lambda: [statistic(*(s[k] for s in series)) for k in kept])
        taken, _ = cpu(lambda: getattr(Resamples(prompt), method)(*series), 3)
        draw = Resamples(prompt).draw
        left = STATISTICS[method](draw, *series).values(draw.left_out)[:timed]
        note = f"baseline: {timed} prompts left out, scaled to 800"
        same = np.allclose(left, expected, rtol=0, atol=1e-9)
        return at_least(work, baseline * 800 / timed, taken, goal, bool(same), note)

    return [
        row("AUROC, 25,000 images, without each of 800 prompts", roc_auc_score, "auroc",
            (people, judge), 60),
        row("Kendall tau-b (5 levels), the same", lambda a, b: kendalltau(a, b).statistic,
            "kendall_tau_b", (likert, judge), 30),
        row("Cohen's kappa, the same", cohen_kappa_score, "cohen_kappa", (people, verdict), 300),
    ]  # fmt: skip


def alpha(quick: bool) -> Row:
    rng = np.random.default_rng(5)
    units = sized(20_000 if quick else 100_000, 500)
    truth = rng.integers(1, 6, units)
    ratings = np.clip(truth + rng.integers(-1, 2, (5, units)), 1, 5).astype(float)
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    slowest, same = np.inf, True
    lines = []
    memory_ok = True
    base_total = ours_total = 0.0
    for level in ("nominal", "ordinal", "interval"):
        baseline, expected = cpu(
            lambda level=level: krippendorff.alpha(ratings, level_of_measurement=level), 2
        )
        ours, found = cpu(lambda level=level: agreement.krippendorff_alpha(ratings, level), 2)
        same &= abs(found.value - expected) < 1e-9
        peaks = []
        for work in (
            lambda level=level: krippendorff.alpha(ratings, level_of_measurement=level),
            lambda level=level: agreement.krippendorff_alpha(ratings, level),
        ):
            tracemalloc.start()
            work()
            peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
            tracemalloc.stop()
        memory_ok &= peaks[1] <= peaks[0] / 2
        slowest = min(slowest, baseline / ours)
        base_total, ours_total = base_total + baseline, ours_total + ours
        lines.append(f"{level} {baseline / ours:.2f}x, {peaks[1]:.0f} of {peaks[0]:.0f} MiB")
    met = slowest >= 1 and memory_ok
    return Row(
        f"Krippendorff's alpha, {units:,} units x 5 raters, 3 levels",
        base_total,
        ours_total,
        ">= 1x, 1/2 mem",
        met,
        same,
        "; ".join(lines),
        missed_by=f"(slowest {slowest:.2f}x, memory {'met' if memory_ok else 'missed'})",
    )


def whole_report(quick: bool) -> Row:
    """25,000 images x 5 judges x 8 generators: overall, by generator, tag, atomicity, variant."""
    images = sized(5_000 if quick else 25_000, 800)
    prompt, people, _ = study(images)
    rng = np.random.default_rng(6)
    generator = rng.integers(0, 8, images)
    raters = np.where(rng.random((3, images)) < 0.9, people, 1 - people).astype(float)
    partitions = [
        np.zeros(images, int),
        generator,
        prompt % 5,  # tags
        prompt % 8,  # atomicity
        rng.integers(0, 2, images),  # variant
    ]
    released = {str(g): f"{2021 + g // 2}-0{1 + g}-01" for g in range(8)}
    judges = [
        1 / (1 + np.exp(-(people + rng.normal(size=images) * (1 + 0.2 * k)))) for k in range(5)
    ]
    slices = numbers = 0

    def report():
        nonlocal slices, numbers
        slices = numbers = 0
        draw = Resamples(prompt, resamples=RESAMPLES)
        for level in ("nominal", "ordinal", "interval"):
            draw.krippendorff_alpha(raters, level)
        draw.unanimity(raters)
        for judge in judges:
            draw.slope_per_year(people, judge, generator, released)
            for partition in partitions:
                for part in np.unique(partition):
                    inside = partition == part
                    p, h, j = prompt[inside], people[inside], judge[inside]
                    verdict = (j >= 0.6).astype(int)
                    part_draw = Resamples(p, resamples=RESAMPLES)
                    found = [
                        part_draw.mean(h, scale=100),
                        part_draw.mean(j, scale=100),
                        part_draw.difference_of_means(h, j, scale=100),
                        part_draw.auroc(h, j),
                        part_draw.cohen_kappa(h, verdict),
                        part_draw.percent_agreement(h, verdict),
                        part_draw.kendall_tau_b(h, j),
                        part_draw.spearman(h, j),
                        part_draw.pearson(h, j),
                        part_draw.pairwise_accuracy(h, j),
                        part_draw.pairwise_accuracy_calibrated(h, j),
                        part_draw.pairwise_accuracy(h, j, groups=p),
                        part_draw.pairwise_accuracy_calibrated(h, j, groups=p),
                    ]
                    slices += 1
                    numbers += len(found)
                    assert all(f.low <= f.value <= f.high for f in found)

    taken, _ = cpu(report)
    return Row(
        f"the whole report: {images:,} images, 5 judges, 8 generators",
        None,
        taken,
        "< 60 s",
        taken < 60,
        None,
        f"{numbers:,} statistics with intervals on {slices} slices (overall, 8 generators, 5 tags,"
        f" 8 atomicities, 2 variants), {RESAMPLES:,} resamples each",
        missed_by=f"by {taken - 60:.0f} s",
    )


def apps_report(quick: bool) -> Row:
    """The same size through the app: rows of the database in, a stored report out."""
    command = [
        sys.executable,
        "-m",
        "tests.bench.whole_report",
        sized("5000" if quick else "25000", "800"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout.splitlines()[-1])
    return Row(
        f"the app's own report: {found['images']:,} images, 5 judges, 8 generators",
        None,
        found["cpu"],
        "< 60 s",
        found["cpu"] < 60,
        None,
        f"process CPU of pairing {found['pairing']:.1f} s, of the whole {found['cpu']:.1f} s; wall"
        f" {found['wall']:.1f} s; {found['slices']} slices, {RESAMPLES:,} resamples each",
        missed_by=f"by {found['cpu'] - 60:.0f} s",
    )


def large_report(quick: bool) -> Iterator[Row]:
    """Twelve judges and sixty tags: the first report, one of an unchanged study, one with one judge more,
    one after new labels."""
    command = [
        sys.executable,
        "-m",
        "tests.bench.large_report",
        sized("400" if quick else "3125", "20"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout.splitlines()[-1])
    first = found["first"]["cpu"]
    for name, work, goal in (
        ("first", "first report", 90.0),
        ("unchanged", "report of the unchanged study", 1.0),
        ("judge", "report with one judge more", 0.25 * first),
        ("after", "report after 100 new labels", 0.15 * first),
    ):
        part = found[name]
        note = (
            f"processor seconds of the process and its children; {part['cpu'] / first:.3f} of the first;"
            f" peak memory {part['peak'] / 2**20:,.0f} MiB; wall {part['wall']:.1f} s"
        )
        yield Row(
            f"{work}: {found['images']:,} images, 12 judges, 60 tags",
            None,
            part["cpu"],
            f"<= {goal:.3g} s",
            part["cpu"] <= goal,
            None,
            note,
            missed_by=f"by {part['cpu'] - goal:.1f} s",
        )


def one_by_one(quick: bool) -> list[Row]:
    """People one by one: their confusions, and how strict each is."""
    drawn = np.random.default_rng(3)

    def said(answers: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        images = np.repeat(np.arange(answers // 4), 4)
        raters = (
            drawn.integers(0, 40, answers // 4)[:, None] + np.array([0, 1, 3, 7])
        ).ravel() % 40
        right = (drawn.random(answers // 4) < 0.6)[images]
        wrong = drawn.random(images.size) < 0.05 + 0.005 * raters
        return images, raters, np.where(wrong, ~right, right) * 1.0

    rows = []
    for name, answers, goal, work in (
        ("Dawid-Skene", sized(10_000 if quick else 100_000, 400), None, raters.dawid_skene),
        (
            "severity with intervals",
            sized(100_000 if quick else 1_000_000, 400),
            10.0,
            lambda i, r, v: raters.severity(i, r, v, i),
        ),
    ):
        given = said(answers)
        took, found = cpu(partial(work, *given))
        rows.append(
            Row(
                f"{name}: {answers:,} answers by 40 people",
                None,
                took,
                f"<= {goal:g} s" if goal else "(told only)",
                goal is None or took <= goal,
                bool(found),
            )
        )
    return rows


def coverages(quick: bool) -> Iterator[Row]:
    """The share of worlds in which an interval of 95 % holds the truth. At the ends an interval may err
    on the safe side: there are few images on one side, or two judges hardly ever differ."""
    worlds = sized(100 if quick else 2000, 1)

    def row(work: str, held: coverage.Held, *, safe: bool = False) -> Row:
        # 93 to 97 %; three standard errors of the count are no miss.
        error = float(np.sqrt(0.95 * 0.05 / max(held.worlds, 1)))
        met = held.share >= 0.93 - 3 * error and (safe or held.share <= 0.97 + 3 * error)
        met |= not held.worlds  # refused, as it should be where few prompts hold the rarer answer
        note = f"± {error:.3f}, {held.worlds:,} worlds{'; may err on the safe side' * safe}"
        goal = ">= 0.93" if safe else "0.93 - 0.97"
        return Row(f"coverage: {work}", None, held.share, goal, bool(met), None, note, "of worlds")

    tasks: list[tuple[str, bool, Callable[[], coverage.Held]]] = []
    for kind in coverage.KINDS:
        safe = kind == "at the ends"
        for name in coverage.STATISTICS:
            for prompts, images in coverage.designs(name):
                count = partial(coverage.coverage, name, prompts, images, worlds, kind=kind)
                tasks.append((f"{name}, {kind}, {prompts} x {images}", safe, count))
        for name in coverage.COURSES:
            for prompts, size in coverage.OVER_TIME:
                count = partial(coverage.course_coverage, name, prompts, size, worlds, kind=kind)
                tasks.append((f"{name}, {kind}, {prompts} x {size}", safe, count))
    for prompts in coverage.SIZES:
        for images in (1, 4):
            for rate in coverage.RATES:
                few = prompts * images * min(rate, 1 - rate) < 5 or prompts < 20
                count = partial(coverage.share_coverage, prompts, images, rate, worlds)
                tasks.append((f"share {rate:g}, {prompts} x {images}", few, count))
    # Each row has worlds of its own, so that the cores of a machine share them.
    with ProcessPoolExecutor() as pool:
        counted = [(work, safe, pool.submit(count)) for work, safe, count in tasks]
        for work, safe, held in counted:
            yield row(work, held.result(), safe=safe)


PARTS = (
    tie_calibration, grouped, left_out, alpha, whole_report, apps_report, large_report, one_by_one,
    coverages,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, softer first goal")
    names = {part.__name__: part for part in PARTS}
    parser.add_argument("--only", choices=names, action="append", help="these parts alone")
    asked = parser.parse_args(arguments)
    rows: list[Row] = []
    for part in [names[name] for name in asked.only or names]:
        found = part(asked.quick)
        for row in [found] if isinstance(found, Row) else found:
            row.print()
            rows.append(row)
    missed = [row for row in rows if not row.met or row.agree is False]
    print(f"{len(rows) - len(missed)} of {len(rows)} rows met", flush=True)
    for row in missed:
        print(f"  missed: {row.work}: goal {row.goal} {row.missed_by}", flush=True)
    return 0 if all(reached(row.met) and row.agree is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
