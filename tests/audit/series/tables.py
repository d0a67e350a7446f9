"""Tables of an invented study: five generators, three raters, judges that see a little of the truth."""

from __future__ import annotations

import random
from pathlib import Path


def write(folder: Path, *, images: int, judges: int, seed: int = 1) -> Path:
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    labels, scores = ["image_id,rater,question,value"], ["image_id,judge,score"]
    made = ["image_id,prompt_id,prompt,generator"]
    for number in range(images):
        image, prompt, generator = f"im-{number}", number // 5, number % 5
        is_right = chance.random() < 0.7
        made.append(f"{image},p-{prompt},prompt number {prompt},gen-{generator}")
        for rater in range(3):
            said = is_right if chance.random() < 0.9 else not is_right
            labels.append(f"{image},rater-{rater},aligned,{int(said)}")
        for judge in range(judges):
            scores.append(f"{image},judge-{judge},{0.3 * is_right + chance.random():.4f}")
    dates = ["generator,release_date", *(f"gen-{n},202{n}-01-01" for n in range(5))]
    parts = {"labels": labels, "scores": scores, "images": made, "generators": dates}
    for name, lines in parts.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder
