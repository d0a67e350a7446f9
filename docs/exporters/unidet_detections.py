"""Writes what UniDet finds in T2I-CompBench's pictures as lines that `…-from-file` judges read.

A script of its own for the environment of T2I-CompBench's UniDet_eval (detectron2, its weights and
dataset/detection_features.pt); nothing of Jurybox is needed there, and nothing of UniDet here. Run it in
that folder:

    python unidet_detections.py --outpath ../examples --out sdxl-2d.jsonl
    python unidet_detections.py --outpath ../examples --out sdxl-num.jsonl --weights R50
    python unidet_detections.py --outpath ../examples --out sdxl-3d.jsonl --weights R50 --depth

`--outpath` is the folder with samples/, as for the official scripts. The 2D script uses RS200, the
others R50. As coded, pictures go in as BGR, also to RS200, which was trained on RGB; `--rgb` gives
them to it as they are.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image


def main():
    chosen = options()
    # The official loader reads the command line, too, and knows none of these options.
    sys.argv = sys.argv[:1]
    labels = torch.load("dataset/detection_features.pt", map_location="cpu")["labels"]
    if chosen.depth:
        from experts.model_bank_3d import load_expert_model

        sensor = load_expert_model(task="depth")
        detector = load_expert_model(task="obj_detection")
    else:
        from experts.model_bank import load_expert_model

        sensor = None
        detector = load_expert_model(task="obj_detection", ckpt=chosen.weights)
    files = sorted((Path(chosen.outpath) / "samples").glob("*.png"), key=number_of)
    if not files:
        sys.exit(f"There is no samples/*.png in {chosen.outpath}.")
    # Beside the goal until all is written: a run that broke off leaves no half file under its name.
    part = Path(f"{chosen.out}.{os.getpid()}.part")
    with part.open("x", encoding="utf-8") as out, torch.no_grad():
        for file in files:
            out.write(json.dumps(row_of(file, detector, labels, sensor, chosen.rgb)) + "\n")
    part.replace(chosen.out)
    print(f"{len(files)} pictures written to {chosen.out}")


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--outpath", default="../examples/")
    parser.add_argument("--out", required=True)
    parser.add_argument("--weights", choices=("RS200", "R50"), default="RS200")
    parser.add_argument("--rgb", action="store_true")
    parser.add_argument("--depth", action="store_true")
    return parser.parse_args()


def number_of(file):
    return int(file.stem.rpartition("_")[2])


def row_of(file, detector, labels, sensor, rgb):
    picture = Image.open(file).convert("RGB")
    model, transform = detector
    small = transform(picture)
    pixels = np.array(small) if rgb else np.array(small)[:, :, ::-1]
    pixels = torch.as_tensor(pixels.astype("float32").transpose(2, 0, 1))
    given = {"image": pixels, "height": small.height, "width": small.width}
    found = model([given])[0]["instances"].get_fields()
    # Boxes are measured in the small picture; the judges expect pixels of the picture itself.
    stretch = np.array([picture.width / small.width, picture.height / small.height] * 2)
    row = {
        "image": file.name,
        "detections": [
            {"class": labels[int(label)], "score": float(score), "box": box.tolist()}
            # UniDet's environment has an older Python, whose zip knows no “strict”.
            for label, score, box in zip(  # noqa: B905
                found["pred_classes"],
                found["scores"],
                found["pred_boxes"].tensor.cpu().numpy().astype(float) * stretch,
            )
        ],
    }
    if sensor is not None:
        row["depth"] = depth_of(picture, sensor, transform)
    return row


def depth_of(picture, sensor, transform):
    """As the official script stores the map and reads it again, in the frame of the boxes."""
    model, prepare = sensor
    depth = model(prepare(picture)[None])[0].float()
    depth = (depth - depth.min()) / (depth.max() - depth.min())
    whole = torch.nn.functional.interpolate(
        depth[None, None], size=(picture.height, picture.width), mode="bilinear", align_corners=True
    )
    stored = Image.fromarray(255 * whole[0, 0].cpu().numpy()).convert("L")
    file = io.BytesIO()
    transform(stored).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    main()
