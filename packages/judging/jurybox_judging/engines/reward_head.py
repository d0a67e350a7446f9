"""Vision-language models with a reward head: HPSv3, EditReward, and others made alike.

The last layer's state at one token goes through a small net of linear layers. The file of a published
reward model holds the whole model or the head alone; how it is built, its words and its picture
preparation are those of the model that it was trained from, its backbone. What reads a token of its own
(“<|Reward|>”) has that token added to the backbone's vocabulary, as in training.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.shared import memory, tensor_files, weight_files, weights
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine, checkpoint_of, pictures
from jurybox_judging.engines.shared.control_tokens import expect_none, marks_of
from jurybox_judging.engines.shared.shown_pictures import named_pictures
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import free_text, weights_of, whole
from jurybox_judging.protocols import Reward, Shown

NAMES = {"reward-head": {"class": "RewardHead", "needs": ("torch", "transformers")}}

# The names under which heads are published; a number after it is that of the head.
_HEAD = re.compile(
    r"(?:.*\.)?(?:rm_heads\.head_(\d+)|(?:rm_head|reward_head|score|v_head)())\.(.+)"
)
_TOKEN = "<|Reward|>"  # noqa: S105 - a word of the vocabulary


@dataclass(eq=False)
class RewardHead(CheckpointEngine):
    checkpoint: str = checkpoint_of(
        help="The file with the head: of the whole model, or of the head alone."
    )
    backbone: str = weights_of(
        "Qwen/Qwen2-VL-7B-Instruct",
        "The model that it was trained from: its configuration and processor, and its weights where "
        "the file has the head alone.",
        is_fact=True,
    )
    token: str = free_text(
        _TOKEN,
        "The token whose state is read, added to the vocabulary; empty: the last of the text.",
        is_fact=True,
    )
    pixels: int = whole(
        200_704,
        "Each picture is brought to nearly this number of pixels, in whole patches, as in training. 0: "
        "the backbone's own limits.",
        minimum=0,
        maximum=100_000_000,
        is_fact=True,
    )
    batch: int = pictures(4)

    identity = "judges.engines.reward_head:RewardHead"
    version = "1"
    takes_several = True
    libraries = ("torch", "transformers", "torchvision", "pillow")

    def _load(self) -> None:
        torch = prepare()
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self._processing = self._processor(AutoProcessor, self.backbone)
        words = self._processing.tokenizer
        words.padding_side = "right"
        self._marks = marks_of(words, str(getattr(self._processing, "image_token", "") or ""))
        if self.token:
            words.add_tokens([self.token], special_tokens=True)
            self._reads = words.convert_tokens_to_ids(self.token)
        state = tensor_files.load_state(weights.check_named(self.weights_at))
        state = state.get("model", state)
        rest, heads = split_heads(self.checkpoint, state)
        self._heads = [_net_of(torch, head) for head in heads]
        device = weights.pick_device(self.device)
        if rest:
            net = self._whole_model(AutoModelForImageTextToText, rest)
        else:
            net = weights.load_model(
                AutoModelForImageTextToText,
                self.backbone,
                device=self.device,
                precision=self.precision,
            )
            if self.token and net.get_input_embeddings().weight.shape[0] <= self._reads:
                raise EngineRefused(
                    f"“{self.checkpoint}” holds the head alone, and “{self.backbone}” has no row for "
                    f"its token “{self.token}”. Name the file of the whole model, or leave the token out."
                )
        width = net.config.get_text_config().hidden_size
        wrong = [head[0].in_features for head in self._heads if head[0].in_features != width]
        if wrong:
            raise EngineRefused(
                f"The head of “{self.checkpoint}” reads {wrong[0]} numbers, and a state of "
                f"“{self.backbone}” has {width}: it belongs to another backbone."
            )
        # As in training: whatever the backbone computes in, the head computes in float32.
        self._heads = [head.to(device, torch.float32).eval() for head in self._heads]
        self._net = net

    def _whole_model(self, model_class: Any, state: dict[str, Any]) -> Any:
        """The backbone as its configuration says, with the file's weights and vocabulary."""
        from transformers import AutoConfig

        settings = self._processor(AutoConfig, self.backbone)
        kind = model_class._model_mapping[type(settings)]
        rows = [
            value.shape[0] for key, value in state.items() if key.endswith("embed_tokens.weight")
        ]
        if rows:
            settings.get_text_config().vocab_size = rows[0]
        if self.token and rows and rows[0] <= self._reads:
            raise EngineRefused(
                f"“{self.checkpoint}” has {rows[0]} tokens, and its own, “{self.token}”, would be "
                f"number {self._reads}: it was trained from another backbone than “{self.backbone}”."
            )
        dtype, device = weights.pick_precision(self.precision), weights.pick_device(self.device)
        found = weight_files.find(self.weights_at)
        if found is not None and (tensors := tensor_files.headers(found)):
            memory.expect_room(self.checkpoint, tensors, device, self.precision)
        net, loading = kind.from_pretrained(
            None,
            config=settings,
            state_dict=state,
            dtype=dtype,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
        weights.check_loading(self.checkpoint, loading, (), tuple(self.never_used))
        weights.end_of_comparison()
        net = net.to(device)
        weights.check_numbers(self.checkpoint, net)
        return net.eval()

    def rewards(self, asked: Sequence[tuple[Shown, Reward]]) -> list[tuple[float, ...]]:
        self.load()
        found: list[tuple[float, ...]] = []
        with memory_guard(), prepare().inference_mode():
            for start in range(0, len(asked), self.batch):
                found += self._rewards(asked[start : start + self.batch])
        return found

    def _rewards(self, asked: Sequence[tuple[Shown, Reward]]) -> list[tuple[float, ...]]:
        torch = prepare()
        for _, reward in asked:
            if reward.head >= len(self._heads):
                raise ValueError(
                    f"“{self.checkpoint}” has {len(self._heads)} heads, and number {reward.head + 1} "
                    "was asked for."
                )
        images = [[self._sized(image) for _, image in named_pictures(shown)] for shown, _ in asked]
        texts = [
            self._turn_text(reward.text, len(some))
            for (_, reward), some in zip(asked, images, strict=True)
        ]
        given = self._processing(
            images=images, text=texts, padding=True, padding_side="right", return_tensors="pt"
        ).to(self._net.device, self._net.dtype)
        states = self._net.base_model(**given, use_cache=False).last_hidden_state
        ends = given["attention_mask"].sum(1) - 1
        if self.token:
            ends = (given["input_ids"] == self._reads).int().argmax(1)
        states = states[torch.arange(len(asked), device=states.device), ends].float()
        return [
            tuple(self._heads[reward.head](state).tolist())
            for (_, reward), state in zip(asked, states, strict=True)
        ]

    def _turn_text(self, text: str, pictures: int) -> str:
        """One turn: the pictures, then the text with the token that is read, at its end if nowhere else."""
        if self.token:
            before, found, after = text.partition(self.token)
            if self.token in after:
                raise ValueError(f"The text holds the model's own mark “{self.token}” twice.")
            expect_none(before + after, self._marks)
            text = text if found else text + self.token
        else:
            expect_none(text, self._marks)
        content = [*({"type": "image"} for _ in range(pictures)), {"type": "text", "text": text}]
        return self._processing.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )

    def _sized(self, image: Image.Image) -> Image.Image:
        image = image.convert("RGB")
        if not self.pixels:
            return image
        preparing = self._processing.image_processor
        patch = int(getattr(preparing, "patch_size", 14)) * int(getattr(preparing, "merge_size", 2))
        return image.resize(sides_for(image.size, self.pixels, patch), Image.Resampling.BICUBIC)


def sides_for(size: tuple[int, int], pixels: int, patch: int) -> tuple[int, int]:
    """Width and height in whole patches, with the picture's shape as near as may be: of about so many
    pixels, fewer where it had more, and more where it had fewer."""
    width, height = size
    rounded = [max(patch, round(side / patch) * patch) for side in size]
    if rounded[0] * rounded[1] > pixels:
        shrunk = math.sqrt(width * height / pixels)
        rounded = [max(patch, math.floor(side / shrunk / patch) * patch) for side in size]
    elif rounded[0] * rounded[1] < pixels:
        grown = math.sqrt(pixels / (width * height))
        rounded = [math.ceil(side * grown / patch) * patch for side in size]
    return rounded[0], rounded[1]


def split_heads(
    checkpoint: str, state: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The model's weights without its heads, and each head's weights by their names within it."""
    rest: dict[str, Any] = {}
    heads: dict[int, dict[str, Any]] = {}
    for key, value in state.items():
        if match := _HEAD.fullmatch(key):
            heads.setdefault(int(match[1] or 0), {})[match[3]] = value
        else:
            rest[key] = value
    if not heads:
        raise EngineRefused(
            f"“{checkpoint}” holds no reward head: none of its {len(state)} weights is named rm_head, "
            f"rm_heads.head_0, reward_head, score or v_head. It begins with {', '.join([*state][:3])}."
        )
    return rest, [heads[number] for number in sorted(heads)]


def _net_of(torch: Any, head: Mapping[str, Any]) -> Any:
    """Linear layers in the file's order, with a ReLU between them; the dropouts of training do nothing."""
    weighed = sorted((key for key in head if key.endswith("weight")), key=_order)
    layers: list[Any] = []
    for key in weighed:
        weight, bias = head[key], head.get(f"{key.removesuffix('weight')}bias")
        if weight.ndim != 2:
            raise EngineRefused(f"A reward head is made of linear layers, and “{key}” is none.")
        linear = torch.nn.Linear(*weight.shape[::-1], bias=bias is not None)
        with torch.no_grad():
            linear.weight.copy_(weight)
            if bias is not None:
                linear.bias.copy_(bias)
        layers += [torch.nn.ReLU(), linear] if layers else [linear]
    widths = [(one.in_features, one.out_features) for one in layers[::2]]
    if not layers or any(a[1] != b[0] for a, b in zip(widths, widths[1:], strict=False)):
        raise EngineRefused(f"The layers of a reward head do not follow each other: {widths}.")
    return torch.nn.Sequential(*layers)


def _order(key: str) -> tuple[bool, list[int]]:
    """“0”, “3”, “layer_1.0”, “output_layer”: by their numbers, the layer of that name last."""
    return key.startswith("output"), [int(number) for number in re.findall(r"\d+", key)]
