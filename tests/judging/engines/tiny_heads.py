"""Tiny reward models: a Qwen-VL whose vocabulary has one token more, and heads built as published ones are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines import tiny_qwen

TOKEN = "<|Reward|>"


@dataclass(frozen=True)
class Tiny:
    """`plain`: the library's own model with the longer vocabulary; `heads` as their authors build them."""

    backbone: Path
    file: Path
    head_file: Path
    plain: Any
    processor: Any
    heads: list[Any]

    def rewards(self, images: list[Any], text: str, head: int) -> list[float]:
        """As in the authors' loops: every state through the head, and the one at the token picked."""
        content = [{"type": "image"}] * len(images) + [{"type": "text", "text": text}]
        whole = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        given = self.processor(text=[whole], images=images, return_tensors="pt")
        with prepare().inference_mode():
            states = self.plain(**given, output_hidden_states=True).hidden_states[-1]
            numbers = self.heads[head](states)
        at = given["input_ids"] == self.processor.tokenizer.convert_tokens_to_ids(TOKEN)
        return numbers[at].flatten().tolist()


def save(family: str, folder: Path, *, heads: int = 1, old_names: bool = False) -> Tiny:
    """`old_names`: the model's weights as files of 2024 name them."""
    torch = prepare()
    backbone = tiny_qwen.save(family, folder / "backbone")
    from transformers import AutoModelForImageTextToText, AutoProcessor

    processor = AutoProcessor.from_pretrained(backbone)
    processor.tokenizer.add_tokens([TOKEN], special_tokens=True)
    plain = AutoModelForImageTextToText.from_pretrained(backbone)
    torch.manual_seed(7)
    plain.resize_token_embeddings(len(processor.tokenizer), mean_resizing=False)
    plain.eval()
    nets = [_ranknet(torch, plain.config.get_text_config().hidden_size) for _ in range(heads)]
    state = {key: value.clone() for key, value in plain.state_dict().items()}
    if old_names:
        state = {_old(key): value for key, value in state.items()}
    only = {}
    for number, net in enumerate(nets):
        stem = f"rm_heads.head_{number}" if heads > 1 else "rm_head"
        only |= {f"{stem}.{key}": value for key, value in net.state_dict().items()}
    torch.save({**state, **only}, folder / "whole.pth")
    torch.save(only, folder / "head.pth")
    return Tiny(backbone, folder / "whole.pth", folder / "head.pth", plain, processor, nets)


def _ranknet(torch: Any, width: int) -> Any:
    nn = torch.nn
    layers = [nn.Linear(width, 24), nn.ReLU(), nn.Dropout(0.05), nn.Linear(24, 16), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(16, 2)).eval()


def _old(key: str) -> str:
    for new, old in (("model.visual.", "visual."), ("model.language_model.", "model.")):
        if key.startswith(new):
            return old + key.removeprefix(new)
    return key
