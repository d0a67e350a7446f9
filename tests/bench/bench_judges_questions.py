"""Questions about a picture, all in one pass, against one forward pass for each.

    python -m tests.bench.bench_judges_questions [--quick]

A model in the shape of Qwen3-VL with random weights (hidden 512, 8 layers, 8 heads on 2; a vision
tower of 6 layers of 192), float32. The baseline is the official way of asking: the processor and
`generate` for one new token, once per question. One thread, process CPU time, the least of a few
rounds, both sides in the same run. Exit status 1 when a goal is missed or two sides disagree.
"""

from __future__ import annotations

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import argparse  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from jurybox_judging.engines.qwen_vl import QwenVL  # noqa: E402
from jurybox_judging.engines.shared.torch_setup import prepare  # noqa: E402
from jurybox_judging.methods.shared.answer_spellings import variants  # noqa: E402
from jurybox_judging.protocols import Answer, Question  # noqa: E402
from tests.bench.sizes import SMALL, reached, sized  # noqa: E402
from tests.judging.engines import tiny_qwen  # noqa: E402

TEXT = {
    "hidden_size": 512,
    "intermediate_size": 1536,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "initializer_range": 0.02,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [12, 10, 10]},
}
VISION = {
    "depth": 6,
    "hidden_size": 192,
    "intermediate_size": 768,
    "num_heads": 6,
    "num_position_embeddings": 2304,
    "deepstack_visual_indexes": [1, 3, 5],
    "initializer_range": 0.02,
}
# The shape of Qwen3-VL-8B, for a machine with an accelerator.
LARGE_TEXT = TEXT | {
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [24, 20, 20]},
}
LARGE_VISION = VISION | {
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_heads": 16,
    "deepstack_visual_indexes": [8, 16, 24],
}
# (side of the picture, questions) -> times as fast as one forward pass per question.
GOALS = {
    (256, 3): 2.2,
    (256, 6): 3.5,
    (256, 10): 4.5,
    (512, 3): 2.5,
    (512, 6): 4.8,
    (512, 10): 6.8,
    (1024, 3): 3.0,
    (1024, 6): 5.2,
    (1024, 10): 9.0,
}
THREE_JUDGES = 15.0
ACCELERATED = 10.0
AGREE = 1e-5

PROMPT = "three red wooden cubes to the left of two striped cats chasing a small blue bird"
ATOMS = (
    ("How many cubes are in the image?", "three"),
    ("Are the cubes red?", "Yes"),
    ("Are the cubes made of wood?", "Yes"),
    ("Are the cubes to the left of the cats?", "Yes"),
    ("How many cats are in the image?", "two"),
    ("Are the cats striped?", "Yes"),
    ("Are the cats chasing the bird?", "Yes"),
    ("Are there any birds in the image?", "Yes"),
    ("Is the bird small?", "Yes"),
    ("Is the bird blue?", "Yes"),
)
ATOM_QUESTIONS = [
    Question(f"{text} Answer in one word.", variants(expected)) for text, expected in ATOMS
]
WHOLE_QUESTION = Question(
    f'Does this image show "{PROMPT}"? Answer the question with Yes or No.', variants("Yes")
)


@dataclass
class Row:
    work: str
    baseline: float
    ours: float
    goal: float | None
    difference: float | None = None
    same_words: bool = True
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.baseline / self.ours

    @property
    def agrees(self) -> bool:
        return self.difference is None or (self.difference <= AGREE and self.same_words)

    @property
    def fast_enough(self) -> bool:
        return self.goal is None or self.ratio >= self.goal

    @property
    def kept(self) -> bool:
        return self.agrees and self.fast_enough

    def print(self) -> None:
        goal = "(told only)" if self.goal is None else f">= {self.goal:g}x"
        verdict = "met" if self.kept else "MISSED"
        agree = ""
        if self.difference is not None:
            words = "same likeliest tokens" if self.same_words else "OTHER LIKELIEST TOKENS"
            agree = f"max difference {self.difference:.1e}, {words}"
        print(
            f"{self.work:<52} baseline {self.baseline:8.3f} s  ours {self.ours:7.3f} s"
            f"  ratio {self.ratio:5.1f}x  goal {goal:<11} {verdict}  {agree}",
            flush=True,
        )
        if self.note:
            print(f"    {self.note}", flush=True)


def picture(side: int, seed: int = 0) -> Image.Image:
    """Soft colors with some structure, as far from plain as a generated image."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (side // 32, side // 32, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((side, side), Image.Resampling.BICUBIC)


def engine(folder: Path, **options: Any) -> QwenVL:
    """Nothing is remembered, so that every round does all of the work."""
    made = QwenVL(str(folder), device="cpu", memory=0, **options)
    made.load()
    return made


@dataclass
class Official:
    """The library's own processor and model, as they come."""

    processor: Any
    model: Any

    @classmethod
    def loaded(cls, folder: Path, precision: str = "float32") -> Official:
        from transformers import AutoModelForImageTextToText, AutoProcessor

        model = AutoModelForImageTextToText.from_pretrained(folder, dtype=precision).eval()
        return cls(AutoProcessor.from_pretrained(folder), model)

    def ask(self, image: Image.Image, question: Question) -> Any:
        """As the official loops do: all of the processor, all of `generate`, for one token.

        The probabilities of all tokens.
        """
        torch = prepare()
        content = [{"type": "image"}, {"type": "text", "text": question.text}]
        text = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        given = self.processor(text=[text], images=[image], return_tensors="pt")
        with torch.inference_mode():
            told = self.model.generate(
                **given.to(self.model.device),
                max_new_tokens=1,
                do_sample=False,
                output_scores=True,
                return_dict_in_generate=True,
            )
        return told.scores[0][0].softmax(-1)

    def answer(self, shares: Any, question: Question) -> Answer:
        tokenizer = self.processor.tokenizer
        firsts = [tokenizer.encode(answer)[0] for answer in question.answers]
        said = tokenizer.decode([int(shares.argmax())])
        return Answer(sum(float(shares[first]) for first in firsts), said)


def cpu(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def apart(theirs: Sequence[Answer], ours: Sequence[Answer]) -> tuple[float, bool]:
    differences = [abs(a.probability - b.probability) for a, b in zip(theirs, ours, strict=True)]
    return max(differences), all(a.said == b.said for a, b in zip(theirs, ours, strict=True))


def all_shares(asker: QwenVL, image: Image.Image, questions: Sequence[Question]) -> Any:
    """Ours for every token of the vocabulary, which an `Answer` does not tell."""
    with prepare().inference_mode():
        (features,) = asker._look([image])
        row = asker._row([("", features)], questions)
        (scores,) = asker._prefix.scores([row])
        return asker._processed(scores, row).softmax(-1)


def agreement(
    official: Official,
    asker: QwenVL,
    image: Image.Image,
    questions: Sequence[Question],
    shares: Sequence[Any],
    told: Sequence[Answer],
) -> tuple[float, bool]:
    """The largest difference of any token's probability, and whether the likeliest is the same."""
    theirs = [official.answer(*pair) for pair in zip(shares, questions, strict=True)]
    difference, same = apart(theirs, told)
    ours = all_shares(asker, image, questions)
    every = max(float((a - b).abs().max()) for a, b in zip(shares, ours, strict=True))
    return max(difference, every), same


def questions_at(
    official: Official, asker: QwenVL, side: int, counts: Sequence[int], times: int
) -> list[Row]:
    """The rows of one size; the baseline of N questions is the sum of the first N."""
    image = picture(side)
    asked = ATOM_QUESTIONS[: max(counts)]
    one_by_one = [cpu(lambda q=q: official.ask(image, q), times) for q in asked]
    seconds = [took for took, _ in one_by_one]
    shares = [found for _, found in one_by_one]
    rows = []
    for n in counts:
        ours, ((*told,),) = cpu(lambda n=n: asker.answer([(image, asked[:n])]), times + 1)
        difference, same = agreement(official, asker, image, asked[:n], shares[:n], told)
        work = f"{side} x {side}, {n} questions"
        rows.append(Row(work, sum(seconds[:n]), ours, GOALS[side, n], difference, same))
    if side == 512:
        # VQAScore, TIFA and Soft-TIFA: 2 N + 1 forward passes, of which TIFA's are Soft-TIFA's.
        whole, whole_shares = cpu(lambda: official.ask(image, WHOLE_QUESTION), times)
        three = [WHOLE_QUESTION, *asked, *asked]
        ours, ((*told,),) = cpu(lambda: asker.answer([(image, three)]), times + 1)
        found = agreement(official, asker, image, three, [whole_shares, *shares, *shares], told)
        work = f"512 x 512, VQAScore + TIFA + Soft-TIFA, N = {len(asked)}"
        rows.append(Row(work, whole + 2 * sum(seconds), ours, THREE_JUDGES, *found))
    return rows


def remembered(folder: Path, times: int) -> Row:
    """The next method's call about the same picture: encoded before, so only asked."""
    fresh, knowing = engine(folder), QwenVL(str(folder), device="cpu")
    image, asked = picture(512), ATOM_QUESTIONS[:6]
    knowing.answer([(image, asked)])
    first, ((*theirs,),) = cpu(lambda: fresh.answer([(image, asked)]), times + 1)
    again, ((*ours,),) = cpu(lambda: knowing.answer([(image, asked)]), times + 1)
    work = "512 x 512, 6 questions: asked again / asked first"
    return Row(work, first, again, None, *apart(theirs, ours))


def many_pictures(asker: QwenVL, times: int) -> Row:
    """Four pictures of mixed sizes in one call, against the same pictures one after the other."""
    asked = [
        (picture(side, seed), ATOM_QUESTIONS[seed : seed + 5])
        for seed, side in enumerate((256, 512, 320, 512))
    ]
    alone, one_by_one = cpu(lambda: [asker.answer([one])[0] for one in asked], times)
    together, in_one = cpu(lambda: asker.answer(asked), times)
    difference, same = apart(sum(one_by_one, []), sum(in_one, []))
    return Row("4 pictures in one call / one by one", alone, together, None, difference, same)


def half_precision(folder: Path, official: Official) -> Row:
    """bfloat16 moves numbers by itself; so it is compared with the official way's own error."""
    half, officially_half = (
        engine(folder, precision="bfloat16"),
        Official.loaded(folder, "bfloat16"),
    )
    image, asked = picture(256), ATOM_QUESTIONS
    exact = [official.ask(image, question) for question in asked]
    ours_took, _ = cpu(lambda: half.answer([(image, asked)]), 1)
    ours = all_shares(half, image, asked)
    baseline, theirs = cpu(lambda: [officially_half.ask(image, q) for q in asked], 1)

    def largest(some: Sequence[Any], others: Sequence[Any]) -> float:
        return max(float((a - b).abs().max()) for a, b in zip(some, others, strict=True))

    note = (
        f"max difference to float32: the official way's own {largest(exact, theirs):.1e}, "
        f"ours {largest(exact, ours):.1e}; between the two {largest(theirs, ours):.1e}"
    )
    return Row("256 x 256, 10 questions, bfloat16", baseline, ours_took, None, note=note)


class Given(QwenVL):
    """The engine with a model that is already there."""

    def __init__(self, processor: Any, model: Any) -> None:
        super().__init__("given", precision="bfloat16", batch=16, memory=0)
        self.given = processor, model

    def _processor(self, *_: Any, **__: Any) -> Any:
        return self.given[0]

    def _model(self, *_: Any, **__: Any) -> Any:
        return self.given[1]


def accelerated(quick: bool) -> list[Row]:
    """Images per second of a model in the shape of Qwen3-VL-8B, where an accelerator is at hand."""
    torch = prepare()
    if not torch.cuda.is_available():
        print("no GPU here: the rows of the 8-billion model are left out", flush=True)
        return []
    pictures = 16 if quick else 64
    return images_per_second("cuda", LARGE_TEXT, LARGE_VISION, (512, 1024), pictures)


def images_per_second(
    device: str, text: dict[str, Any], vision: dict[str, Any], sides: Sequence[int], pictures: int
) -> list[Row]:
    """Seven questions for each picture, the median of GenEval 2; wall time."""
    asked = {
        side: [(picture(side, seed), ATOM_QUESTIONS[:7]) for seed in range(pictures)]
        for side in sides
    }
    # Made where it runs: 17 GB of random weights are not worth a file. The official way goes
    # first, since ours changes the model.
    processor, model = tiny_qwen.parts(
        "qwen3_vl", sentences=sentences(), device=device, dtype="bfloat16", text=text, vision=vision
    )
    official = Official(processor, model.eval())
    few = max(pictures // 16, 1)

    def one_by_one(side: int) -> None:
        for image, questions in asked[side][:few]:
            for question in questions:
                official.ask(image, question)

    baselines = {side: _wall(lambda side=side: one_by_one(side)) / few for side in sides}
    asker = Given(processor, model)
    asker.load()

    def in_batches(side: int) -> None:
        for start in range(0, pictures, asker.batch):
            asker.answer(asked[side][start : start + asker.batch])

    peak = _matrix_peak(model.device)
    rows = []
    for side in sides:
        took = _wall(lambda side=side: in_batches(side)) / pictures
        rate = _operations(asker, side) / took
        note = (
            f"{1 / took:.1f} images/s, the official way {1 / baselines[side]:.2f}; "
            f"{rate / 1e12:.3g} of the {peak / 1e12:.3g} TFLOP/s that one product of matrices "
            f"reaches here ({rate / peak:.0%})"
        )
        work = f"8-billion shape, bfloat16, {side} x {side}, 7 questions"
        rows.append(Row(work, baselines[side], took, ACCELERATED, note=note))
    return rows


def _operations(asker: QwenVL, side: int) -> float:
    """Two for each weight and token (or patch) that must go through it; attention is left out."""
    with prepare().inference_mode():
        (seen,) = asker._look([picture(side)])
        row = asker._row(seen, ATOM_QUESTIONS[:7])
    model = asker._net.model
    patches = 4 * seen.grid[0] * seen.grid[1]
    return 2 * (
        sum(row.lengths) * _weights(model.language_model) + patches * _weights(model.visual)
    )


def _weights(part: Any) -> int:
    return sum(weight.numel() for name, weight in part.named_parameters() if "embed" not in name)


def _matrix_peak(device: Any) -> float:
    torch = prepare()
    side = 8192 if device.type == "cuda" else 512
    a = torch.randn(side, side, device=device, dtype=torch.bfloat16)
    return 20 * 2 * side**3 / _wall(lambda: [a @ a for _ in range(20)])


def _wall(work: Callable[[], Any]) -> float:
    """The second time, when everything is warm."""
    torch = prepare()
    for _ in range(2):
        start = time.perf_counter()
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
    return time.perf_counter() - start


def sentences() -> tuple[str, ...]:
    return tuple(question.text for question in (*ATOM_QUESTIONS, WHOLE_QUESTION)) + (
        "Yes No yes no one two three One Two Three system user assistant",
    )


def main(quick: bool) -> bool:
    torch = prepare()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        folder = tiny_qwen.save(
            "qwen3_vl", Path(place), sentences=sentences(), text=TEXT, vision=VISION, peak=0.2
        )
        official, asker = Official.loaded(folder), engine(folder)
        times = 1 if quick or SMALL else 3
        rows: list[Row] = []
        for side in sized((256, 512) if quick else (256, 512, 1024), (256,)):
            rows += _shown(questions_at(official, asker, side, (3, 6, 10), times))
        rows += _shown([remembered(folder, times), many_pictures(asker, times)])
        rows += _shown([half_precision(folder, official)])
    rows += _shown(accelerated(quick))
    missed = [row for row in rows if not row.kept]
    print(f"{len(rows) - len(missed)} of {len(rows)} rows met", flush=True)
    return all(row.agrees and reached(row.fast_enough) for row in rows)


def _shown(rows: list[Row]) -> list[Row]:
    for row in rows:
        row.print()
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, no pictures of 1024")
    sys.exit(0 if main(parser.parse_args().quick) else 1)
