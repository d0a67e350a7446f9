"""The OpenAPI of every operation: names that a client can have as functions, and refusals alike."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from annotations.api.lists import Filters
from annotations.api.problems import IDEMPOTENCY_KEY, MEDIA_TYPE
from annotations.api.refusals import ProblemSerializer


class Operations(AutoSchema):
    def get_operation_id(self) -> str:
        """Where none is given: of what is read, the view's name."""
        name = type(self.view).__name__
        if self.method != "GET":
            return f"{self.method.lower()}_{name}"
        in_pages = any(
            isinstance(one, OpenApiParameter) and one.name == "cursor"
            for one in self.get_override_parameters()
        )
        return f"{'list' if in_pages else 'get'}_{name}"

    def _get_parameters(self) -> list[dict[str, Any]]:
        """An empty filter is none, as a browser's form sends what was left open."""
        found: list[dict[str, Any]] = super()._get_parameters()
        filters = {
            name
            for one in self.get_override_parameters()
            if isinstance(one, type) and issubclass(one, Filters)
            for name in one().fields
        }
        for one in found:
            if one["in"] == "query" and one["name"] in filters:
                one["schema"] = _or_empty(one["schema"])
        return found

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        """Whatever an operation says of its refusals, they are problems; and those that any has."""
        found: dict[str, Any] = super()._get_response_bodies(direction)
        refusals = {code for code in found if code >= "400"}
        if self.get_auth():
            refusals |= {"401", "403"}
        if self._get_parameters() or self._get_request_body():
            refusals.add("400")
        parameters = {
            one.name for one in self.get_override_parameters() if isinstance(one, OpenApiParameter)
        }
        if "{" in self.path or "cursor" in parameters:
            refusals.add("404")
        if IDEMPOTENCY_KEY in parameters:
            refusals.add("422")
        if self.method not in {"GET", "DELETE"}:
            # A body that is no JSON, or of another kind; a limit of the route.
            refusals |= {"400", "415", "429"}
        kept = {code: body for code, body in found.items() if code < "400"}
        problems = {
            code: self._get_response_for_code(ProblemSerializer, code, [MEDIA_TYPE], direction)
            for code in sorted(refusals)
        }
        return {**kept, **problems}


def _or_empty(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "string" and not {"enum", "format"} & schema.keys():
        return {name: value for name, value in schema.items() if name != "minLength"}
    return {"anyOf": [schema, {"type": "string", "maxLength": 0}]}
