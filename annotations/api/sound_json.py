"""JSON that the API takes: refused in one place, before any view sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from jurybox_formats.sources.sound_json import Unsound, load_json


class SoundJSON(JSONParser):
    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return load_json(stream.read())
        except Unsound as error:
            raise ParseError(error.message) from None
