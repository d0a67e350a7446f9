"""A UniDet_eval folder as far as the exporter sees it: a detector that boxes the red part of a picture.

It works in BGR, as the official script hands pictures over: red is the third channel.
"""

from __future__ import annotations

from pathlib import Path

MODEL_BANK = """
import argparse
from types import SimpleNamespace

import torch
from torchvision import transforms


def load_expert_model(task=None, ckpt=None):
    # The official loader parses the command line, with options of its own.
    parser = argparse.ArgumentParser()
    parser.add_argument("--confidence-threshold", type=float, default=0.5)
    parser.parse_args()
    if task == "depth":
        look = transforms.Compose(
            [transforms.Resize([480, 480]), transforms.ToTensor(), transforms.Normalize(0.5, 0.5)]
        )
        # Redder is nearer.
        return (lambda batch: batch[:, 0]), look
    return found, transforms.Resize(size=479, max_size=480)


def found(batch):
    return [{"instances": SimpleNamespace(get_fields=lambda: boxes(given["image"]))} for given in batch]


def boxes(image):
    blue, _, red = image
    fields = []
    for label, part in ((0, red), (1, blue)):
        rows, columns = torch.where(part > 200)
        if len(rows):
            edges = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            fields.append((label, 0.9 - 0.1 * label, torch.stack(edges).float()))
    return {
        "pred_classes": torch.tensor([label for label, _, _ in fields]),
        "scores": torch.tensor([score for _, score, _ in fields]),
        "pred_boxes": SimpleNamespace(tensor=torch.stack([box for *_, box in fields])),
    }
"""


def lay_out(folder: Path, labels: list[str]) -> Path:
    import torch

    (folder / "experts").mkdir(parents=True)
    (folder / "experts" / "__init__.py").write_text("")
    for name in ("model_bank", "model_bank_3d"):
        (folder / "experts" / f"{name}.py").write_text(MODEL_BANK)
    (folder / "dataset").mkdir()
    torch.save({"labels": labels}, folder / "dataset" / "detection_features.pt")
    return folder
