"""Pipelines of the true classes with small random weights: of Stable Diffusion's first and third kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines.tiny_clip import VOCABULARY, save_tokenizer

LENGTH = 77


def _text(kind: str, **more: Any) -> Any:
    import transformers

    config = transformers.CLIPTextConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        intermediate_size=37,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=LENGTH,
        bos_token_id=VOCABULARY["<|startoftext|>"],
        eos_token_id=VOCABULARY["<|endoftext|>"],
        pad_token_id=VOCABULARY["<|endoftext|>"],
        projection_dim=32,
        **more,
    )
    return getattr(transformers, kind)(config).eval()


def _tokenizer(folder: Path) -> Any:
    from transformers import CLIPTokenizer

    save_tokenizer(folder, LENGTH)
    return CLIPTokenizer.from_pretrained(folder)


def _vae(channels: int, **more: Any) -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(32, 64),
        in_channels=3,
        out_channels=3,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=channels,
        sample_size=16,
        **more,
    ).eval()


def unet(**more: Any) -> Any:
    torch = prepare()
    from diffusers import UNet2DConditionModel

    torch.manual_seed(0)
    return UNet2DConditionModel(
        block_out_channels=(4, 8),
        layers_per_block=1,
        sample_size=8,
        norm_num_groups=2,
        in_channels=4,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=32,
        attention_head_dim=2,
        **more,
    ).eval()


def first(folder: Path, **more: Any) -> Any:
    torch = prepare()
    from diffusers import DDIMScheduler, StableDiffusionPipeline

    torch.manual_seed(0)
    pipeline = StableDiffusionPipeline(
        vae=_vae(4),
        text_encoder=_text("CLIPTextModel"),
        tokenizer=_tokenizer(folder),
        unet=unet(**more),
        scheduler=DDIMScheduler(clip_sample=False, steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        image_encoder=None,
        requires_safety_checker=False,
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def third(folder: Path) -> Any:
    torch = prepare()
    from diffusers import (
        FlowMatchEulerDiscreteScheduler,
        SD3Transformer2DModel,
        StableDiffusion3Pipeline,
    )

    torch.manual_seed(0)
    transformer = SD3Transformer2DModel(
        sample_size=8,
        patch_size=1,
        in_channels=4,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=4,
        caption_projection_dim=32,
        joint_attention_dim=64,
        pooled_projection_dim=64,
        out_channels=4,
    ).eval()
    pipeline = StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=_vae(
            4,
            use_quant_conv=False,
            use_post_quant_conv=False,
            shift_factor=0.0609,
            scaling_factor=1.5035,
        ),
        text_encoder=_text("CLIPTextModelWithProjection"),
        tokenizer=_tokenizer(folder / "1"),
        text_encoder_2=_text("CLIPTextModelWithProjection"),
        tokenizer_2=_tokenizer(folder / "2"),
        text_encoder_3=None,
        tokenizer_3=None,
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline
