"""Who makes repaired images and their controls: a pipeline of diffusers, or the built-in bench."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import Any, Protocol

from annotations.errors import Refused
from annotations.models import Image
from annotations.pictures.store import open_picture
from audit.models import Finding
from judges.generating import guidance, pipelines, seed_check
from jurybox_formats.sets.builtin import study as bench
from jurybox_formats.sets.builtin.grammar import describe, parse
from jurybox_formats.sets.builtin.redraw import redraw

OTHER = 1000  # samples of the bench's that no study has


class Painter(Protocol):
    def repaired(self, finding: Finding) -> bytes: ...

    def control(self, image: Image) -> bytes: ...

    def image_metadata(self, image: Image) -> dict[str, Any]:
        """What the image's metadata says of how it was made."""

    def check(self, image: Image) -> None:
        """Refuses where it would not draw this image again."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Draws the same scene with one atom corrected; its control is the scene of another sample."""

    def repaired(self, finding: Finding) -> bytes:
        if finding.atom is None:
            raise Refused("The built-in bench corrects atoms; this finding names none.")
        prompt, maker, given = self._scene(finding.image)
        return redraw(prompt, maker, finding.atom, sample=finding.image.sample, **given).png

    def control(self, image: Image) -> bytes:
        prompt, maker, given = self._scene(image)
        return bench.draw(prompt, maker, sample=OTHER + image.sample, **given).png

    def image_metadata(self, image: Image) -> dict[str, Any]:
        return {"painter": "built-in bench"}

    def check(self, image: Image) -> None:
        """It draws by rules: of the same scene always the same picture."""

    def _scene(self, image: Image) -> tuple[Any, bench.Generator, dict[str, Any]]:
        maker = next((one for one in bench.GENERATORS if one.name == image.generator.name), None)
        if maker is None:
            raise Refused(
                f"“{image.generator.name}” is no generator of the built-in bench, so it cannot draw again. "
                "Make the images with manage.py enforce --pipeline FOLDER."
            )
        try:
            prompt = describe(parse(image.prompt.text), image.prompt.key)
        except ValueError as error:
            raise Refused(str(error)) from None
        return prompt, maker, {"size": image.width or 256}


@dataclass(frozen=True, slots=True)
class Diffusers:
    """Starts from the noise that the image was made from: its seed stands in its metadata."""

    pipeline: Any
    path: str
    how: pipelines.How

    def repaired(self, finding: Finding) -> bytes:
        image = finding.image
        wish = pipelines.Wish(image.prompt.text, _seed(image), finding.wanted, finding.found)
        return _png(pipelines.make(self.pipeline, wish, self.how))

    def control(self, image: Image) -> bytes:
        if _seed(image) is None:
            # The repair says why.
            raise Refused(f"{image.key} has no seed in its metadata.")
        wish = pipelines.Wish(image.prompt.text, new_seed(image))
        return _png(pipelines.make(self.pipeline, wish, self.how))

    def image_metadata(self, image: Image) -> dict[str, Any]:
        return {
            "painter": self.path,
            "pipeline": type(self.pipeline).__name__,
            "scheduler": type(self.pipeline.scheduler).__name__,
            "how": self.how.as_dict(),
            "form": guidance.form_of(self.how.variant, self.how.reading),
            "kernels": seed_check.kernels(self.pipeline),
        }

    def check(self, image: Image) -> None:
        if not image.file or _seed(image) is None:
            return  # The repair says why.
        wish = pipelines.Wish(image.prompt.text, _seed(image))
        apart = seed_check.difference(self.pipeline, wish, self.how, open_picture(image.file))
        if apart > seed_check.SAME:
            raise Refused(
                f"Seed {wish.seed} does not draw “{image.key}” again: the two differ by {apart:.0f} of 255 in "
                "the mean, so a repair would start from other noise. Steps, guidance, size, scheduler or the "
                f"kernels differ from those it was made with; here they are {seed_check.kernels(self.pipeline)}. "
                "Give those of the image, or go on with --without-check."
            )


def new_seed(image: Image) -> int:
    """Another one than the image's, the same each time."""
    digest = hashlib.sha256(f"control {image.key}".encode()).digest()
    made = int.from_bytes(digest[:4]) >> 1
    return made + 1 if made == _seed(image) else made


def _seed(image: Image) -> int | None:
    seed = image.metadata.get("seed")
    return seed if isinstance(seed, int) and not isinstance(seed, bool) else None


def _png(picture: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
