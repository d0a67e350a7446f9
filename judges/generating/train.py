"""GORS: train a generator further on chosen images, each with its weight. One script, to be read and changed.

    python -m judges.generating.train --pipeline FOLDER --data SET --out OUT

SET is a folder of `manage.py select_training --format imagefolder`. Beside the frozen weights, small matrices
(LoRA, rank 4) are trained in the denoiser's attention and, in Stable Diffusion 1 and 2 and SDXL, in the text
encoders', as in T2I-CompBench's code. Numbers are its code's where it has them: AdamW, learning rates 1e-4 and
5e-6, dropout 0.1, gradients cut at 1, batches of 2, 15,000 steps. `--like paper` takes the paper's where it
prints others: batches of 5, 50,000 steps (it says 50,000 to 100,000). Noise, v and velocities (flow matching) are learned by what
the pipeline's scheduler says. Each step has a seed of its own, so that a run that was cut off goes on from
its last save as if nothing had happened. OUT/pytorch_lora_weights.safetensors is what diffusers'
`load_lora_weights` reads.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.storage.written_files import WrittenFolder
from judges.generating.pipelines import UNET, denoiser_of, libraries, load, prompt_conditions
from jurybox_judging.methods.gors import loss as weighted_loss

ATTENTION = ["to_q", "to_k", "to_v", "to_out.0"]
TEXT_ATTENTION = ["q_proj", "k_proj", "v_proj", "out_proj"]
STATE, WEIGHTS = "state.pt", "pytorch_lora_weights.safetensors"
PRIME = 1_000_003  # between the seeds of two runs


@dataclass(frozen=True, slots=True)
class Settings:
    steps: int = 15_000
    batch: int = 2
    rank: int = 4
    dropout: float = 0.1
    rate: float = 1e-4
    text_rate: float = 5e-6
    text_encoder: bool = True
    normalised: bool = False
    size: int = 512
    seed: int = 0
    save_every: int = 500


# Whose numbers: T2I-CompBench's code (the defaults above), or its paper, appendix “Training details”.
CODE, PAPER = "code", "paper"
LIKE: dict[str, dict[str, int]] = {CODE: {}, PAPER: {"batch": 5, "steps": 50_000}}
WHOSE = {CODE: "the code's", PAPER: "the paper's"}


@dataclass(frozen=True, slots=True)
class Example:
    file: Path
    text: str
    weight: float


def examples_in(folder: Path) -> list[Example]:
    """The rows of an imagefolder; refuses one whose picture is missing or whose weight is no number."""
    train = folder / "train"
    try:
        lines = (train / "metadata.jsonl").read_text().splitlines()
    except OSError:
        raise Refused(
            f"{folder} has no train/metadata.jsonl: write it with select_training --format imagefolder."
        ) from None
    found = []
    for number, line in enumerate(lines, 1):
        row = json.loads(line)
        file, weight = train / row["file_name"], row.get("weight")
        if not file.is_file():
            raise Refused(f"Line {number} names {row['file_name']}, which is not there.")
        if not isinstance(weight, int | float) or not math.isfinite(weight) or weight < 0:
            raise Refused(f"Line {number} has no weight of 0 or more.")
        found.append(Example(file, row["text"], float(weight)))
    if not found:
        raise Refused(f"{folder} holds no image.")
    return found


class Training:
    def __init__(self, pipeline: Any, examples: Sequence[Example], settings: Settings) -> None:
        self.torch, _ = libraries()
        self.pipeline, self.examples, self.settings = pipeline, examples, settings
        self.denoiser, self.step = denoiser_of(pipeline), 0
        self.is_flow = "FlowMatch" in type(pipeline.scheduler).__name__
        self.device = pipeline._execution_device
        self.texts = self._text_encoders()
        self._freeze()
        self._add_lora()
        rates = [(self.denoiser, settings.rate), *((t, settings.text_rate) for t in self.texts)]
        groups = [{"params": trained(part), "lr": rate} for part, rate in rates]
        self.optimizer = self.torch.optim.AdamW(
            groups, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01
        )

    def run(self, out: Path) -> None:
        from tqdm import tqdm

        ours = WrittenFolder(
            out, "training", earlier=(STATE, WEIGHTS) if (out / STATE).exists() else ()
        )
        self.resume(out)
        total = self.settings.steps
        with tqdm(total=total, initial=self.step, unit="step") as bar:
            while self.step < total:
                bar.set_postfix(loss=f"{self.take_step():.4f}")
                bar.update()
                if self.step % self.settings.save_every == 0 or self.step == total:
                    self.save(ours)

    def take_step(self) -> float:
        torch = self.torch
        self._train_mode(True)
        seed = self.settings.seed * PRIME + self.step
        torch.manual_seed(seed)  # of dropout
        value = self.loss_of(list(self.batch_at(self.step)), seed)
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        every = [p for group in self.optimizer.param_groups for p in group["params"]]
        torch.nn.utils.clip_grad_norm_(every, 1.0)
        self.optimizer.step()
        self.step += 1
        return float(value.detach())

    def batch_at(self, step: int) -> Iterator[Example]:
        """Every image once in each round, in an order drawn for the round."""
        count = len(self.examples)
        for place in range(step * self.settings.batch, (step + 1) * self.settings.batch):
            turn, within = divmod(place, count)
            generator = self.torch.Generator().manual_seed(self.settings.seed * PRIME + turn)
            order = self.torch.randperm(count, generator=generator).tolist()
            yield self.examples[order[within]]

    def loss_of(self, batch: Sequence[Example], seed: int) -> Any:
        """The weighted loss of these images with the noise of this seed."""
        torch = self.torch
        generator = torch.Generator().manual_seed(seed)
        clean = self.latents_of(batch, generator)
        noise = torch.randn(clean.shape, generator=generator).to(clean)
        noisy, times, target = self.noised(clean, noise, generator)
        texts = [example.text for example in batch]
        conditions = prompt_conditions(self.pipeline, texts)
        given = dict(conditions.given)
        if conditions.added:
            given["added_cond_kwargs"] = {**conditions.added, "time_ids": self._time_ids(batch)}
        elif type(self.pipeline).__name__.startswith("PixArt"):
            given["added_cond_kwargs"] = {"resolution": None, "aspect_ratio": None}
        said = self.denoiser(noisy, timestep=times, **given, return_dict=False)[0]
        # PixArt also says how unsure it is, in as many channels again.
        said = said[:, : target.shape[1]]
        rewards = torch.tensor([example.weight for example in batch], device=said.device)
        return weighted_loss(said, target, rewards, normalised=self.settings.normalised)

    def noised(self, clean: Any, noise: Any, generator: Any) -> tuple[Any, Any, Any]:
        """Noisy latents, their times, and what the denoiser should say of them."""
        torch, scheduler = self.torch, self.pipeline.scheduler
        steps = scheduler.config.num_train_timesteps
        if self.is_flow:
            level = torch.sigmoid(torch.randn(len(clean), generator=generator)).to(clean)
            wide = level.reshape(-1, 1, 1, 1)
            return (1 - wide) * clean + wide * noise, level * steps, noise - clean
        times = torch.randint(steps, (len(clean),), generator=generator).to(clean.device)
        noisy = scheduler.add_noise(clean, noise, times)
        kind = scheduler.config.prediction_type
        if kind == "v_prediction":
            return noisy, times, scheduler.get_velocity(clean, noise, times)
        if kind != "epsilon":
            raise Refused(f"The scheduler predicts “{kind}”; noise, v and velocities are learned.")
        return noisy, times, noise

    def latents_of(self, batch: Sequence[Example], generator: Any) -> Any:
        torch, vae = self.torch, self.pipeline.vae
        pictures = torch.stack([self._picture(example.file) for example in batch])
        with torch.no_grad():
            spread = vae.encode(pictures.to(self.device, vae.dtype)).latent_dist
            drawn = torch.randn(spread.mean.shape, generator=generator).to(spread.mean)
            latents = spread.mean + spread.std * drawn
        shift = getattr(vae.config, "shift_factor", None) or 0.0
        return ((latents - shift) * vae.config.scaling_factor).to(self.denoiser.dtype)

    def save(self, ours: WrittenFolder) -> None:
        """What diffusers loads, and what this run needs to go on."""
        from diffusers.utils import convert_state_dict_to_diffusers
        from peft.utils import get_peft_model_state_dict

        part = "unet" if self._has_unet else "transformer"
        layers = {part: self.denoiser}
        for number, encoder in enumerate(self.texts, 1):
            layers["text_encoder" if number == 1 else f"text_encoder_{number}"] = encoder
        found = {
            f"{name}_lora_layers": convert_state_dict_to_diffusers(
                get_peft_model_state_dict(module)
            )
            for name, module in layers.items()
        }
        with ours.file(WEIGHTS) as file:
            # By the name of the draft: it writes to folders, not to open files.
            place, name = os.path.split(file.name)
            type(self.pipeline).save_lora_weights(place, weight_name=name, **found)
        weights = [p.detach().cpu() for g in self.optimizer.param_groups for p in g["params"]]
        state = {
            "step": self.step,
            "seed": self.settings.seed,
            "weights": weights,
            "optimizer": self.optimizer.state_dict(),
        }
        with ours.file(STATE) as file:
            self.torch.save(state, file)

    def resume(self, out: Path) -> None:
        if not (out / STATE).exists():
            return
        state = self.torch.load(out / STATE, weights_only=True, map_location="cpu")
        mine = [p for group in self.optimizer.param_groups for p in group["params"]]
        sizes = [tuple(p.shape) for p in mine]
        if state["seed"] != self.settings.seed or sizes != [
            tuple(w.shape) for w in state["weights"]
        ]:
            raise Refused(f"{out} holds another training: another seed, rank or pipeline.")
        with self.torch.no_grad():
            for weight, kept in zip(mine, state["weights"], strict=True):
                weight.copy_(kept)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]

    @property
    def _has_unet(self) -> bool:
        return type(self.pipeline).__name__ in UNET

    def _text_encoders(self) -> list[Any]:
        if not self.settings.text_encoder or not self._has_unet:
            return []
        named = ("text_encoder", "text_encoder_2")
        found = (getattr(self.pipeline, name, None) for name in named)
        return [encoder for encoder in found if encoder is not None]

    def _freeze(self) -> None:
        for name in ("vae", "text_encoder", "text_encoder_2", "text_encoder_3"):
            if (part := getattr(self.pipeline, name, None)) is not None:
                part.requires_grad_(False)
        self.denoiser.requires_grad_(False)

    def _add_lora(self) -> None:
        from peft import LoraConfig

        # Down-projections are drawn at random.
        self.torch.manual_seed(self.settings.seed)
        for part in (self.denoiser, *self.texts):
            part.add_adapter(
                LoraConfig(
                    r=self.settings.rank,
                    lora_alpha=self.settings.rank,
                    lora_dropout=self.settings.dropout,
                    init_lora_weights="gaussian",
                    target_modules=ATTENTION if part is self.denoiser else TEXT_ATTENTION,
                )
            )

    def _train_mode(self, on: bool) -> None:
        for part in (self.denoiser, *self.texts):
            part.train(on)

    def _time_ids(self, batch: Sequence[Example]) -> Any:
        size = self.settings.size
        ids = [size, size, 0, 0, size, size]
        return self.torch.tensor([ids] * len(batch), device=self.device, dtype=self.denoiser.dtype)

    def _picture(self, file: Path) -> Any:
        """The middle of the picture, from −1 to 1."""
        import numpy as np
        from PIL import Image

        size = self.settings.size
        with Image.open(file) as opened:
            picture = opened.convert("RGB")
        scale = size / min(picture.size)
        wide, high = (max(size, round(side * scale)) for side in picture.size)
        picture = picture.resize((wide, high), Image.Resampling.BILINEAR)
        left, top = (wide - size) // 2, (high - size) // 2
        picture = picture.crop((left, top, left + size, top + size))
        values = np.asarray(picture, np.float32) / 127.5 - 1
        return self.torch.from_numpy(values).permute(2, 0, 1)


def trained(part: Any) -> list[Any]:
    return [parameter for parameter in part.parameters() if parameter.requires_grad]


def main(given: Sequence[str] | None = None) -> None:
    usual = Settings()
    parser = argparse.ArgumentParser(prog="train", description="Train a generator by GORS.")
    parser.add_argument("--pipeline", required=True)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument(
        "--like",
        choices=tuple(LIKE),
        default=CODE,
        help="whose numbers: of the authors' code (batches of 2, 15,000 steps), or of the paper (batches of 5, "
        "50,000 steps; it says 50,000 to 100,000)",
    )
    for name in ("steps", "batch", "rank", "size", "seed", "save_every"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int)
    for name in ("dropout", "rate", "text_rate"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=getattr(usual, name))
    parser.add_argument("--no-text-encoder", dest="text_encoder", action="store_false")
    parser.add_argument("--normalised", action="store_true")
    asked = vars(parser.parse_args(given))
    like = asked.pop("like")
    numbers = {**asdict(usual), **LIKE[like]}
    asked = {name: numbers[name] if value is None else value for name, value in asked.items()}
    print(
        f"Steps {asked['steps']:,}, batches of {asked['batch']}: {WHOSE[like]} where none is given."
    )
    paths = {name: asked.pop(name) for name in ("pipeline", "data", "out", "device", "dtype")}
    try:
        pipeline = load(paths["pipeline"], device=paths["device"], dtype=paths["dtype"])
        Training(pipeline, examples_in(paths["data"]), Settings(**asked)).run(paths["out"])
    except Refused as refusal:
        parser.error(refusal.message)


if __name__ == "__main__":
    main()
