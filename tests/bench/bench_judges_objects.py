"""The engines of the object judges against the official way, on random weights of the true size.

    python -m tests.bench.bench_judges_objects [--quick]

Color step: the official way makes for every picture and class a data loader with four worker
processes and embeds its crops; text embeddings are kept per class. Detector: the official way is
`inference_detector`, one picture at a time. Both sides work on the same pictures with the same
weights in the same run, whole machine, wall clock; processor time is told beside it. A trained
detector is sure of some twenty of its hundred queries; a random one of none, so the bias of its
"nothing" is set such that twenty queries pass. Full-size models take seconds a picture without a
GPU, hence the small numbers of pictures. Exit status 1 when a goal is missed or the two sides
disagree.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")

from jurybox_judging.engines import mmdetection
from jurybox_judging.engines.clip import OpenClip, _short_reader
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.protocols import ColorOf, Objects
from tests.bench.sizes import SMALL, reached, sized

SIDE = 1024  # of the pictures, as most generators draw them
COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white")
COLORS = COLORS[: sized(len(COLORS), 2)]
TEMPLATES = (
    "a photo of a {color} {noun}",
    "a photo of a {color}-colored {noun}",
    "a photo of a {color} object",
)[: sized(3, 1)]
NOUNS = ("wine glass", "apple", "bus", "toothbrush", "dog", "bench", "tie", "sink")
SURE = 20  # queries of a hundred that a trained detector is sure of
COLOR_GOAL, DETECTOR_GOAL, GPU_GOAL = 4.5, 1.3, 4.0
CLOSE = 1e-4


@dataclass
class Timed:
    wall: float
    cpu: float
    found: Any


def timed(work: Callable[[], Any]) -> Timed:
    wall, cpu = time.perf_counter(), _processor_time()
    found = work()
    if device() == "cuda":
        prepare().cuda.synchronize()
    return Timed(time.perf_counter() - wall, _processor_time() - cpu, found)


def _processor_time() -> float:
    """Of this process and of the worker processes that it has seen end."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def told(work: str, official: Timed, ours: Timed, goal: float | None, agree: str | None) -> bool:
    ratio = official.wall / ours.wall
    met = goal is None or ratio >= goal
    aim = "told only" if goal is None else f"goal >= {goal}x {'met' if met else 'MISSED'}"
    print(
        f"{work:<52} baseline {official.wall:7.2f} s (CPU {official.cpu:7.2f})  "
        f"ours {ours.wall:7.2f} s (CPU {ours.cpu:7.2f})  ratio {ratio:5.2f}x  {aim}  "
        f"{'agree' if not agree else f'DISAGREE: {agree}'}",
        flush=True,
    )
    return reached(met) and not agree


def device() -> str:
    return "cuda" if prepare().cuda.is_available() else "cpu"


def picture(seed: int) -> Image.Image:
    small = np.random.default_rng(seed).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    return Image.fromarray(small).resize((SIDE, SIDE), Image.Resampling.BICUBIC)


# --- the color step


class RandomClip(OpenClip):
    def _load(self) -> None:
        torch = prepare()
        import open_clip

        torch.manual_seed(0)
        self._dtype = torch.float32
        self._net, _, self._prepare_image = open_clip.create_model_and_transforms(self.model)
        self._net.to(device()).eval()
        self._tokenize = open_clip.get_tokenizer(self.model)
        self._encode_text = _short_reader(self._net)


def crops_of(pictures: Sequence[Image.Image]) -> list[tuple[Image.Image, Any, ColorOf]]:
    """Two things of two classes in each picture, with masks; four pictures share a prompt."""
    torch = prepare()
    crops = []
    for at, image in enumerate(pictures):
        for second in (0, 1):
            noun = NOUNS[(2 * (at // 4) + second) % len(NOUNS)]
            left, above = 60 + 400 * second + 7 * at, 100 + 5 * at
            mask = torch.zeros((1, SIDE, SIDE), dtype=torch.bool)
            mask[0, above : above + 300, left : left + 260 + 10 * at] = True
            mask[0, above + 50 : above + 80, left + 30 : left + 60] = False
            box = [float(left), float(above), float(left + 260 + 10 * at), float(above + 300)]
            thing = {"class": noun, "score": 0.9, "box": box}
            thing["mask"] = run_lengths.encode(mask)[0]
            crops.append((image, thing, ColorOf(Objects(), second, noun, COLORS, TEMPLATES)))
    return crops


class OfficialCrops:
    """A data set of one class in one picture: paint over the whole picture, cut, prepare."""

    def __init__(self, image: Image.Image, things: list[dict], prepare_image: Callable) -> None:
        self._image = image.convert("RGB")
        self._blank = Image.new("RGB", image.size, color="#999")
        self._things = things
        self._prepare = prepare_image

    def __len__(self) -> int:
        return len(self._things)

    def __getitem__(self, at: int) -> tuple[Any, int]:
        box, mask = self._things[at]["box"], self._things[at]["pixels"]
        painted = Image.composite(self._image, self._blank, Image.fromarray(mask))
        return self._prepare(painted.crop(box)), 0


def official_colors(engine: RandomClip, crops: list, rows: dict[str, Any]) -> list[tuple[str, Any]]:
    """One loader for each picture and class, as the official script does (every crop here is the
    only one of its class)."""
    torch = prepare()
    functional = torch.nn.functional
    named = []
    for image, thing, want in crops:
        if want.noun not in rows:
            rows[want.noun] = official_rows(engine, want)
        things = [{**thing, "pixels": run_lengths.decode(thing["mask"])}]
        loader = torch.utils.data.DataLoader(
            OfficialCrops(image, things, engine._prepare_image), batch_size=16, num_workers=4
        )
        with torch.no_grad():
            for pixels, _ in loader:
                seen = engine._net.encode_image(pixels.to(device()))
                logits = 100.0 * functional.normalize(seen, dim=-1) @ rows[want.noun]
                named.append((COLORS[int(logits.argmax(1)[0])], logits[0].float().cpu()))
    return named


def official_rows(engine: RandomClip, want: ColorOf) -> Any:
    """The embeddings of one class, all texts padded to 77 tokens, color by color."""
    torch = prepare()
    rows = []
    with torch.no_grad():
        for color in COLORS:
            texts = [t.format(color=color, noun=want.noun) for t in TEMPLATES]
            tokens = engine._tokenize(texts).to(device())
            said = torch.nn.functional.normalize(engine._net.encode_text(tokens), dim=-1).mean(0)
            rows.append(said / said.norm())
    return torch.stack(rows, 1)


def color_step(name: str, count: int, goal: float | None) -> bool:
    """First with all texts embedded beforehand, then with the texts of the classes, too."""
    torch = prepare()
    engine = RandomClip(model=name, batch=32)
    engine.load()
    crops = crops_of([picture(seed) for seed in range(count)])
    rows = {want.noun: official_rows(engine, want) for _, _, want in crops}
    engine.colors(crops[:1])
    engine._color_rows([want for _, _, want in crops])

    official = timed(lambda: official_colors(engine, crops, rows))
    ours = timed(lambda: engine.colors(crops))
    with torch.inference_mode():
        mine = _logits(engine, crops)
    apart = max(
        float((a - b.cpu()).abs().max()) for (_, a), b in zip(official.found, mine, strict=True)
    )
    # Logits are a hundred cosines: two colors nearer to each other than rounding are a tie.
    wrong = sum(a != b for (a, _), b in zip(official.found, ours.found, strict=True))
    agree = f"{wrong} of {len(crops)} colors differ" if wrong else ""
    print(f"    {len(crops)} crops, largest difference of a cosine {apart / 100:.1e}", flush=True)
    met = told(f"colors, {name}, {count} pictures x 2 classes", official, ours, goal, agree)
    alone = timed(lambda: _network_alone(engine, crops))
    print(
        f"    the network alone, all crops at once: {alone.wall:.2f} s (CPU {alone.cpu:.2f}), which is "
        f"{alone.cpu / ours.cpu:.0%} of our CPU; with nothing around it, CPU would be "
        f"{official.cpu / alone.cpu:.2f}x the baseline's, ours is {official.cpu / ours.cpu:.2f}x",
        flush=True,
    )

    engine._rows.clear()
    engine._texts.clear()
    with_texts = timed(lambda: official_colors(engine, crops, {}))
    ours_too = timed(lambda: engine.colors(crops))
    told(f"    with the texts of {len(rows)} classes", with_texts, ours_too, None, None)
    return met


def _network_alone(engine: RandomClip, crops: list) -> None:
    """What no way of looking can do without: each crop once through the pictures' encoder."""
    torch = prepare()
    side = engine._net.visual.image_size
    side = side if isinstance(side, tuple) else (side, side)
    with torch.inference_mode():
        for start in range(0, len(crops), engine.batch):
            some = len(crops[start : start + engine.batch])
            engine._net.encode_image(torch.rand((some, 3, *side), device=device()))


def _logits(engine: RandomClip, crops: list) -> list[Any]:
    from jurybox_judging.engines.clip import cut_out

    seen = engine._look([cut_out(*crop) for crop in crops])
    rows = engine._color_rows([want for _, _, want in crops])
    return [100.0 * row @ one for row, one in zip(rows, seen, strict=True)]


# --- the detector


def official_detector() -> Any:
    torch = prepare()
    library = mmdetection.library()
    from pathlib import Path

    from mmdet.apis import init_detector

    torch.manual_seed(0)
    config = Path(library.__file__).parent / f".mim/configs/mask2former/{mmdetection.CONFIG}.py"
    with mmdetection._quiet():
        model = init_detector(
            str(config), None, device=device(), cfg_options={"model.backbone.init_cfg": None}
        )
    with torch.no_grad():
        for name, weight in model.panoptic_head.named_parameters():
            if weight.ndim > 1 and "pixel_decoder.encoder" not in name:
                weight.normal_(0, weight.shape[-1] ** -0.5)
        model.panoptic_head.cls_embed.weight.mul_(4)
    return model


class RandomDetector(mmdetection.MMDetection):
    def _load(self) -> None:
        self._net = official_detector()
        self._make_sure_of_some()

    def _make_sure_of_some(self) -> None:
        """Set the bias of "nothing" such that the wanted number of queries pass the floor."""
        torch = prepare()
        with torch.inference_mode():
            pixels = self._framed([picture(0)], (800, 800))
            logits = self._queries(pixels)[0][0].float()
        low, high = -20.0, 40.0
        for _ in range(40):
            middle = (low + high) / 2
            shifted = torch.cat([logits[:, :-1], logits[:, -1:] + middle], 1)
            passing = int((shifted.softmax(1)[:, :-1].max(1).values > self.floor).sum())
            low, high = (middle, high) if passing > SURE else (low, middle)
        with torch.no_grad():
            self._net.panoptic_head.cls_embed.bias[-1] += high


def detector(count: int, goal: float) -> bool:
    engine = RandomDetector("random", device=device(), batch=4)
    engine.load()
    pictures = [picture(seed) for seed in range(count)]
    from mmdet.apis import inference_detector

    def one_by_one() -> list[Any]:
        with mmdetection._quiet():
            return [
                inference_detector(engine._net, np.ascontiguousarray(np.array(image)[:, :, ::-1]))
                for image in pictures
            ]

    if not SMALL:
        engine.detect([picture(99)])  # the first call prepares kernels for both
    official = timed(one_by_one)
    ours = timed(lambda: engine.detect(pictures))
    met = told(
        f"detector, full size, {count} pictures",
        official,
        ours,
        goal,
        _differing(engine, official.found, ours.found),
    )
    engine.floor = 0.0
    everything = timed(lambda: engine.detect(pictures))
    told(
        "    with every mask drawn, however unlikely",
        official,
        everything,
        None,
        _differing(engine, official.found, everything.found),
    )
    return met


def _differing(engine: Any, official: list, ours: list) -> str:
    """What differs by more than rounding, in words; detections at the very floor may fall."""
    worst, found = 0.0, 0
    for seen, detections in zip(official, ours, strict=True):
        told = seen.pred_instances
        theirs = [
            (engine.classes[int(label)], float(score), box.tolist())
            for label, score, box in zip(told.labels, told.scores, told.bboxes, strict=True)
            if score > engine.floor
        ]
        if [name for name, _, _ in theirs] != [d["class"] for d in detections]:
            return f"{len(theirs)} detections against {len(detections)}"
        for (_, score, box), detection in zip(theirs, detections, strict=True):
            worst = max(worst, abs(score - detection["score"]))
            if max(abs(a - b) for a, b in zip(box, detection["box"], strict=True)) > 1:
                return f"the box {box} against {detection['box']}"
        found += len(detections)
    print(f"    {found} detections, largest difference of a score {worst:.1e}", flush=True)
    return f"scores by {worst:.1e}" if worst > CLOSE else ""


def share_of_peak(count: int = 64) -> None:
    """Pictures a second, and how much of what this GPU's matrices can do that is."""
    torch = prepare()
    from torch.utils.flop_counter import FlopCounterMode

    pictures = [picture(seed) for seed in range(count)]
    for precision in ("float32", "bfloat16"):
        engine = RandomDetector("random", device="cuda", batch=16, precision=precision)
        engine.load()
        engine.detect(pictures[:16])
        with FlopCounterMode(display=False) as counter, torch.inference_mode(), engine._lowered():
            engine._queries(engine._framed(pictures[:1], (800, 800)))
        spent = timed(lambda engine=engine: engine.detect(pictures))
        done = counter.get_total_flops() * count / spent.wall
        peak = _peak(getattr(torch, precision))
        print(
            f"    {precision}: {count / spent.wall:.1f} pictures a second end to end, "
            f"{done / 1e12:.1f} of {peak / 1e12:.1f} TFLOP/s ({done / peak:.0%})",
            flush=True,
        )


def _peak(dtype: Any, side: int = 8192) -> float:
    """Measured, not from a data sheet: one large product again and again."""
    torch = prepare()
    one = torch.randn((side, side), device="cuda", dtype=dtype)
    one @ one
    spent = timed(lambda: [one @ one for _ in range(20)])
    return 20 * 2 * side**3 / spent.wall


def main(quick: bool) -> bool:
    import django

    django.setup()
    torch = prepare()
    print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, {device()}", flush=True)
    on_gpu = device() == "cuda"
    met = [color_step("ViT-B-32", sized(6 if quick else 24, 1), COLOR_GOAL)]
    if not quick and not SMALL:
        # GenEval's own size: on a CPU the pictures' encoder outweighs everything around it.
        met.append(color_step("ViT-L-14", 24 if on_gpu else 4, GPU_GOAL if on_gpu else None))
    met.append(
        detector(
            1 if quick or SMALL else 32 if on_gpu else 3, GPU_GOAL if on_gpu else DETECTOR_GOAL
        )
    )
    if on_gpu:
        share_of_peak()
    else:
        print("No GPU here: nothing said about pictures a second and the share of its peak.")
    return all(met)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pictures")
    sys.exit(0 if main(parser.parse_args().quick) else 1)
