"""What all answers of the API share: lists in pages by cursor, chosen fields, checked filters, their
schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from annotations.bounded_numbers import read_whole

CURSOR = OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` or `previous`.")
SIZE = OpenApiParameter(
    "page_size",
    {"type": "integer", "minimum": 1},
    description="1 to 1000; 100 by default, and 1000 where more are wanted.",
)
FIELDS = OpenApiParameter(
    "fields", OpenApiTypes.STR, description="Names with commas between: these fields alone."
)
# RFC 9745: since when a list without pages is an old answer. It ends with 0.3.
DEPRECATED_SINCE = "@1795651200"


class MessageSerializer(serializers.Serializer):
    """What was begun, in a sentence."""

    message = serializers.CharField()


class Pages(CursorPagination):
    """Ordered by key, so that new rows neither repeat nor hide others."""

    page_size = 100
    max_page_size = 1000
    page_size_query_param = "page_size"
    ordering = "pk"

    def get_page_size(self, request: Request) -> int:
        """A size that is none is refused: a page of 100 would be taken for the whole."""
        given = request.query_params.get(self.page_size_query_param)
        if given is None:
            return self.page_size
        size = read_whole(given, low=1)
        if size is None:
            raise serializers.ValidationError(
                {"page_size": ["A whole number from 1 on is needed."]}
            )
        return min(size, self.max_page_size)

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
    shown = serializer(rows, many=True, context=context)
    return pages.get_paginated_response(_cut(request, shown))


def page_of_rows(
    request: Request, rows: Sequence[Any], serializer: type[serializers.Serializer]
) -> Response:
    """Of rows that are all at hand. Without `page_size` and `cursor`, the list by itself, as
    such lists were answered until 0.3."""
    asked = request.query_params
    if "page_size" not in asked and "cursor" not in asked:
        answer = Response(_cut(request, serializer(rows, many=True)))
        answer.headers["Deprecation"] = DEPRECATED_SINCE
        successor = replace_query_param(request.build_absolute_uri(), "page_size", "100")
        answer.headers["Link"] = f'<{successor}>; rel="successor-version"'
        return answer
    size = Pages().get_page_size(request)
    start = read_whole(asked.get("cursor") or "0", low=0)
    if start is None:
        raise NotFound("Invalid cursor")

    def link(to: int) -> str:
        return replace_query_param(request.build_absolute_uri(), "cursor", str(to))

    after, before = start + size < len(rows), start > 0
    return Response(
        {
            "next": link(start + size) if after else None,
            "previous": link(max(start - size, 0)) if before else None,
            "results": _cut(request, serializer(rows[start : start + size], many=True)),
        }
    )


def one(request: Request, shown: serializers.Serializer, **more: Any) -> Response:
    """One thing, with all its fields or those that `fields` names."""
    return Response(_cut(request, shown), **more)


def _cut(request: Request, shown: serializers.BaseSerializer) -> Any:
    wanted = request.query_params.get("fields", "") if request.method == "GET" else ""
    if not wanted:
        return shown.data
    names = [name.strip() for name in wanted.split(",")]
    known: Any = getattr(shown, "child", shown)
    known = known.fields
    if others := [name for name in names if name not in known]:
        words = f"There is no field {_quoted(others)}. There are: {', '.join(known)}."
        raise serializers.ValidationError({"fields": [words]})
    if isinstance(shown, serializers.ListSerializer):
        return [{name: row[name] for name in names} for row in shown.data]
    return {name: shown.data[name] for name in names}


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"“{name[:80]}”" for name in names)


def first_of_parts(request: Request, rows: QuerySet, part: str, values: Sequence[str]) -> list[int]:
    """The keys on the page that is requested, where an index has the rows by a part (the state of answers)
    and their key. Sorted together, all rows of a study would be read for each page."""
    pages = Pages()
    size = pages.get_page_size(request)
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
    size = pages.get_page_size(request)
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
            "results": _cut(request, serializer(shown, many=True)),
        }
    )


class Filters(serializers.Serializer):
    """Checked query parameters: an invalid filter is refused, not ignored. The `source` of one is its
    lookup in the database."""

    def chosen_values(self) -> dict[str, Any]:
        given = self.validated_data.items()
        return {name: value for name, value in given if value not in ("", None)}


def text_filter(lookup: str, *, max_length: int = 200) -> serializers.CharField:
    return serializers.CharField(source=lookup, required=False, max_length=max_length)


def filters(request: Request, kind: type[Filters]) -> dict[str, Any]:
    given = kind(data=request.query_params)
    given.is_valid(raise_exception=True)
    return given.chosen_values()


def paged_list(
    serializer: type[serializers.Serializer], kind: type[Filters] | None = None, **more: Any
) -> Callable[[Any], Any]:
    """Decorator: the OpenAPI schema of a list in pages."""
    parameters = [CURSOR, SIZE, FIELDS] + ([kind] if kind else [])
    return extend_schema(parameters=parameters, responses=_page_of(serializer), **more)


def row_list(
    serializer: type[serializers.Serializer], refusals: Sequence[int] = (), **more: Any
) -> Callable[[Any], Any]:
    """Decorator: of a list that was answered without pages."""
    name = serializer.__name__.removesuffix("Serializer")
    either = PolymorphicProxySerializer(
        f"{name}List",
        [_page_of(serializer), serializer(many=True)],
        resource_type_field_name=None,
        many=False,
    )
    responses: dict[int, Any] = {200: either, **dict.fromkeys(refusals)}
    return extend_schema(parameters=[CURSOR, SIZE, FIELDS], responses=responses, **more)


def _page_of(serializer: type[serializers.Serializer]) -> Any:
    name = serializer.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": serializer(many=True),
        },
    )


def request_and_answer(
    name: str, sent: Any, answer: Any, *, status: int, media_type: str = "application/json"
) -> list[OpenApiExample]:
    """`sent` None: of an operation without a body. Of a list its first part is given."""
    answers = OpenApiExample(name, answer, response_only=True, status_codes=[str(status)])
    if sent is None:
        return [answers]
    return [OpenApiExample(name, sent, request_only=True, media_type=media_type), answers]
