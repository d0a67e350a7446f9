"""Whether a stored seed still draws its picture: with another pipeline, setting or kernel, a repair would start
from other noise, and be another picture instead of a repaired one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from judges.generating.pipelines import How, Wish, denoiser_of, libraries, make

# Mean difference of a channel, of 255. Another order of sums stays far below; other noise is about 60.
SAME = 3.0


def difference(pipeline: Any, wish: Wish, how: How, stored: Image.Image) -> float:
    """Between the stored picture and the one drawn again, as a mean over all channels; at the stored size."""
    drawn = make(pipeline, Wish(wish.prompt, wish.seed), how).convert("RGB")
    if drawn.size != stored.size:
        drawn = drawn.resize(stored.size, Image.Resampling.LANCZOS)
    ours, theirs = (np.asarray(one.convert("RGB"), np.float64) for one in (drawn, stored))
    return float(np.abs(ours - theirs).mean())


def kernels(pipeline: Any) -> str:
    """All that decides the digits of a drawing besides its settings, in words."""
    torch, diffusers = libraries()
    denoiser = denoiser_of(pipeline)
    device = str(pipeline._execution_device)
    attention = sorted(
        {type(one).__name__ for one in getattr(denoiser, "attn_processors", {}).values()}
    )
    parts = [
        f"torch {torch.__version__}",
        f"diffusers {diffusers.__version__}",
        f"{device} {torch.cuda.get_device_name()}" if device.startswith("cuda") else device,
        str(denoiser.dtype).removeprefix("torch."),
        f"{type(pipeline.scheduler).__name__}",
        *attention,
    ]
    if device.startswith("cuda"):
        parts.append(f"TF32 {'on' if torch.backends.cuda.matmul.allow_tf32 else 'off'}")
        parts.append(
            f"deterministic {'on' if torch.are_deterministic_algorithms_enabled() else 'off'}"
        )
    return ", ".join(parts)
