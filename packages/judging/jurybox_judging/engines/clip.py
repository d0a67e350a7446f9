"""CLIP through open_clip and through transformers: how well a picture and a text fit, and which
color a cut-out object has.

Crops and texts of many pictures go through the model together. A text goes through it once in the
life of a worker, at its true length: the text tower looks backwards only, so padding it to 77
tokens could not change its embedding.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from jurybox_judging.engines.detection.lean_masks import replaced
from jurybox_judging.engines.shared import (
    hub,
    run_lengths,
    tensor_files,
    weight_facts,
    weight_files,
    weights,
)
from jurybox_judging.engines.shared.checkpoint import (
    CheckpointEngine,
    checkpoint_of,
    pictures_or_found,
)
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice, flag, free_text, weights_of
from jurybox_judging.protocols import ColorOf, Detection

NAMES = {
    "open-clip": {"class": "OpenClip", "needs": ("torch", "open_clip")},
    "transformers-clip": {"class": "TransformersClip", "needs": ("torch", "transformers")},
}

_REMEMBERED = 20_000  # texts and color rows kept, a few KB each
_FOLDER = "local-dir:"  # what open_clip calls a folder with weights and configuration
_TEXTS = 256  # texts that go through the model at once
# The name of one of the library's own models; with a “:” or “/” it would be a repository or a folder.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]{0,79}")
RESIZE = ("", "shortest", "longest", "squash")
RESIZE_HELP = (
    "How a picture is made square: “shortest” cuts its ends off, “longest” adds bars; empty leaves "
    "that to the checkpoint."
)
PROCESSOR = "Where the preparation of picture and text lies, if not beside the weights."


def open_clip_model(default: str) -> Any:
    return free_text(
        default,
        "The model, where the checkpoint is a tag or a file.",
        fits=lambda value: _MODEL.fullmatch(value) is not None,
        form="the name of a model that open_clip ships",
        is_fact=True,
    )


@dataclass(eq=False)
class Clip(CheckpointEngine):
    """A `Matcher` (cosines) and a `Colorist`; subclasses encode the pictures and texts."""

    batch: int = pictures_or_found(32)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._texts = _Memory()
        self._rows = _Memory()

    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        self.load()
        torch = prepare()
        images = {id(image): image for image, _ in pairs}
        row = {key: place for place, key in enumerate(images)}
        with torch.inference_mode(), memory_guard():
            pictures = self._look(list(images.values()))
            texts = self._read([text for _, text in pairs])
            pictures = pictures[[row[id(image)] for image, _ in pairs]]
            return (pictures * texts).sum(-1).float().tolist()

    def colors(self, crops: Sequence[tuple[Image.Image, Detection, ColorOf]]) -> list[str]:
        self.load()
        torch = prepare()
        upright: dict[int, Image.Image] = {}
        for image, _, _ in crops:
            if id(image) not in upright:
                upright[id(image)] = ImageOps.exif_transpose(image).convert("RGB")
        cut = [cut_out(upright[id(image)], thing, want) for image, thing, want in crops]
        with torch.inference_mode(), memory_guard(), self._autocast():
            seen = self._look(cut)
            rows = self._color_rows([want for _, _, want in crops])
            # As coded; in half precision two colors can come out equal, and the first one is taken.
            best = [
                int((row @ (100.0 * crop)).argmax()) for crop, row in zip(seen, rows, strict=True)
            ]
        return [want.colors[at] for at, (_, _, want) in zip(best, crops, strict=True)]

    def _autocast(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def _color_rows(self, wants: Sequence[ColorOf]) -> list[Any]:
        """For each want a row per color: the mean direction of its templates, of length one."""
        torch = prepare()
        unknown = [
            key
            for key in dict.fromkeys((want.noun, want.colors, want.templates) for want in wants)
            if key not in self._rows
        ]
        texts = [texts_of_color(noun, color, t) for noun, cs, t in unknown for color in cs]
        if texts:
            embedded = self._read([text for some in texts for text in some])
            means = [part.mean(0) for part in embedded.split([len(some) for some in texts])]
            rows = torch.nn.functional.normalize(torch.stack(means), dim=-1)
            for key, row in zip(unknown, rows.split([len(k[1]) for k in unknown]), strict=True):
                self._rows[key] = row
        return [self._rows[want.noun, want.colors, want.templates] for want in wants]

    def _look(self, images: Sequence[Image.Image]) -> Any:
        """Embeddings of length one, `batch` pictures at a time."""
        torch = prepare()
        parts = []
        for start in range(0, len(images), self.batch):
            some = [image.convert("RGB") for image in images[start : start + self.batch]]
            parts.append(self._embed_images(some).float())
        return torch.nn.functional.normalize(torch.cat(parts), dim=-1)

    def _read(self, texts: Sequence[str]) -> Any:
        torch = prepare()
        unknown = [text for text in dict.fromkeys(texts) if text not in self._texts]
        # Texts of similar length go together, so that little is padded.
        unknown.sort(key=len)
        for start in range(0, len(unknown), _TEXTS):
            some = unknown[start : start + _TEXTS]
            rows = torch.nn.functional.normalize(self._embed_texts(some).float(), dim=-1)
            for text, row in zip(some, rows, strict=True):
                self._texts[text] = row
        return torch.stack([self._texts[text] for text in texts])

    def _embed_images(self, images: Sequence[Image.Image]) -> Any:
        raise NotImplementedError

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        raise NotImplementedError


class _Memory(OrderedDict[Hashable, Any]):
    """Forgets what was stored first when it is full."""

    def __setitem__(self, key: Hashable, value: Any) -> None:
        super().__setitem__(key, value)
        if len(self) > 2 * _REMEMBERED:
            for _ in range(_REMEMBERED):
                self.popitem(last=False)


def texts_of_color(noun: str, color: str, templates: Sequence[str]) -> list[str]:
    return [template.replace("{color}", color).replace("{noun}", noun) for template in templates]


def cut_out(image: Image.Image, thing: Detection, want: ColorOf) -> Image.Image:
    """The object on a plain backdrop, cut to its box (whose corners Pillow rounds).

    Painting over the whole picture and cutting afterwards gives the same pixels, but takes longer.
    """
    x1, y1, x2, y2 = thing["box"][:4]
    box = (x1, y1, x2, y2)
    left, above, right, below = (round(side) for side in box)
    if want.crop and (right <= left or below <= above):
        raise ValueError(f"the box {list(box)} holds no pixel whose color could be named")
    cut = image.crop(box) if want.crop else image
    if want.background == "original" or "mask" not in thing:
        return cut
    mask = Image.fromarray(run_lengths.decode(thing["mask"]))
    if mask.size != image.size:
        raise ValueError(
            f"the mask is {mask.width} × {mask.height} pixels, the upright picture "
            f"{image.width} × {image.height}: an EXIF turn that the detector did not see"
        )
    if not want.crop:
        return Image.composite(cut, Image.new("RGB", cut.size, want.background), mask)
    inside = left >= 0 and above >= 0 and right <= image.width and below <= image.height
    # Beyond the picture's edge a crop is black, backdrop or not.
    blank = Image.new("RGB", cut.size if inside else image.size, want.background)
    return Image.composite(cut, blank if inside else blank.crop(box), mask.crop(box))


@dataclass(eq=False)
class OpenClip(Clip):
    checkpoint: str = checkpoint_of(
        "openai",
        "A published tag of the model or a file with its weights; or both in one: hf-hub:owner/name, "
        "local-dir:/path or just the folder.",
    )
    model: str = open_clip_model("ViT-L-14")
    resize: str = choice("", RESIZE, RESIZE_HELP, is_fact=True)
    half_colors: bool = flag(
        False,
        "Colors are compared under float16 autocast, as GenEval's code does on a GPU: near ties can "
        "come out otherwise.",
    )

    identity = "judges.engines.clip:OpenClip"
    version = "open-clip-1"
    has_revisions = False
    libraries = ("torch", "open_clip_torch", "torchvision", "pillow")

    @property
    def facts(self) -> Mapping[str, str]:
        """A folder is identified by its contents, with or without the prefix."""
        content = weight_facts.facts(self.checkpoint.removeprefix(_FOLDER), libraries=())
        return {
            **super().facts,
            **{k: content[k] for k in ("checkpoint", "content") if k in content},
        }

    def _load(self) -> None:
        self._dtype = weights.pick_precision(self.precision)
        prepare()
        import open_clip

        checkpoint = weights.check_named(self.weights_at)
        if (Path(checkpoint).expanduser() / "open_clip_config.json").is_file():
            checkpoint = f"{_FOLDER}{Path(checkpoint).expanduser()}"
        here = Path(checkpoint.removeprefix(_FOLDER)).expanduser()
        if here.exists():
            found = weight_files.find(str(here))
            for file in found.files if found else ():
                weight_files.check_whole(file)
        whole = checkpoint.startswith(("hf-hub:", _FOLDER))
        name, tag = (checkpoint, None) if whole else (self.model, checkpoint)
        # OpenAI's weights were trained with their own GELU: with another one the numbers are
        # wrong, but close enough to go unnoticed.
        published = {} if whole else open_clip.get_pretrained_cfg(name, tag)
        _expect_fetchable(published.get("hf_hub") or checkpoint)
        try:
            with _read_by_us(open_clip):
                net, self._prepare_image = open_clip.create_model_from_pretrained(
                    name,
                    tag,
                    precision={"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}[
                        self.precision
                    ],
                    device="cpu",
                    force_quick_gelu=bool(published.get("quick_gelu")),
                    image_resize_mode=self.resize or None,
                    weights_only=True,
                )
            weights.end_of_comparison()
            self._tokenize = open_clip.get_tokenizer(name)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            _refuse_keys(checkpoint, str(error))
            raise EngineRefused(f"“{checkpoint}” cannot be loaded: {error}") from error
        self._net = net.to(weights.pick_device(self.device)).eval()
        self._encode_text = _short_reader(self._net)

    def _autocast(self) -> AbstractContextManager[Any]:
        if not self.half_colors:
            return nullcontext()
        torch = prepare()
        return torch.autocast(next(self._net.parameters()).device.type, dtype=torch.float16)

    def _embed_images(self, images: Sequence[Image.Image]) -> Any:
        torch = prepare()
        # Lowered models keep some weights in float32; pictures come in the lower precision.
        device = next(self._net.parameters()).device
        pixels = torch.stack([self._prepare_image(image) for image in images])
        return self._net.encode_image(pixels.to(device, self._dtype))

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        return self._encode_text(
            self._tokenize(list(texts)).to(next(self._net.parameters()).device)
        )


def _expect_fetchable(named: str) -> None:
    """Where the library would fetch it: only if the hub answers."""
    repository = named.removeprefix("hf-hub:").rstrip("/")
    if hub.is_repository(repository) and weight_files.in_cache(repository) is None:
        hub.expect_reachable(repository)


def _read_by_us(open_clip: Any) -> AbstractContextManager[Any]:
    """Within a check of the headers, the library too gets tensors that take no memory."""
    if weights.instead_of_loading.get() is None:
        return nullcontext()

    def read(path: Any, **_: Any) -> dict[str, Any]:
        state = tensor_files.load_state(path)
        # As the library does with files of several GPUs.
        return {key.removeprefix("module."): value for key, value in state.items()}

    return replaced(open_clip.factory, "load_state_dict", read)


def _refuse_keys(checkpoint: str, words: str) -> None:
    """Refuse weights that torch could not load, with the names of the keys."""
    keys = {
        kind: re.findall(r'"([^"]+)"', line)
        for kind in ("Missing", "Unexpected")
        for line in re.findall(rf"{kind} key\(s\) in state_dict: (.*)", words)
    }
    weights.check_keys(
        checkpoint,
        missing=keys.get("Missing", ()),
        unexpected=keys.get("Unexpected", ()),
        mismatched=re.findall(r"size mismatch for ([^:]+):", words),
    )


def _short_reader(net: Any) -> Callable[[Any], Any]:
    """Texts without their padding, where the text tower is causal and reads off the end mark."""
    from open_clip.model import CLIP

    plain = type(net) is CLIP and net.text_pool_type == "argmax" and net.attn_mask is not None
    if not plain:
        return net.encode_text

    def read(tokens: Any) -> Any:
        torch = prepare()
        ends = tokens.argmax(-1)
        length = int(ends.max()) + 1
        dtype = net.transformer.get_cast_dtype()
        states = net.token_embedding(tokens[:, :length]).to(dtype)
        states = states + net.positional_embedding[:length].to(dtype)
        states = net.transformer(states, attn_mask=net.attn_mask[:length, :length])
        last = net.ln_final(states[torch.arange(len(states), device=states.device), ends])
        projection = net.text_projection
        if projection is None:
            return last
        return projection(last) if isinstance(projection, torch.nn.Linear) else last @ projection

    return read


@dataclass(eq=False)
class TransformersClip(Clip):
    checkpoint: str = checkpoint_of("openai/clip-vit-large-patch14")
    processor: str = weights_of("", PROCESSOR, is_fact=True)

    identity = "judges.engines.clip:TransformersClip"
    version = "transformers-clip-1"

    def _load(self) -> None:
        prepare()
        from transformers import AutoImageProcessor, AutoTokenizer, CLIPModel

        self._net = self._model(CLIPModel)
        self._prepare_images = self._processor(AutoImageProcessor, self.processor)
        self._tokenize = self._processor(AutoTokenizer, self.processor)

    def _embed_images(self, images: Sequence[Image.Image]) -> Any:
        some = next(self._net.parameters())
        pixels = self._prepare_images(images=list(images), return_tensors="pt")["pixel_values"]
        return _pooled(
            self._net.get_image_features(pixel_values=pixels.to(some.device, some.dtype))
        )

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        given = self._tokenize(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._net.config.text_config.max_position_embeddings,
            return_tensors="pt",
        ).to(next(self._net.parameters()).device)
        return _pooled(
            self._net.get_text_features(
                input_ids=given["input_ids"], attention_mask=given["attention_mask"]
            )
        )


def _pooled(output: Any) -> Any:
    """Transformers 5 wraps the embedding in an object, 4 returns it as it is."""
    return getattr(output, "pooler_output", output)
