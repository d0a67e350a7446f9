"""A provider of single sign-on on loopback: discovery, keys, authorization and token endpoint.

It signs real tokens and holds the client to the protocol: secret, code once, redirect, PKCE. What a
test wants to be wrong it writes into `claims`, `key` or `header`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT, SECRET = "jurybox", "a secret/with:odd@characters"


class StandIn:
    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.published = [self.key]
        self.person = {
            "sub": "subject-1",
            "preferred_username": "dora",
            "email": "dora@example.org",
        }
        self.person["email_verified"] = True
        self.claims: dict[str, Any] = {}
        self.header = {"alg": "RS256", "kid": "one"}
        self.codes: dict[str, dict[str, str]] = {}
        self.issuer = ""
        self.says_issuer = ""

    def discovery(self) -> dict[str, str]:
        return {
            "issuer": self.says_issuer or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def keys(self) -> dict[str, Any]:
        return KeySet(self.published).as_dict(private=False)

    def authorize(self, query: dict[str, str]) -> str:
        """The person agrees at once; where the browser is sent."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = query
        back = urlencode({"code": code, "state": query["state"], "iss": self.issuer})
        return f"{query['redirect_uri']}?{back}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        user, _, password = base64.b64decode(authorization.split()[1]).decode().partition(":")
        begun = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        good = begun is not None and (
            (unquote(user), unquote(password), form["redirect_uri"], challenge)
            == (CLIENT, SECRET, begun["redirect_uri"], begun["code_challenge"])
        )
        if not good or begun is None:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": begun["nonce"],
            **self.person,
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.sign(claims)}

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(self.header, claims, self.key, algorithms=["RS256", "HS256"])


@contextmanager
def running() -> Iterator[StandIn]:
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path == "/.well-known/openid-configuration":
                self._json(200, stand_in.discovery())
            elif parts.path == "/keys":
                self._json(200, stand_in.keys())
            else:
                self.send_response(302)
                self.send_header("Location", stand_in.authorize(query))
                self.end_headers()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._json(*stand_in.token(form, self.headers["Authorization"]))

        def _json(self, status: int, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stand_in.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
