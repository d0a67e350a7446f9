"""Exports choose the format of the file themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OwnFormat(DefaultContentNegotiation):
    """`?format=csv` and `Accept: text/csv` speak of the file. The framework would look for a
    renderer of that name, and answer 404 and 406; only refusals need one, and they are JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: Any = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type
