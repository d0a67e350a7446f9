"""No page is kept by a browser or a proxy: whoever comes to the computer next could go back to it."""

from __future__ import annotations

import pytest

from tests.hostile.routes import routes

pytestmark = pytest.mark.django_db
ALL = sorted(routes())
# What may be kept: pictures by the browser of the person who saw them (and a chart whose address names its
# report, for an hour), one script by everybody.
KEPT = {
    "image": "private",
    "thumbnail": "private",
    "example-picture": "private",
    "vega": "public",
}


@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_a_page_is_kept_by_nobody(clients, filled, name, address):
    for role in ("anonymous", "annotator", "owner"):
        answer = clients(role).get(filled(name, address))
        said = answer.headers["Cache-Control"]
        if answer.status_code == 200 and name in KEPT:
            assert KEPT[name] in said
            assert "no-store" not in said
        else:
            assert "no-store" in said, (role, answer.status_code, said)
        if answer.streaming:
            b"".join(answer.streaming_content)  # read to its end, or a file stays open
