"""Bodies that are sent: a field that nobody knows is refused, not dropped."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail


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
