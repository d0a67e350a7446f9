"""BLIP-VQA: the official eight passes over all pictures against one look at each.

The official script asks slot by slot: eight passes, each of which reads and encodes every picture
again, with a blank question where a prompt has fewer noun chunks. Random weights, the true
architecture at its true size (ViT-B at 480 pixels, BERT-base twice), one thread; processor time.

    python -m tests.bench.bench_judges_blip [--quick]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.bench.sizes import SMALL, reached, sized

SIDE, LAYERS = sized(480, 96), sized(12, 2)
SLOTS = 8
GOAL = 8
BATCH = 16  # pictures in one batch of the official loader
PROMPTS = (
    ("a red apple?", "a green bench?"),
    ("the wooden table?", "a metallic spoon?"),
    ("a round clock?", "a square window?", "the brick wall?"),
    ("a fluffy cat?",),
)


def main(quick: bool = False) -> bool:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    from jurybox_judging.engines.shared.torch_setup import prepare

    torch = prepare()
    torch.set_num_threads(1)
    prompts = PROMPTS[:1] if quick or SMALL else PROMPTS
    with tempfile.TemporaryDirectory() as folder:
        files = _pictures(Path(folder), len(prompts))
        engine = _engine(Path(folder))
        with torch.inference_mode():
            began = time.process_time()
            theirs = _eight_passes(torch, engine, files, prompts)
            baseline = time.process_time() - began
            began = time.process_time()
            ours = _one_look(engine, files, prompts)
            seconds = time.process_time() - began
    far = max(
        abs(one - other)
        for row, others in zip(ours, theirs, strict=True)
        for one, other in zip(row, others, strict=False)
    )
    asked = sum(len(own) for own in prompts)
    print(f"BLIP-VQA, {len(files)} pictures, {asked} questions ({SIDE} pixels, random weights)")
    print(f"  eight passes over all pictures  {baseline:8.2f} s")
    print(f"  one look at each picture        {seconds:8.2f} s")
    print(f"  ratio                           {baseline / seconds:8.1f} x   (goal: {GOAL} x)")
    print(f"  they agree                      {far:.1e} apart at most (p of each question)")
    return reached(baseline / seconds >= GOAL) and far <= 1e-5


def _pictures(folder: Path, count: int) -> list[Path]:
    files = []
    for number in range(count):
        noise = np.random.default_rng(number).integers(0, 256, (64, 64, 3), dtype=np.uint8)
        file = folder / f"{number}.png"
        Image.fromarray(noise).resize((512, 512), Image.Resampling.BICUBIC).save(file)
        files.append(file)
    return files


def _engine(folder: Path) -> Any:
    """The engine with its weights already there: what loading takes is not measured."""
    from transformers import BertTokenizer, BlipConfig, BlipForQuestionAnswering

    from jurybox_judging.engines.blip_vqa import BlipVqa
    from jurybox_judging.engines.shared.control_tokens import marks_of
    from jurybox_judging.engines.shared.token_answers import AnswerReader
    from jurybox_judging.engines.shared.torch_setup import prepare

    words = sorted({word.strip("?") for own in PROMPTS for text in own for word in text.split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "?", "yes", "no", *words]
    vocabulary += [f"word{n}" for n in range(30522 - len(vocabulary))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    prepare().manual_seed(0)
    config = BlipConfig(
        text_config={
            "sep_token_id": 3,
            "vocab_size": 30524,
            "bos_token_id": 30522,
            "num_hidden_layers": LAYERS,
        },
        vision_config={"image_size": SIDE, "num_hidden_layers": LAYERS},
    )
    engine = BlipVqa(str(folder), device="cpu")
    engine._tokenizer = BertTokenizer.from_pretrained(folder)
    engine._reader = AnswerReader(engine._tokenizer, end=(engine._tokenizer.sep_token_id,))
    engine._marks = marks_of(engine._tokenizer)
    engine._blip = BlipForQuestionAnswering(config).eval()
    engine._is_loaded = True
    return engine


def _eight_passes(
    torch: Any, engine: Any, files: Sequence[Path], prompts: Sequence[Sequence[str]]
) -> list[list[float]]:
    from jurybox_judging.engines.shared.clip_pixels import pixels

    model, told = engine._blip, [[] for _ in files]
    yes, no = (engine._tokenizer.convert_tokens_to_ids(word) for word in ("yes", "no"))
    for slot in range(SLOTS):
        for start in range(0, len(files), BATCH):
            batch = range(start, min(start + BATCH, len(files)))
            values = torch.from_numpy(np.stack([pixels(Image.open(files[n]), SIDE) for n in batch]))
            texts = [prompts[n][slot] if slot < len(prompts[n]) else "" for n in batch]
            ids, mask = engine._tokenize_texts(texts)
            read = model.text_encoder(
                input_ids=ids,
                attention_mask=mask,
                encoder_hidden_states=model.vision_model(values).last_hidden_state,
            ).last_hidden_state
            for row, n in enumerate(batch):
                # One by one, since the library's decoder does not leave the padding out.
                line = torch.tensor([[model.config.text_config.bos_token_id]])
                length = int(mask[row].sum())
                out = model.text_decoder(line, encoder_hidden_states=read[row : row + 1, :length])
                p = out.logits[0, 0].softmax(-1)
                told[n].append((p[yes] / (p[yes] + p[no])).item())
    return told


def _one_look(
    engine: Any, files: Sequence[Path], prompts: Sequence[Sequence[str]]
) -> list[list[float]]:
    from jurybox_judging.engines.blip_vqa import quickened
    from jurybox_judging.protocols import Question

    engine._blip = quickened(engine._blip)
    asked = [
        (Image.open(file), [Question(text, ("yes", "no"), "share") for text in own])
        for file, own in zip(files, prompts, strict=True)
    ]
    return [[answer.probability for answer in row] for row in engine.answer(asked)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    raise SystemExit(0 if main(parser.parse_args().quick) else 1)
