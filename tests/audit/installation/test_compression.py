"""Pages and JSON go out compressed; answers to forms, files and pictures do not."""

import gzip
import re

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from audit.installation.compression import Compresses

GZIP = {"HTTP_ACCEPT_ENCODING": "gzip, br"}
WORDS = "many words " * 100


def sent(method="GET", answer=None, **headers):
    request = RequestFactory().generic(method, "/", **(headers or GZIP))
    answer = HttpResponse(WORDS) if answer is None else answer
    return Compresses(lambda request: answer)(request)


@pytest.mark.django_db
def test_a_page_is_the_same_one_smaller(client):
    plain, small = client.get("/login/"), client.get("/login/", **GZIP)
    assert small.headers["Content-Encoding"] == "gzip"
    # Up to 100 bytes are random, so that a length tells no secret.
    assert len(small.content) < len(plain.content) * 3 / 4
    assert int(small.headers["Content-Length"]) == len(small.content)
    assert "Accept-Encoding" in small.headers["Vary"] and "Cookie" in small.headers["Vary"]

    def without_tokens(content):
        return re.sub(r'(csrf\w*"[^>]*value=|X-CSRFToken": ?)"\w+"', "", content.decode())

    assert without_tokens(gzip.decompress(small.content)) == without_tokens(plain.content)


def test_json_is_compressed_too():
    answer = HttpResponse(WORDS, content_type="application/json")
    assert gzip.decompress(sent(answer=answer).content).decode() == WORDS


@pytest.mark.parametrize(
    "how",
    [
        {"HTTP_ACCEPT_ENCODING": "br"},
        {"method": "POST", **GZIP},
        {"answer": HttpResponse(WORDS, content_type="image/png"), **GZIP},
        {"answer": StreamingHttpResponse(iter([WORDS]), content_type="text/html"), **GZIP},
    ],
    ids=["who does not take it", "an answer to a form", "a picture", "a stream"],
)
def test_everything_else_goes_out_as_it_is(how):
    answer = sent(**how)
    assert "Content-Encoding" not in answer.headers
    content = answer.getvalue() if answer.streaming else answer.content
    assert content.decode() == WORDS


def test_the_same_page_differs_in_length_from_time_to_time():
    """So that a length says little about what stands in a page."""
    assert len({len(sent().content) for _ in range(50)}) > 5


def test_an_answer_without_a_body_has_no_kind():
    answer = HttpResponse(status=304)
    del answer["Content-Type"]
    assert sent(answer=answer).status_code == 304
