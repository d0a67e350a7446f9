"""The API's part about tokens: one for a password, the list, the end of one."""

from __future__ import annotations

from typing import cast

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import Http404
from django.urls import path
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    parser_classes,
    permission_classes,
)
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.lists import page_of_rows, request_and_answer, row_list
from annotations.api.sent import SentSerializer, SoundJSON
from annotations.errors import NotYours, TooOften
from audit.accounts import lockout, second_factor, tokens
from audit.models import ApiToken

CODE_WANTED = "This account needs a right code of its second factor, beside the password."
WRONG = "Unable to log in with provided credentials."


class NewTokenSerializer(SentSerializer):
    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(ApiToken.Scope.choices, default=ApiToken.Scope.READ)
    study = serializers.CharField(max_length=200, default="", allow_blank=True)
    days = serializers.IntegerField(min_value=1, max_value=tokens.LONGEST_DAYS, default=tokens.DAYS)


class PasswordSerializer(NewTokenSerializer):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=4096, trim_whitespace=False)
    code = serializers.CharField(
        max_length=50, default="", help_text="Of the second factor, for accounts that have one."
    )
    name = serializers.CharField(max_length=100, default="over the API")
    # What such a token always could.
    scope = serializers.ChoiceField(ApiToken.Scope.choices, default=ApiToken.Scope.WRITE)


class TokenSerializer(serializers.ModelSerializer):
    study: serializers.SlugRelatedField = serializers.SlugRelatedField(
        "slug", read_only=True, allow_null=True
    )

    class Meta:
        model = ApiToken
        fields = ["id", "name", "scope", "study", "created_at", "expires_at", "last_used_at"]


class MadeSerializer(TokenSerializer):
    token = serializers.CharField(help_text="Shown this once.")

    class Meta(TokenSerializer.Meta):
        fields = ["token", *TokenSerializer.Meta.fields]


NEW_TOKEN = {"name": "nightly report", "scope": "read", "study": "shapes", "days": 90}
FOUR_WORDS = "correct horse battery staple"
WITH_PASSWORD = {"username": "alice", "password": FOUR_WORDS, **NEW_TOKEN}
SHAPE = "jb_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
TOKEN = {
    "token": SHAPE,
    "id": 5,
    "name": "nightly report",
    "scope": "read",
    "study": "shapes",
    "created_at": "2026-01-31T12:00:00Z",
    "expires_at": "2026-05-01T12:00:00Z",
    "last_used_at": None,
}


@extend_schema(
    operation_id="make_token_for_password",
    request=PasswordSerializer,
    responses={200: MadeSerializer, 403: None},
    auth=[],
    examples=request_and_answer("A password", WITH_PASSWORD, TOKEN, status=200),
)
@api_view(["POST"])
@authentication_classes([])
@permission_classes([])
@parser_classes([SoundJSON, FormParser, MultiPartParser])
def token_for_password(request: Request) -> Response:
    """A new token for a name and a password."""
    sent = PasswordSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    given = dict(sent.validated_data)
    name, password = given.pop("username"), given.pop("password")
    user = authenticate(request=request._request, username=name, password=password)
    if user is None:
        if lockout.WAIT in request.META:
            seconds = lockout.seconds_left(request._request, name)
            raise TooOften(seconds, "There were too many wrong passwords.")
        raise serializers.ValidationError({"non_field_errors": [WRONG]})
    code, shown = given.pop("code"), second_factor.is_on(user)
    if shown:
        if not second_factor.check(user, code):
            raise serializers.ValidationError({"code": [CODE_WANTED]})
    elif second_factor.must_have(user):
        raise NotYours("Set up the second factor on the account page first.")
    made = tokens.make(user=user, by_password=True, second_factor_shown=shown, **given)
    return _token_response(made, 200)


@row_list(TokenSerializer, methods=["GET"], operation_id="list_tokens")
@extend_schema(
    methods=["POST"],
    operation_id="make_token",
    request=NewTokenSerializer,
    responses={201: MadeSerializer},
    examples=request_and_answer("A token that reads", NEW_TOKEN, TOKEN, status=201),
)
@api_view(["GET", "POST"])
def all_tokens(request: Request) -> Response:
    """Your tokens; POST makes one, in a session only: a token must not outlive itself."""
    if request.method == "GET":
        return page_of_rows(request, [*tokens.tokens_of(_user(request))], TokenSerializer)
    if request.auth is not None:
        raise NotYours("A token cannot make tokens; log in with the password.")
    sent = NewTokenSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    shown = second_factor.is_shown(request._request)
    made = tokens.make(user=_user(request), second_factor_shown=shown, **sent.validated_data)
    return _token_response(made, 201)


@extend_schema(operation_id="revoke_token", request=None, responses={204: None})
@api_view(["DELETE"])
def one_token(request: Request, token_id: int) -> Response:
    """Revoke a token."""
    if not tokens.revoke(user=_user(request), pk=token_id):
        raise Http404
    return Response(status=204)


def _user(request: Request) -> User:
    return cast(User, request.user)  # nobody else gets in


def _token_response(made: tuple[ApiToken, str], status: int) -> Response:
    token, text = made
    token.token = text  # type: ignore[attr-defined]
    return Response(
        MadeSerializer(token).data, status=status, headers={"Cache-Control": "no-store"}
    )


class TokenScheme(OpenApiAuthenticationExtension):
    """How the schema speaks of tokens. OpenAPI 3.0 knows scopes for OAuth only, so words say them."""

    target_class = "audit.accounts.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": (
                "`Token jb_…`. Scopes: `read` for GET, HEAD and OPTIONS, `write` for everything; "
                "each operation names its own as `x-scope`. A token can be for one study only."
            ),
        }


def name_scopes(result: dict, **kwargs: object) -> dict:
    """The scope that a token needs, beside each operation."""
    for operations in result["paths"].values():
        for method, operation in operations.items():
            if operation.get("security"):
                operation["x-scope"] = "read" if method in {"get", "head", "options"} else "write"
    return result


urlpatterns = [
    path("token/", token_for_password, name="api-token"),
    path("tokens/", all_tokens, name="api-tokens"),
    path("tokens/<int:token_id>/", one_token, name="api-token-end"),
]
