"""Pipelines of diffusers: which of them can be guided, what they get of a prompt, and one image made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotations.errors import Refused
from judges.generating.guidance import (
    CLASSIC,
    FROM_NOTHING,
    NEGATIVE,
    POSITIVE,
    READINGS,
    VARIANTS,
    Conditions,
    enforced,
)

LIBRARY = "Images are made with diffusers: pip install -r requirements-generate.txt."
# Class of a pipeline -> where its denoiser lies, and in which arguments it gets a prompt.
UNET = ("StableDiffusionPipeline", "StableDiffusionXLPipeline")
TRANSFORMER = ("StableDiffusion3Pipeline", "PixArtAlphaPipeline", "PixArtSigmaPipeline")
NAMED = 6


@dataclass(frozen=True, slots=True)
class Wish:
    """One image to be made. Without `wanted` and `found` it is a plain one: the control."""

    prompt: str
    seed: int | None
    wanted: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class How:
    steps: int = 28
    guidance: float = 7.0
    strength: float = 1.0
    variant: str = "enforce"
    reading: str = FROM_NOTHING
    height: int | None = None
    width: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def load(path: str, *, device: str = "cpu", dtype: str = "float32") -> Any:
    """A pipeline that lies in a folder; nothing is fetched."""
    torch, diffusers = libraries()
    try:
        pipeline = diffusers.DiffusionPipeline.from_pretrained(
            path,
            dtype=getattr(torch, dtype),
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
        )
    except (OSError, ValueError) as error:
        raise Refused(f"{path} holds no pipeline that diffusers can read: {error}") from None
    refuse_unguided(pipeline)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline.to(device)


def libraries() -> tuple[Any, Any]:
    """torch and diffusers; what torchvision lacks beside a CPU build is declared first."""
    try:
        from jurybox_judging.engines.shared.torch_setup import prepare

        torch = prepare()
        import diffusers
    except ImportError:
        raise Refused(LIBRARY) from None
    return torch, diffusers


def refuse_unguided(pipeline: Any) -> None:
    name = type(pipeline).__name__
    if name not in (*UNET, *TRANSFORMER):
        known = ", ".join((*UNET, *TRANSFORMER))
        raise Refused(
            f"{name} cannot be guided towards a repair: it must be one of {known}, whose denoiser answers "
            "about the empty prompt and the prompt at once."
        )
    config = getattr(denoiser_of(pipeline), "config", {})
    if config.get("time_cond_proj_dim") or config.get("guidance_embeds"):
        raise Refused(
            f"This {name} is distilled: it was taught its guidance, and there is no answer about the empty "
            "prompt that a direction could be added to. Take the model that it was distilled from."
        )


def denoiser_of(pipeline: Any) -> Any:
    return pipeline.unet if type(pipeline).__name__ in UNET else pipeline.transformer


def make(pipeline: Any, wish: Wish, how: How, *, output: str = "pil") -> Any:
    """The picture; of the same wish twice the same one."""
    torch, _ = libraries()
    refuse_wish(pipeline, wish, how)
    generator = torch.Generator("cpu").manual_seed(wish.seed)
    given = {"height": how.height, "width": how.width}
    options = {
        "num_inference_steps": how.steps,
        "guidance_scale": how.guidance,
        "generator": generator,
        "output_type": output,
        **{name: value for name, value in given.items() if value},
    }
    with torch.no_grad():
        if not wish.wanted and not wish.found:
            return pipeline(wish.prompt, **options).images[0]
        wanted = "" if how.variant == NEGATIVE else wish.wanted
        found = "" if how.variant == POSITIVE else wish.found
        pair = prompt_conditions(pipeline, wanted), prompt_conditions(pipeline, found)
        reading = CLASSIC if how.variant == CLASSIC else how.reading
        with enforced(denoiser_of(pipeline), *pair, strength=how.strength, reading=reading):
            return pipeline(wish.prompt, **options).images[0]


def refuse_wish(pipeline: Any, wish: Wish, how: How) -> None:
    if how.variant not in VARIANTS:
        raise Refused(f"Variants are {', '.join(VARIANTS)}; “{how.variant[:40]}” is none.")
    if how.reading not in READINGS:
        raise Refused(f"Readings are {', '.join(READINGS)}; “{how.reading[:40]}” is none.")
    if how.guidance <= 1:
        raise Refused(f"With a guidance of {how.guidance:g} nothing is guided: it must be above 1.")
    if how.steps < 1:
        raise Refused("At least one step is needed.")
    if wish.seed is None:
        raise Refused(
            "The image has no seed in its metadata, so its first noise is not known. A repair "
            "would be another image. Only images with a seed can be repaired."
        )
    for text in (wish.prompt, wish.wanted, wish.found):
        refuse_long(pipeline, text)


def refuse_long(pipeline: Any, text: str) -> None:
    """What a tokenizer cuts off, its encoder never sees. Of several encoders the longest counts: SD3's
    T5 reads what its CLIPs cut."""
    cut = [_cut(tokenizer, limit, text) for tokenizer, limit in _tokenizers(pipeline)]
    if not cut or not all(cut):
        return
    least = min(cut, key=len)
    words = " ".join(least.split()[:NAMED])
    raise Refused(
        f"“{text[:80]}” is too long for this pipeline: what comes from “{words}” on would not be read. "
        "Shorten it."
    )


def _tokenizers(pipeline: Any) -> Sequence[tuple[Any, int]]:
    is_pixart = type(pipeline).__name__.startswith("PixArt")
    found = []
    for name in ("tokenizer", "tokenizer_2", "tokenizer_3"):
        tokenizer = getattr(pipeline, name, None)
        if tokenizer is None:
            continue
        own = min(tokenizer.model_max_length, 77 if "T5" not in type(tokenizer).__name__ else 10**9)
        limit = (300 if "Sigma" in type(pipeline).__name__ else 120) if is_pixart else own
        found.append((tokenizer, min(limit, 256) if name == "tokenizer_3" else limit))
    return found


def _cut(tokenizer: Any, limit: int, text: str) -> str:
    ids = tokenizer(text, truncation=False)["input_ids"]
    if len(ids) <= limit:
        return ""
    # The last place is the end's.
    return tokenizer.decode(ids[limit - 1 :], skip_special_tokens=True).strip() or text


def prompt_conditions(pipeline: Any, text: str | list[str]) -> Conditions:
    """What the denoiser gets of this prompt, or of several."""
    name = type(pipeline).__name__
    device = pipeline._execution_device
    alone = {"num_images_per_prompt": 1, "do_classifier_free_guidance": False, "device": device}
    if name == "StableDiffusionPipeline":
        embeds, _ = pipeline.encode_prompt(text, **alone)
        return Conditions({"encoder_hidden_states": embeds}, {})
    if name == "StableDiffusionXLPipeline":
        embeds, _, pooled, _ = pipeline.encode_prompt(text, **alone)
        if not text and pipeline.config.force_zeros_for_empty_prompt:
            # As the pipeline itself has its empty prompt.
            embeds, pooled = embeds * 0, pooled * 0
        return Conditions({"encoder_hidden_states": embeds}, {"text_embeds": pooled})
    if name == "StableDiffusion3Pipeline":
        embeds, _, pooled, _ = pipeline.encode_prompt(text, None, None, **alone)
        return Conditions({"encoder_hidden_states": embeds, "pooled_projections": pooled}, {})
    embeds, mask, _, _ = pipeline.encode_prompt(text, **alone)
    return Conditions({"encoder_hidden_states": embeds, "encoder_attention_mask": mask}, {})
