"""In which language a program wants the questions; all else that it reads stays English."""

from __future__ import annotations

from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from annotations.forms.versions import shown_language
from annotations.models import FormVersion

HEADER = OpenApiParameter(
    "Accept-Language",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description=(
        "In which language the questions are wanted, such as `zh-hans` or `de`; without it, the one that the account "
        "has chosen. They come in it where the form has that translation, else in the form’s own words."
    ),
)


def language_for(request: Request, version: FormVersion) -> str:
    """Of the form's translations; empty for its own words. A page asked for this language shows the same."""
    with translation.override(_find_language(request)):
        return shown_language(version)


def _find_language(request: Request) -> str:
    header = request.headers.get("Accept-Language", "")
    for code, _ in parse_accept_lang_header(header):
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return "en" if header else request.account_language()  # type: ignore[attr-defined]
