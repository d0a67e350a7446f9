"""What the path of a bare picture says: its prompt, its generator and its number.

Folders and names are guessed by looking at all of them together; a person can say it instead. Plain
values, no files: `sdxl/a red cup_2.png` -> ("a red cup", "sdxl", 2).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

# What the folders, or the name of the file, may be.
FOLDERS = {
    "generator": "generator",
    "prompt": "prompt",
    "generator/prompt": "generator, then prompt",
    "prompt/generator": "prompt, then generator",
    "nothing": "nothing",
}
NAMES = {
    "prompt": "prompt",
    "prompt+sample": "prompt and sample",
    "generator": "generator",
    "prompt+generator": "prompt, generator and sample",
    "generator+prompt": "generator, prompt and sample",
    "sample": "sample",
    "nothing": "nothing",
}
UNKNOWN = "unknown"
# A number at the end, set apart from the words: "cup_03", "cup (2)", "cup-1"; or nothing but a number.
NUMBER = re.compile(r"(?:^|[\s_-])\(?(\d{1,6})\)?$")
# Folders of this name say nothing about what is in them.
PLAIN = {
    *("images", "image", "samples", "sample", "pictures", "img", "imgs", "png", "output"),
    "outputs",
}
# What generators are called, as far as one can know; newer ones are known by a digit in their name.
KNOWN = re.compile(
    r"(?i)^(sd|sdxl|flux|dall|midjourney|mj|imagen|pixart|kandinsky|gpt|gemini|qwen|hunyuan|kolors|"
    r"playground|firefly|ideogram|sana|recraft|janus|emu|lumina|seedream|nano|stable|deepfloyd|glide|"
    r"parti|cogview|omnigen|bagel|infinity|hidream|wuerstchen|vqgan|grok|bria|aurora|minimax|var)"
)
KEY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Levels:
    """What folders and names are: keys of FOLDERS and NAMES."""

    folder: str
    name: str


@dataclass(frozen=True, slots=True)
class NamedPicture:
    prompt: str
    generator: str
    sample: int


def guess(paths: Iterable[str]) -> Levels:
    """Few different values that come back in each folder are generators, sentences are prompts."""
    parts = [split(path) for path in paths]
    folders = [folder for folder, _ in parts]
    depth = min((len(folder) for folder in folders), default=0)
    varying = [level for level in range(depth) if len({folder[level] for folder in folders}) > 1]
    stems = [stem for _, stem in parts]
    if len(varying) >= 2:
        outer, inner = ([folder[level] for folder in folders] for level in varying[-2:])
        return Levels(
            "generator/prompt" if _is_generator(outer, inner) else "prompt/generator",
            "sample" if any(NUMBER.search(stem) for stem in stems) else "nothing",
        )
    if varying:
        return _one_folder([folder[varying[0]] for folder in folders], stems)
    return Levels("nothing", _name_alone(stems))


def read(path: str, levels: Levels, *, strip: int = 0) -> NamedPicture:
    """The prompt is empty where the path does not say it. `strip`: folders that all have in common."""
    folder, stem = split(path)
    folder = folder[strip:]
    prompt, generator = "", ""
    if levels.folder in ("generator/prompt", "prompt/generator") and len(folder) > 1:
        pair = dict(zip(levels.folder.split("/"), folder[-2:], strict=True))
        prompt, generator = pair["prompt"], pair["generator"]
    elif levels.folder in ("generator", "prompt/generator") and folder:
        generator = folder[-1] if levels.folder == "prompt/generator" else folder[0]
    elif levels.folder in ("prompt", "generator/prompt") and folder:
        prompt = folder[-1]
    base, sample = without_number(stem)
    if levels.name == "prompt":
        prompt, sample = stem, 0
    elif levels.name == "prompt+sample":
        prompt = base or stem
    elif levels.name == "generator":
        generator = base or stem
    elif levels.name in ("prompt+generator", "generator+prompt"):
        prompt, generator = _split_name(base, first=levels.name == "generator+prompt")
    elif levels.name == "nothing":
        sample = 0
    return NamedPicture(in_words(prompt), generator.strip(), sample)


def common_folders(paths: Iterable[str]) -> int:
    """How many of the outer folders are the same for all."""
    folders = [split(path)[0] for path in paths]
    depth = min((len(folder) for folder in folders), default=0)
    for level in range(depth):
        if len({folder[level] for folder in folders}) > 1:
            return level
    return depth


def split(path: str) -> tuple[tuple[str, ...], str]:
    """The folders that can mean something, and the name without its ending."""
    pure = PurePosixPath(path)
    return tuple(part for part in pure.parts[:-1] if part.lower() not in PLAIN), pure.stem


def without_number(stem: str) -> tuple[str, int]:
    match = NUMBER.search(stem)
    return (stem[: match.start()].rstrip(" _-"), int(match[1])) if match else (stem, 0)


def in_words(name: str) -> str:
    """`a_red_cup` is what a file system made of "a red cup"."""
    text = name.strip()
    return re.sub(r"[_+]+" if " " in text or "_" in text else r"[_+-]+", " ", text).strip()


def prompt_key(text: str) -> str:
    """The same for the same words, in every import: readable where words are short and plain."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if words.replace("-", " ") == text and len(words) <= 80:
        return words
    return f"{words[:60].strip('-') or 'prompt'}-{_digest(text)[:8]}"


def image_key(path: str) -> str:
    if len(path) <= KEY_LENGTH:
        return path
    return f"{path[:180]}-{_digest(path)[:12]}"


def _digest(text: str) -> str:
    # Half characters too: the row is refused later, with words.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _one_folder(folders: list[str], stems: list[str]) -> Levels:
    bases = [without_number(stem)[0] for stem in stems]
    numbered = any(NUMBER.search(stem) for stem in stems)
    if len(set(bases)) == 1:
        # 0.png, 1.png or img_0.png in every folder: only the folder says something.
        if _is_sentence(folders):
            return Levels("prompt", "sample" if numbered else "nothing")
        return Levels("generator", "prompt")
    if _repeated(folders, bases):
        if _is_generator(folders, bases):
            return Levels("generator", _with_sample(folders, stems))
        return Levels("prompt", "generator")
    if _is_sentence(folders) and not _is_sentence(bases):
        return Levels("prompt", "sample" if numbered else "nothing")
    return Levels("generator", _with_sample(folders, stems))


def _name_alone(stems: list[str]) -> str:
    bases = [without_number(stem)[0] for stem in stems]
    if len(set(bases)) == 1 and len(stems) > 1:
        return "prompt"
    for first, name in ((False, "prompt+generator"), (True, "generator+prompt")):
        pairs = [_split_name(base, first=first) for base in bases]
        if all(generator for _, generator in pairs) and _crossed(pairs, stems):
            return name
    return _with_sample([""] * len(stems), stems)


def _crossed(pairs: list[tuple[str, str]], stems: list[str]) -> bool:
    """Each prompt has the same few generators, which look like generators."""
    by_prompt: dict[str, set[str]] = defaultdict(set)
    for prompt, generator in pairs:
        by_prompt[prompt].add(generator)
    sets = {frozenset(generators) for generators in by_prompt.values()}
    names = {generator for _, generator in pairs}
    if len(sets) > 1 or len(names) < 2 or len(by_prompt) < 2:
        return False
    alike = sum(bool(KNOWN.match(name) or re.search(r"\d|[A-Z]|-", name)) for name in names)
    return 2 * alike >= len(names) or (
        len(by_prompt) > len(names) and all(NUMBER.search(stem) for stem in stems)
    )


def _with_sample(folders: list[str], stems: list[str]) -> str:
    """A number is a sample's if the same words come with another number, too."""
    numbers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for folder, stem in zip(folders, stems, strict=True):
        numbers[folder, without_number(stem)[0]].add(stem)
    several = any(len(found) > 1 and base for (_, base), found in numbers.items())
    return "prompt+sample" if several else "prompt"


def _split_name(base: str, *, first: bool) -> tuple[str, str]:
    """(prompt, generator) of a name that holds both."""
    for sign in ("__", " - ", "_", " "):
        if sign in base:
            if first:
                generator, _, prompt = base.partition(sign)
            else:
                prompt, _, generator = base.rpartition(sign)
            if prompt.strip() and generator.strip():
                return prompt, generator
    return base, ""


def _is_generator(one: list[str], other: list[str]) -> bool:
    """Whether the first values are generators and the second prompts, not the other way round."""
    here, there = _average_words(one), _average_words(other)
    if max(here, there) >= 1.5 * min(here, there):
        return here < there
    return len(set(one)) <= len(set(other))


def _repeated(folders: list[str], bases: list[str]) -> bool:
    where: dict[str, set[str]] = defaultdict(set)
    for folder, base in zip(folders, bases, strict=True):
        where[base].add(folder)
    return 2 * sum(len(found) > 1 for found in where.values()) >= len(where)


def _is_sentence(values: list[str]) -> bool:
    return _average_words(values) >= 2.5


def _average_words(values: list[str]) -> float:
    """Words of an average value; at least one."""
    distinct = set(values) or {""}
    return max(1.0, sum(len(in_words(value).split()) for value in distinct) / len(distinct))
