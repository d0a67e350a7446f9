"""Sets of edits in their own layouts, drawn here: two models, whose results lie beside the instructions."""

import json
from pathlib import Path

from tests import making

MODELS = ("flux", "qwen")


def put(path: Path, text: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.write_bytes(making.png())
    else:
        path.write_text(text)


def gedit(root: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    rows = [
        {
            "task_type": kind,
            "key": f"k{number}",
            "instruction": f"{kind} {number} {language}",
            "instruction_language": language,
            "input_image": {"bytes": making.png(), "path": None},
            "Intersection_exist": number == 0,
        }
        for number, kind in enumerate(("color_alter", "subject-remove"))
        for language in ("en", "cn")
    ]
    put(root / "data" / "about.txt", "A card.")
    parquet.write_table(pyarrow.Table.from_pylist(rows), root / "data" / "train-0.parquet")
    for model in MODELS:
        for row in rows:
            place = root / "results" / model / "fullset" / row["task_type"]
            put(place / row["instruction_language"] / f"{row['key']}.png")
            put(place / row["instruction_language"] / f"{row['key']}_SRCIMG.png")


def imgedit(root: Path) -> None:
    items = {
        "1082": {"id": "animal/1.jpg", "prompt": "Smooth the shell", "edit_type": "adjust"},
        "673": {"id": "style/2.jpg", "prompt": "Make it a woodcut", "edit_type": "style"},
    }
    put(root / "basic_edit.json", json.dumps(items))
    for item in items.values():
        put(root / "original_images" / item["id"])
    for model in MODELS:
        for key in items:
            put(root / "edited_images" / model / f"{key}.png")


def kris(root: Path) -> None:
    for category, source in (("physics", "a.jpg"), ("viewpoint_change", ["b.jpg", "c.jpg"])):
        item = {"ori_img": source, "gt_img": "", "ins_en": f"About {category}"}
        if category == "physics":
            item["explain_en"] = "It falls."
        else:
            item["gt_img"] = "d.jpg"
            put(root / "KRIS_Bench" / category / "d.jpg")
        put(root / "KRIS_Bench" / category / "annotation.json", json.dumps({"1": item}))
        for name in [source] if isinstance(source, str) else source:
            put(root / "KRIS_Bench" / category / name)
        for model in MODELS:
            put(root / "results" / model / category / "1.jpg")


def rise(root: Path) -> None:
    items = [
        {
            "index": "temporal_reasoning_1",
            "category": "temporal_reasoning",
            "subcategory": "common_sense",
            "instruction": "A year later",
            "image": ["temporal_reasoning_images/1.png"],
            "reference_txt": "A rotten banana",
        },
        {
            "index": "spatial_reasoning_2",
            "category": "spatial_reasoning",
            "instruction": "Swap them",
            "image": ["spatial_reasoning_images/2.png"],
            "reference_img": "spatial_reasoning_images/2_ref.png",
        },
    ]
    put(root / "data" / "data_total.json", json.dumps(items))
    for name in ("temporal_reasoning_images/1", "spatial_reasoning_images/2"):
        put(root / "data" / f"{name}.png")
    put(root / "data" / "spatial_reasoning_images" / "2_ref.png")
    for model in MODELS:
        for item in items:
            place = root / "outputs" / model / "images" / item["category"]
            put(place / f"{item['index']}.png")


# The layout → how many prompts and pictures of prompts it has.
LAYOUTS = {
    "gedit": (gedit, 4, 4),
    "imgedit": (imgedit, 2, 2),
    "kris": (kris, 2, 4),
    "rise": (rise, 2, 3),
}
