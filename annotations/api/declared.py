"""An operation refuses by name what its schema does not declare: a parameter with a slip of the pen
would otherwise be no filter at all."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView

# The form of the answer, for people who look at the API in a browser.
ALWAYS = frozenset({"format"})


class AsksWhatIsDeclared(BasePermission):
    """After all other permissions: who may not see a study learns nothing of its operations."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.query_params and request.method in {"GET", "HEAD", "POST", "DELETE"}:
            method = "GET" if request.method == "HEAD" else str(request.method)
            known = declared_parameters(view.__class__, method)  # type: ignore[arg-type]
            if known is not None:
                refuse_others(request.query_params, known | ALWAYS)
        return True


def refuse_others(given: Any, known: frozenset[str] | set[str]) -> None:
    # Here, as this module is imported while `rest_framework.views` is.
    from annotations.api.refusals import UnknownParameter

    others = sorted(set(given) - known)
    if not others:
        return
    known = known - ALWAYS
    there_are = f"There are: {', '.join(sorted(known))}." if known else "There are none."
    words = f"This operation knows no such parameter. {there_are}"
    raise UnknownParameter({name: [words] for name in others})


@cache
def declared_parameters(view: Any, method: str) -> frozenset[str] | None:
    """Of the address, as the schema names them; None of a view that has no such schema."""
    from drf_spectacular.utils import OpenApiParameter

    handler = getattr(view, method.lower(), None)
    kind = getattr(handler, "kwargs", {}).get("schema")
    if kind is None:
        return None
    schema = kind()
    schema.view, schema.method = view(), method
    schema.view.request, schema.view.kwargs = None, {}
    names: set[str] = set()
    for parameter in schema.get_override_parameters():
        if not isinstance(parameter, OpenApiParameter):
            names |= set(parameter().fields)
        elif parameter.location == OpenApiParameter.QUERY:
            names.add(parameter.name)
    return frozenset(names)
