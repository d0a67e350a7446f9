"""Numbers, answers and tables as a page form sends them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

from annotations.bounded_numbers import read_number, read_whole
from annotations.errors import StudyRefused, TableRefused


def whole(text: str) -> int:
    value = read_whole(text)
    if value is None:
        raise StudyRefused(f"“{text[:40]}” is not a whole number; nothing was changed.")
    return value


def number(text: str) -> float:
    """With a point or a comma."""
    value = read_number(text)
    if value is None:
        raise StudyRefused(f"“{text[:40]}” is not a number; nothing was changed.")
    return value


@contextmanager
def sent_table(request: HttpRequest, name: str, most: int) -> Iterator[Path]:
    """A file that was sent, of at most so many bytes, or what was typed; `name`: what a refusal calls it."""
    file = request.FILES.get("file")
    if file is not None and (file.size or 0) > most:
        size = most // 2**20
        raise TableRefused([f"The file is larger than {size} MB; send a part of it."])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(
            file.read() if file is not None else request.POST.get("table", "").encode()
        )
        yield path


def send_csv(text: str, name: str) -> HttpResponse:
    header = content_disposition_header(True, f"{name}.csv") or ""
    return HttpResponse(
        text, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": header}
    )


def sent_answers(request: HttpRequest) -> dict[str, list[str]]:
    """Of a form about an image, by the names of its questions."""
    return {
        name.removeprefix("answer-"): values
        for name, values in request.POST.lists()
        if name.startswith("answer-")
    }
