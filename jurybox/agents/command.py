"""`jurybox mcp`: the server by standard input and output, or on an address of this machine."""

from __future__ import annotations

import argparse
import sys
from secrets import compare_digest
from typing import Any

from jurybox.client import Client
from jurybox.connection import JuryboxError

ABSENT = "jurybox mcp needs the package “mcp”: pip install 'jurybox[mcp]'"


def main(arguments: list[str]) -> None:
    given = parser().parse_args(arguments)
    try:
        from jurybox.agents.server import build_server
    except ModuleNotFoundError as absent:
        if (absent.name or "").partition(".")[0] not in {"mcp", "mcp_types", "pydantic"}:
            raise
        sys.exit(ABSENT)
    try:
        client = Client(address=given.address)
    except JuryboxError as refusal:
        sys.exit(str(refusal))
    server = build_server(client, may_write=given.write, most_images=given.most_images)
    if given.http is None:
        server.run("stdio")
        return
    import uvicorn

    # The server must be the token's, too: whoever else is on this machine knows none.
    app = ForToken(server.streamable_http_app(), client.token)
    uvicorn.run(app, host="127.0.0.1", port=given.http, log_level="warning")


class ForToken:
    """Lets requests in that bear the token which the server itself uses."""

    def __init__(self, app: Any, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or compare_digest(given, self._wanted):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        words = b"Send the token of this server: Authorization: Bearer TOKEN"
        await send({"type": "http.response.body", "body": words})


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="jurybox mcp",
        description="Let an agent read your studies (MCP). The token stands in JURYBOX_TOKEN.",
    )
    made.add_argument("--address", default="", help="of the installation; or JURYBOX_ADDRESS")
    made.add_argument("--write", action="store_true", help="it may upload scores and start judges")
    made.add_argument(
        "--most-images",
        type=int,
        default=1000,
        help="that judges it starts may score, all together",
    )
    made.add_argument(
        "--http", type=int, metavar="PORT", help="answer on this machine instead of standard input"
    )
    return made
