"""The checkpoints of docs/judge-tables.md: how the names in their files differ from what the library saves
today, and where that is known from.

No file was downloaded for this. A row is made of what the library's own conversion scripts, older
versions of its classes, its table of old names and its users' reports say; where those say nothing, it
says so. Scripts are those of huggingface/transformers, src/transformers/models/…; a script that loads
what it renamed strictly leaves no room for another name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN_SAVE = "not known: read from the library's own save"
_POSITIONS = "position_ids: a saved buffer of these classes before transformers 4.31"


@dataclass(frozen=True)
class Layout:
    """From a file that the library saves today to one as it was published."""

    checkpoint: str
    known_from: str
    renamed: tuple[tuple[str, str], ...] = ()
    lacks: tuple[str, ...] = ()
    # Each with the key whose numbers it repeats; "" for a buffer that was never learned.
    has_too: tuple[tuple[str, str], ...] = ()

    def published(self, state: Mapping[str, Any]) -> dict[str, Any]:
        import torch

        kept = {}
        for key, value in state.items():
            if any(re.search(pattern, key) for pattern in self.lacks):
                continue
            for old, new in self.renamed:
                key = re.sub(old, new, key)
            kept[key] = value
        for key, same in self.has_too:
            kept[key] = kept[same].clone() if same else torch.arange(8)[None]
        return kept


def rewrite(source: Path, folder: Path, change: Any) -> Path:
    """A copy of a checkpoint with its tensors changed; the configuration beside them stays."""
    from safetensors.torch import load_file, save_file

    folder.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    state = change(load_file(source / "model.safetensors"))
    whole = {key: value.contiguous() for key, value in state.items()}
    save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


_SWIN_NORM = (r"swin\.layernorm\.",)
_M2F = "facebook/mask2former-swin-small-coco-instance"
_ENCODER = "model.pixel_level_module.encoder"

LAYOUTS = {
    "mask2former": Layout(
        _M2F,
        "convert_mask2former_original_pytorch_checkpoint_to_pytorch.py: stages by name, buffers of "
        "relative positions; the original has no norm after the last stage",
        lacks=_SWIN_NORM,
        has_too=(
            (
                f"{_ENCODER}.encoder.layers.0.blocks.0.attention.self.relative_position_index",
                "",
            ),
        ),
    ),
    "mask2former, first version": Layout(
        _M2F,
        "the same script with the class that came before SwinBackbone (MaskFormerSwin): one more level, "
        "stages by number; which of both layouts the file has today is not known",
        renamed=(
            (r"(pixel_level_module\.encoder)\.(embeddings|encoder)\.", r"\1.model.\2."),
            *((rf"(hidden_states_norms)\.stage{n + 1}\.", rf"\1.{n}.") for n in range(4)),
        ),
        lacks=_SWIN_NORM,
    ),
    "depth": Layout(
        "Intel/dpt-hybrid-midas",
        "dpt/convert_dpt_hybrid_to_pytorch.py @ 06c7bee2 for the names. It loads strictly, so the file "
        "that it wrote had residual_layer1. Without it: convert_dpt_beit_to_hf.py asserts that it is "
        "missing, issue 28292 says why (the code that it came from has none), and "
        "chenfei-wu/TaskMatrix issue 218 prints its four names for Intel/dpt-large. Which of both the "
        "hybrid's file is today is not known: both are read",
        lacks=(r"fusion_stage\.layers\.0\.residual_layer1\.",),
    ),
    "clip": Layout(
        "openai/clip-vit-large-patch14",
        _POSITIONS,
        has_too=(
            ("text_model.embeddings.position_ids", ""),
            ("vision_model.embeddings.position_ids", ""),
        ),
    ),
    "pick-score": Layout(
        "yuvalkirstain/PickScore_v1",
        _POSITIONS,
        has_too=(
            ("text_model.embeddings.position_ids", ""),
            ("vision_model.embeddings.position_ids", ""),
        ),
    ),
    "owlv2": Layout(
        "google/owlv2-base-patch16-ensemble",
        "owlv2/convert_owlv2_to_hf.py @ 0c4c9562, which asserts that nothing is unexpected and that "
        "visual_projection alone is missing (it is then saved with random numbers, and never used). The "
        "class is of October 2023, when position_ids were not saved any more; files of its forerunner "
        "have them by these names (pull request 44508), so one that has them is read, too",
        has_too=(
            ("owlv2.text_model.embeddings.position_ids", ""),
            ("owlv2.vision_model.embeddings.position_ids", ""),
        ),
    ),
    "grounding-dino": Layout(
        "IDEA-Research/grounding-dino-base",
        "convert_grounding_dino_to_hf.py, and the class itself, which lets swin.layernorm be absent and "
        "relative_position_index be there",
        lacks=_SWIN_NORM,
        has_too=(
            (
                "model.backbone.conv_encoder.model.encoder.layers.0.blocks.0.attention.self."
                "relative_position_index",
                "",
            ),
            ("model.text_backbone.embeddings.position_ids", ""),
        ),
    ),
    "blip-vqa": Layout(
        "Salesforce/blip-vqa-capfilt-large",
        "blip/convert_blip_original_pytorch_to_hf.py @ 0985bddc, which loads strictly what the authors' "
        "own classes hold: all of BERT's names, tied heads written out (decoder.weight, decoder.bias), "
        f"and position_ids, which their BERT saves; {_POSITIONS}",
        has_too=(
            ("text_encoder.embeddings.position_ids", ""),
            ("text_decoder.bert.embeddings.position_ids", ""),
            (
                "text_decoder.cls.predictions.decoder.weight",
                "text_decoder.bert.embeddings.word_embeddings.weight",
            ),
            ("text_decoder.cls.predictions.decoder.bias", "text_decoder.cls.predictions.bias"),
        ),
    ),
    "blip-itm": Layout(
        "Salesforce/blip-itm-large-coco",
        f"the same script, blip_itm loaded strictly; {_POSITIONS}",
        has_too=(("text_encoder.embeddings.position_ids", ""),),
    ),
    "blip2-itm": Layout("Salesforce/blip2-itm-vit-g", OWN_SAVE),
    "llava": Layout(
        "llava-hf/llava-1.5-13b-hf",
        "llava/convert_llava_weights_to_hf.py @ 01080c62: language_model.model, language_model.lm_head, "
        "multi_modal_projector.linear_1, the tower under vision_tower.vision_model; inv_freq is left out "
        "and the rest is loaded strictly into a class of December 2023, so there are no position_ids. "
        "Its table of words is lengthened to a multiple of 64",
        renamed=((r"^vision_tower\.", "vision_tower.vision_model."),),
    ),
    "instructblip": Layout(
        "Salesforce/instructblip-flan-t5-xxl",
        "instructblip/convert_instructblip_original_to_pytorch.py @ 0b0bfd99, loaded strictly: qformer.*, "
        "language_projection, vision_model.encoder.layers.0.self_attn.qkv.bias made of q and v with "
        f"zeros between; {_POSITIONS}; T5's tables under all of their names, as files of torch have "
        "them (older classes of the library list both among the keys that may be missing)",
        has_too=(
            ("qformer.embeddings.position_ids", ""),
            ("language_model.encoder.embed_tokens.weight", "language_model.shared.weight"),
            ("language_model.decoder.embed_tokens.weight", "language_model.shared.weight"),
        ),
    ),
    "clip-flant5": Layout(
        "zhiqiulin/clip-flant5-xxl",
        "the model's own class: T5's tables under three names, the tower inside a module of its own",
        has_too=(("vision_tower.vision_tower.vision_model.embeddings.position_ids", ""),),
    ),
    "qwen2_vl": Layout(
        "Qwen/Qwen2-VL-7B-Instruct",
        "conversion_mapping.py: visual.* and model.* without model.language_model; copies that others "
        "quantised name the same modules (visual.blocks.0.attn.qkv, visual.blocks.0.mlp.fc1 in the "
        "config.json of neuralmagic/Qwen2-VL-72B-Instruct-quantized.w4a16, model.layers.0 in that of "
        "OPEA/Qwen2-VL-7B-Instruct-int4-sym-inc)",
    ),
    "qwen2_5_vl": Layout("Qwen/Qwen2.5-VL-7B-Instruct", "as Qwen2-VL"),
    "qwen3_vl": Layout("Qwen/Qwen3-VL-8B-Instruct", OWN_SAVE),
}

# Files that no class of transformers reads: the engine renames their keys, and its own tests hold the
# weights against the model that the file was made of.
ELSEWHERE = {
    "mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco": (
        "the classes of MMDetection 2.x, whose attentions and feed-forward nets are numbered",
        "test_mmdetection.py",
    ),
    "ImageReward.pt": (
        "the authors' Reward class: BLIP under its own names, two projections of the training",
        "test_preference.py",
    ),
    "model_base_vqa_capfilt_large.pth": (
        "the authors' BLIP_VQA class",
        "test_blip_vqa.py",
    ),
    "HPS_v2_compressed.pt": ("not known: read as open_clip reads any file", "test_preference.py"),
    "openai, laion2b_s32b_b79k": ("open_clip's own reader", "test_clip.py"),
}
