"""The files that papers' authors published by themselves, without a repository that libraries read: where
they lie, how large they are, and their SHA-256, as far as the pages of their hosts tell."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext_noop

from jurybox_judging.recipes.published_weights import HUB

_BLOCK = 1 << 24


@dataclass(frozen=True, slots=True)
class OfficialFile:
    """`sha256`: all of it, its first digits, or empty where nobody tells. `size` in bytes; 0 is unknown."""

    name: str
    address: str
    sha256: str = ""
    size: int = 0


def _on_hub(repository: str, commit: str, name: str, sha256: str, size: int) -> OfficialFile:
    return OfficialFile(name, f"{HUB}/{repository}/resolve/{commit}/{name}", sha256, size)


# By the name of the engine. Those of the hub are its pointers of the named commits.
OFFICIAL = {
    "MMDetection": (
        OfficialFile(
            "mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco_20220504_001756-743b7d99.pth",
            "https://download.openmmlab.com/mmdetection/v2.0/mask2former/"
            "mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco/"
            "mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco_20220504_001756-743b7d99.pth",
            "743b7d99",  # OpenMMLab's names end so
        ),
    ),
    "BlipVqa": (
        OfficialFile(
            "model_base_vqa_capfilt_large.pth",
            "https://storage.googleapis.com/sfr-vision-language-research/BLIP/models/"
            "model_base_vqa_capfilt_large.pth",
        ),
    ),
    "HPSv2": (
        _on_hub(
            "xswu/HPSv2",
            "697403c78157020a1ae59d23f111aa58ced35b0a",
            "HPS_v2_compressed.pt",
            "07cb0d20626232204ca3a6ec53ff5984e7e53212a8a7b0e0ec2bac1bdaf125a1",
            1_972_484_501,
        ),
        _on_hub(
            "xswu/HPSv2",
            "697403c78157020a1ae59d23f111aa58ced35b0a",
            "HPS_v2.1_compressed.pt",
            "c57a38fb4a2f7e7c15bf00da2ea377cdf165448b4dd1052a484c215a998c9837",
            1_972_490_005,
        ),
    ),
    "ImageReward": (
        _on_hub(
            "THUDM/ImageReward",
            "7a9e21fc5c7873859f160173d502cc82f6709e33",
            "ImageReward.pt",
            "d71dc8d4912bc633c06ab8ef1ef6a81e8199d4369f14b47b29baf1d19de561f6",
            1_786_880_927,
        ),
    ),
}


def compare_file(file: Path, officials: tuple[OfficialFile, ...], *, whole: bool) -> str:
    """What a file is beside the official ones, in a sentence. With `whole` it is read, for its hash."""
    size = file.stat().st_size
    alike = [one for one in officials if one.size in (0, size)]
    if not alike:
        sizes = " or ".join(f"{one.size:,}" for one in officials)
        return gettext_noop(
            f"“{file.name}” is not an official file: it has {size:,} bytes, and not {sizes}"
        )
    told = [one for one in alike if one.sha256]
    if not told:
        return gettext_noop(
            f"whether “{file.name}” is the official file, nobody can tell: its hash is not published"
        )
    if not whole:
        return gettext_noop(
            f"“{file.name}” may be the official file; its hash is compared when it is loaded and tested"
        )
    digest = _sha256(file)
    for one in told:
        if digest.startswith(one.sha256):
            if len(one.sha256) == 64:
                return gettext_noop(f"“{file.name}” is the official {one.name} by its SHA-256")
            return gettext_noop(
                f"“{file.name}” is the official {one.name} by its SHA-256 (by the first "
                f"{len(one.sha256)} digits)"
            )
    return gettext_noop(f"“{file.name}” is not an official file: its SHA-256 is {digest}")


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
