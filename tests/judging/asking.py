"""A method and its engines on one picture, without a database: asked until it is content."""

from __future__ import annotations

from typing import Any

from PIL import Image

from jurybox_judging.protocols import (
    ColorOf,
    KnownAnswers,
    Objects,
    Question,
    Similarity,
    Subject,
    Talk,
)

PICTURE = Image.new("RGB", (8, 8))


def judged(method: Any, subject: Subject, picture: Image.Image = PICTURE, **parts: Any) -> Any:
    """`parts` are engines by kind: objects, colors, similarity, answers, talk."""
    seen = KnownAnswers()
    seen.classes = tuple(getattr(parts.get("objects"), "classes", ()))
    while wants := method.wants(subject, seen):
        for want in wants:
            assert want not in seen, f"asked twice: {want}"
            seen[want] = _told(want, picture, seen, parts)
    return method.judge(subject, seen)


def _told(want: Any, picture: Image.Image, seen: KnownAnswers, parts: dict[str, Any]) -> Any:
    match want:
        case Objects():
            return parts["objects"].detect([picture], [want.classes])[0]
        case ColorOf():
            detection = seen[want.objects][want.index]
            return parts["colors"].colors([(picture, detection, want)])[0]
        case Similarity():
            return parts["similarity"].similarities([(picture, want.text)])[0]
        case Question():
            return parts["answers"].answer([(picture, [want])])[0][0]
        case Talk():
            return parts["talk"].talk([(picture, want)])[0]
    raise NotImplementedError(want)
