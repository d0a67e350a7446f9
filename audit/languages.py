"""In which language a page speaks: as the address asks (`?lang=`), else as chosen in this browser, else as it
prefers. What programs read stays English: the API, files, probes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from django import template
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.staticfiles import finders
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template import defaultfilters
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.html import (  # type: ignore[attr-defined]
    _json_script_escapes,
    conditional_escape,
    format_html,
)
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST

from annotations.language.counts import count_things
from annotations.language.stored_words import say, translate_stored
from audit.accounts.language import ENGLISH, account_language, chosen_language, known_language
from audit.models import AccountLanguage

register = template.Library()
register.simple_tag(count_things)
register.filter(say)
READ_BY_PROGRAMS = re.compile(r"^/(api|admin|charts)/|^/(healthz|readyz|metrics)$|\.[a-z]{2,5}$")
# A word of a script, where it is shown: gettext("saved").
IN_SCRIPT = re.compile(r'\bn?gettext\(\s*"((?:[^"\\]|\\.)*)"(?:,\s*"((?:[^"\\]|\\.)*)")?')
A_YEAR = 365 * 24 * 60 * 60


class SpeaksLanguage:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        wanted = known_language(request.GET.get("lang", "")) if "lang=" in _query(request) else ""
        language = wanted or find_language(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            # Looked up where it matters alone; a token says who asks once the view has begun.
            request.account_language = lambda: account_language(request.user)  # type: ignore[attr-defined]
            response = self.get_response(request)
        keep = getattr(request, "language_to_keep", wanted)
        if keep:
            keep_in_browser(response, keep)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Content-Language", language)
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def _query(request: HttpRequest) -> str:
    return request.META.get("QUERY_STRING", "")


def find_language(request: HttpRequest) -> str:
    if READ_BY_PROGRAMS.search(request.path_info):
        return ENGLISH
    return translation.get_language_from_request(request)


def keep_in_browser(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=A_YEAR,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@login_not_required
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """The switch at the foot of a page: for this browser, and for the account of who has logged in."""
    language = known_language(request.POST.get("language", ""))
    if language:
        request.language_to_keep = language  # type: ignore[attr-defined]
        if request.user.is_authenticated and not settings.READ_ONLY:
            AccountLanguage.objects.update_or_create(
                user=request.user, defaults={"language": language}
            )
    following = request.POST.get("next", "")
    is_here = url_has_allowed_host_and_scheme(
        following, {request.get_host()}, require_https=request.is_secure()
    )
    # `redirect` takes what has a colon for the name of a route.
    return HttpResponseRedirect(following if is_here else reverse("home"))


@receiver(user_logged_in)
def bring_language(request: HttpRequest | None, user: User, **_: object) -> None:
    """The account's language follows a person to every browser."""
    chosen = chosen_language(user)
    if request is not None and chosen:
        request.language_to_keep = chosen  # type: ignore[attr-defined]


# ---- In templates -----------------------------------------------------------------------------------


@register.simple_tag
def other_languages() -> list[tuple[str, str, bool]]:
    """Code, own name, and whether the page speaks it."""
    now = translation.get_language()
    return [(code, str(name), code == now) for code, name in settings.LANGUAGES]


@register.filter
def as_english(text: str) -> SafeString:
    """What a recipe, a method or a stored answer says is English on every page: marked, so that it is
    read aloud as such."""
    shown = conditional_escape(text)
    if not shown or translation.get_language() == ENGLISH:
        return shown
    return format_html('<span lang="en">{}</span>', shown)


@register.filter
def in_language(text: str) -> SafeString:
    """What was stored in English, or refused; marked as English where no translation is known. What is escaped
    already is in the reader's language."""
    if isinstance(text, SafeString):
        return text
    translated = translate_stored(str(text))
    return conditional_escape(translated) if translated else as_english(text)


@register.filter
def local_date(moment: date | None, form: str) -> str:
    """`form` is the English one, such as "j F Y"; a language may have its own."""
    return str(defaultfilters.date(moment, translation.gettext(form)))


@register.simple_tag
def script_words(*scripts: str) -> SafeString:
    """What these scripts say, for `gettext` in `static/theme.js`; nothing on an English page."""
    language = translation.get_language() or ENGLISH
    return _words_block(language, scripts) if language != ENGLISH else SafeString()


@lru_cache(maxsize=64)
def _words_block(language: str, scripts: tuple[str, ...]) -> SafeString:
    words: dict[str, str | list[str]] = {}
    for script in scripts:
        for one, many in words_in_script(script):
            words[one] = (
                [translation.ngettext(one, many, number) for number in (1, 2)]
                if many
                else translation.gettext(one)
            )
    text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    text = text.translate(_json_script_escapes)
    return mark_safe(f'<script type="application/json" id="words">{text}</script>')  # noqa: S308


def words_in_script(name: str) -> list[tuple[str, str]]:
    """Each sentence of a script; with its plural where it counts something."""
    file = finders.find(name)
    if not file:
        raise template.TemplateSyntaxError(f"There is no script {name}.")
    with open(str(file), encoding="utf-8") as script:
        found = IN_SCRIPT.findall(script.read())
    return [(json.loads(f'"{one}"'), json.loads(f'"{many}"')) for one, many in found]
