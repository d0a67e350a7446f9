"""What all lists of the API share: pages by cursor, checked filters, their schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

CURSOR = OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` or `previous`.")
SIZE = OpenApiParameter("page_size", OpenApiTypes.INT, description="1 to 1000; 100 by default.")


class MessageSerializer(serializers.Serializer):
    """Why something was refused, in a sentence."""

    message = serializers.CharField()


class Pages(CursorPagination):
    """Ordered by key, so that new rows neither repeat nor hide others."""

    page_size = 100
    max_page_size = 1000
    page_size_query_param = "page_size"
    ordering = "pk"


def page(
    request: Request,
    queryset: QuerySet,
    serializer: type[serializers.Serializer],
    **context: Any,
) -> Response:
    pages = Pages()
    rows = pages.paginate_queryset(queryset, request)
    return pages.get_paginated_response(serializer(rows, many=True, context=context).data)


class Filters(serializers.Serializer):
    """Checked query parameters: an invalid filter is refused, not ignored."""

    def chosen(self) -> dict[str, Any]:
        return {name: value for name, value in self.validated_data.items() if value != ""}


def filters(request: Request, kind: type[Filters]) -> dict[str, Any]:
    given = kind(data=request.query_params)
    given.is_valid(raise_exception=True)
    return given.chosen()


def listed(
    serializer: type[serializers.Serializer], kind: type[Filters] | None = None, **more: Any
) -> Callable[[Any], Any]:
    """Decorator: the OpenAPI schema of a list in pages."""
    name = serializer.__name__.removesuffix("Serializer")
    whole = inline_serializer(
        f"{name}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": serializer(many=True),
        },
    )
    parameters = [CURSOR, SIZE] + ([kind] if kind else [])
    return extend_schema(
        parameters=parameters,
        responses={200: whole, 400: OpenApiTypes.OBJECT, 403: MessageSerializer, 404: None},
        **more,
    )
