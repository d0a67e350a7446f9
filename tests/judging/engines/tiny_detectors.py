"""Detectors of the true architectures with a few ten thousand random weights each.

Random weights of the usual size see next to nothing; the heads are made bolder here, so that
there is something to find and scores differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines import mmdetection
from jurybox_judging.engines.detection.coco_names import COCO
from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines.tiny_clip import VOCABULARY, save_tokenizer

QUERIES = 20
SIDES = {"long_side": 160, "short_side": 96}  # what pictures are made to fit into
WORDS = ["a", "photo", "of", "cat", "dog", "red", "bus", "traffic", "light", ".", "zebra"]


def picture(seed: int, width: int = 96, height: int = 64) -> Image.Image:
    """Blotches, so that masks are no salt and pepper."""
    small = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)


def save_mask2former(folder: Path) -> Path:
    torch = prepare()
    from transformers import (
        Mask2FormerConfig,
        Mask2FormerForUniversalSegmentation,
        Mask2FormerImageProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    config = Mask2FormerConfig(
        backbone_config=SwinConfig(
            embed_dim=16,
            depths=[1, 1, 1, 1],
            num_heads=[1, 2, 2, 4],
            window_size=4,
            out_features=["stage1", "stage2", "stage3", "stage4"],
        ),
        feature_size=32,
        mask_feature_size=32,
        hidden_dim=32,
        encoder_feedforward_dim=32,
        dim_feedforward=32,
        encoder_layers=1,
        decoder_layers=4,
        num_attention_heads=2,
        num_queries=QUERIES,
        id2label=dict(enumerate(COCO)),
        label2id={name: index for index, name in enumerate(COCO)},
    )
    model = Mask2FormerForUniversalSegmentation(config)
    with torch.no_grad():
        model.class_predictor.weight.normal_(0, 0.5)
        model.model.transformer_module.queries_features.weight.normal_(0, 2)
    model.save_pretrained(folder)
    Mask2FormerImageProcessor(
        size={"shortest_edge": 96, "longest_edge": 160}, size_divisor=32
    ).save_pretrained(folder)
    return folder


def mmdetection_config(folder: Path) -> Path:
    """The shipped configuration of GenEval's detector, made small."""
    library = mmdetection.library()
    from mmengine.config import Config

    shipped = Path(library.__file__).parent / ".mim/configs/mask2former"
    config = Config.fromfile(shipped / f"{mmdetection.CONFIG}.py")
    layer: dict[str, Any] = {"embed_dims": 32, "num_heads": 2}
    head = config.model.panoptic_head
    head.update(feat_channels=32, out_channels=32, num_queries=QUERIES)
    head.update(in_channels=[16, 32, 64, 128])
    head.positional_encoding.num_feats = 16
    head.pixel_decoder.positional_encoding.num_feats = 16
    encoder = head.pixel_decoder.encoder
    encoder.num_layers = 1
    encoder.layer_cfg.self_attn_cfg.update(layer)
    encoder.layer_cfg.ffn_cfg.update(embed_dims=32, feedforward_channels=32)
    decoder = head.transformer_decoder
    decoder.num_layers = 3
    for part in ("self_attn_cfg", "cross_attn_cfg"):
        decoder.layer_cfg[part].update(layer)
    decoder.layer_cfg.ffn_cfg.update(embed_dims=32, feedforward_channels=32)
    config.model.backbone.update(
        embed_dims=16, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 4], init_cfg=None
    )
    for step in config.test_dataloader.dataset.pipeline:
        if step.type == "Resize":
            step.scale = (SIDES["long_side"], SIDES["short_side"])
    path = folder / "small.py"
    config.dump(path)
    return path


def save_mmdetection(folder: Path, config: Path) -> Path:
    torch = prepare()
    torch.manual_seed(0)
    model = mmdetection.build(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.startswith("panoptic_head") and weight.ndim > 1:
                weight.normal_(0, 0.2)
        model.panoptic_head.cls_embed.weight.normal_(0, 0.6)
    path = folder / "small.pth"
    torch.save({"state_dict": model.state_dict(), "meta": {"CLASSES": COCO}}, path)
    return path


def save_owlv2(folder: Path) -> Path:
    torch = prepare()
    from transformers import Owlv2Config, Owlv2ForObjectDetection, Owlv2ImageProcessor

    torch.manual_seed(0)
    tower = {"intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = Owlv2Config(
        text_config={
            **tower,
            "hidden_size": 32,
            "vocab_size": len(VOCABULARY),
            "max_position_embeddings": 24,
            "pad_token_id": 0,
            "bos_token_id": VOCABULARY["<|startoftext|>"],
            "eos_token_id": VOCABULARY["<|endoftext|>"],
        },
        vision_config={**tower, "hidden_size": 32, "image_size": 64, "patch_size": 8},
        projection_dim=32,
    )
    model = Owlv2ForObjectDetection(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    model.save_pretrained(folder)
    Owlv2ImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    save_tokenizer(folder, length=24, pad="!")
    return folder


def save_grounding_dino(folder: Path) -> Path:
    torch = prepare()
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    BertTokenizer.from_pretrained(folder).save_pretrained(folder)
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            embed_dim=16,
            depths=[1, 1, 1, 1],
            num_heads=[1, 2, 2, 4],
            window_size=4,
            out_indices=[2, 3, 4],
        ),
        text_config=BertConfig(
            vocab_size=len(words),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=64,
        ),
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        num_queries=QUERIES,
        max_text_len=32,
    )
    model = GroundingDinoForObjectDetection(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.normal_(0, 0.2)
    model.save_pretrained(folder)
    GroundingDinoImageProcessor(size={"shortest_edge": 128, "longest_edge": 192}).save_pretrained(
        folder
    )
    return folder
