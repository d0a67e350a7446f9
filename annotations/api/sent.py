"""Bodies that are sent: a field that nobody knows is refused, not dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ParseError
from rest_framework.parsers import JSONParser

from jurybox_formats.sources.sound_json import Unsound, load_json


class SentSerializer(serializers.Serializer):
    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        # A browser's own form names its cross-site token.
        others = sorted(set(data) - set(self.fields) - {"csrfmiddlewaretoken"})
        if others:
            words = f"There is no such field. There are: {', '.join(self.fields)}."
            found = {name: [ErrorDetail(words, "unknown")] for name in others}
            raise serializers.ValidationError(found)
        return values


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
