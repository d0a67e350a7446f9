"""What the rows of one file have in common while they become records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.picture_names import UNKNOWN, prompt_key
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Remark,
    VoteRecord,
)

Content = bytes | Path | None


@dataclass
class Place:
    """`folder`: where relative paths of pictures begin. `told`: remarks that stand once, with how often."""

    source: str
    folder: Path
    told: Counter[str] = field(default_factory=Counter)
    _samples: dict[str, int] = field(default_factory=dict)
    _next: Counter[tuple[str, str]] = field(default_factory=Counter)
    _prompts: set[str] = field(default_factory=set)
    _generators: set[str] = field(default_factory=set)
    _images: dict[str, tuple[str, str]] = field(default_factory=dict)

    def know(self, key: str, prompt: str, generator: str, sample: int) -> None:
        """An image that the study has already."""
        self._samples[key] = sample
        self._next[prompt, generator] = max(self._next[prompt, generator], sample + 1)

    def prompt(self, text: str) -> Iterator[PromptRecord]:
        key = prompt_key(text)
        if key not in self._prompts:
            self._prompts.add(key)
            yield PromptRecord(key, text)

    def edit(
        self, text: str, sources: Sequence[Content], tags: tuple[str, ...] = ()
    ) -> Iterator[Record]:
        """An instruction with its source pictures: the same words about another picture are another
        prompt, called `edit_key`."""
        key = edit_key(text, sources)
        if key in self._prompts:
            return
        self._prompts.add(key)
        yield PromptRecord(key, text, tags)
        for number, content in enumerate(sources, 1):
            if content is None:
                self.told["edits came without their source picture"] += 1
                continue
            place = "source" if len(sources) == 1 else f"source-{number}"
            yield PromptPictureRecord(key, place, content)

    def votes(
        self,
        prompt: str,
        images: Sequence[tuple[str, str, Content]],
        votes: Iterable[tuple[str, int, int, str]],
        *,
        left: str = "",
    ) -> Iterator[Record]:
        """`images`: key, generator and picture. `votes`: who, two of the images by their number, and the value."""
        for key, generator, content in images:
            yield from self._image(key, prompt, generator, content)
        for rater, first, second, value in votes:
            if not rater:
                self.told["votes do not say who voted; their people are numbered"] += 1
            ends = images[first][0], images[second][0]
            yield VoteRecord(prompt, *ends, rater, "match", value, left)

    def _image(self, key: str, prompt: str, generator: str, content: Content) -> Iterator[Record]:
        """With its generator before it; an image that comes again must be the same image."""
        generator = generator.strip() or UNKNOWN
        if self._images.setdefault(key, (prompt, generator)) != (prompt, generator):
            raise Unfit("image", key, "An earlier row has it with another prompt or generator.")
        if generator not in self._generators:
            self._generators.add(generator)
            yield GeneratorRecord(generator)
        sample = self._sample(key, prompt, generator)
        yield ImageRecord(key, prompt, generator, content, sample=sample)

    def _sample(self, key: str, prompt: str, generator: str) -> int:
        """Images of one prompt by one generator are numbered; what has a number keeps it."""
        if key not in self._samples:
            self._samples[key] = self._next[prompt, generator]
            self._next[prompt, generator] += 1
        return self._samples[key]

    def remarks(self) -> Iterator[Remark]:
        if UNKNOWN in self._generators:
            nameless = sum(generator == UNKNOWN for _, generator in self._images.values())
            yield Remark(f"{self.source} names no generator for {nameless:,} images.")
        for what, count in self.told.items():
            yield Remark(f"{self.source}: {count:,} {what}.")


def edit_key(text: str, sources: Sequence[Content]) -> str:
    digests = [digest for content in sources if (digest := digest_of(content))]
    return "-".join([prompt_key(text), *(digest[:8] for digest in digests)])


def digest_of(content: Content) -> str:
    """Empty for a picture that is not there."""
    if content is None:
        return ""
    return sha256(content.read_bytes() if isinstance(content, Path) else content).hexdigest()
