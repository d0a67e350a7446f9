"""What all lists of the API share: pages by cursor, checked filters, their schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from annotations.bounded_numbers import read_whole

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

    def decode_cursor(self, request: Request) -> Any:
        """A position is the key of a row: anything else would break in the database."""
        cursor = super().decode_cursor(request)
        position = cursor.position if cursor is not None else None
        if position is not None and read_whole(str(position), low=0) is None:
            raise NotFound("Invalid cursor")
        return cursor


def page(
    request: Request,
    queryset: QuerySet,
    serializer: type[serializers.Serializer],
    **context: Any,
) -> Response:
    pages = Pages()
    rows = pages.paginate_queryset(queryset, request)
    return pages.get_paginated_response(serializer(rows, many=True, context=context).data)


def first_of_parts(request: Request, rows: QuerySet, part: str, values: Sequence[str]) -> list[int]:
    """The keys on the page that is requested, where an index has the rows by a part (the state of answers)
    and their key. Sorted together, all rows of a study would be read for each page."""
    pages = Pages()
    size = pages.get_page_size(request) or Pages.page_size
    cursor = pages.decode_cursor(request)
    back = cursor is not None and cursor.reverse
    most = (cursor.offset if cursor else 0) + size + 1
    keys: list[int] = []
    for value in values:
        # As a range, and in the order of the index: for one value PostgreSQL might as well go by the key
        # alone, through the rows of all studies before this one.
        here = rows.filter(**{f"{part}__gte": value, f"{part}__lte": value})
        here = here.order_by(*((f"-{part}", "-pk") if back else (part, "pk")))
        here = here.values_list("pk", flat=True)
        if cursor is not None and cursor.position is not None:
            here = here.filter(**{"pk__lt" if back else "pk__gt": cursor.position})
        keys += here[:most]
    return sorted(keys, reverse=back)[:most]


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a list that is ordered by two keys, and the direction to go from it."""

    part: int
    key: int
    back: bool = False

    @classmethod
    def read(cls, cursor: str) -> Place:
        found = CURSOR_TEXT.fullmatch(cursor)
        if found is None:
            raise NotFound("Invalid cursor")
        return cls(int(found[2]), int(found[3]), bool(found[1]))

    def __str__(self) -> str:
        return f"{'-' if self.back else ''}{self.part}.{self.key}"


CURSOR_TEXT = re.compile(r"(-?)(\d{1,18})\.(\d{1,18})", re.ASCII)


def page_by_parts(
    request: Request,
    rows: QuerySet,
    parts: Sequence[int],
    serializer: type[serializers.Serializer],
    *,
    part: str,
    key: str,
) -> Response:
    """The same for rows of several parts (scores of several runs), each of which has an index by the key:
    ordered by the key of all, they would have to be sorted for each page."""
    pages = Pages()
    size = pages.get_page_size(request) or Pages.page_size
    asked = request.query_params.get(pages.cursor_query_param, "")
    at = Place.read(asked) if asked else None
    back = at is not None and at.back
    found: list[Any] = []
    for one in sorted(parts, reverse=back):
        here = rows.filter(**{part: one}).order_by(f"-{key}" if back else key)
        if at is not None:
            if one != at.part and (one > at.part) == back:
                continue
            if one == at.part:
                here = here.filter(**{f"{key}__lt" if back else f"{key}__gt": at.key})
        found += here[: size + 1 - len(found)]
        if len(found) > size:
            break
    there_is_more, shown = len(found) > size, found[:size]
    if back:
        shown.reverse()

    def link(row: Any, backwards: bool) -> str:
        place = Place(getattr(row, part), getattr(row, key), backwards)
        address = request.build_absolute_uri()
        return replace_query_param(address, pages.cursor_query_param, str(place))

    after = bool(shown) and (back or there_is_more)
    before = bool(shown) and (there_is_more if back else at is not None)
    return Response(
        {
            "next": link(shown[-1], False) if after else None,
            "previous": link(shown[0], True) if before else None,
            "results": serializer(shown, many=True).data,
        }
    )


class Filters(serializers.Serializer):
    """Checked query parameters: an invalid filter is refused, not ignored."""

    def chosen_values(self) -> dict[str, Any]:
        return {name: value for name, value in self.validated_data.items() if value != ""}


def filters(request: Request, kind: type[Filters]) -> dict[str, Any]:
    given = kind(data=request.query_params)
    given.is_valid(raise_exception=True)
    return given.chosen_values()


def paged_list(
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
