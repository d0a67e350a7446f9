"""`transformers serve` beside this machine's torch: `python -m tests.judging.engines.serve_transformers serve …`.

Beside a CPU build of torch, the usual torchvision cannot decode pictures either; Pillow does it then.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared.torch_setup import prepare


def main() -> None:
    torch = prepare()
    import torchvision.io

    try:
        torchvision.io.image._assert_has_image_ops()
    except RuntimeError:

        def decode_image(data: Any, **_: Any) -> Any:
            picture = Image.open(io.BytesIO(bytes(data.numpy()))).convert("RGB")
            return torch.from_numpy(np.array(picture).transpose(2, 0, 1).copy())

        torchvision.io.decode_image = decode_image
    from transformers.cli.transformers import main as serve

    serve()


if __name__ == "__main__":
    main()
