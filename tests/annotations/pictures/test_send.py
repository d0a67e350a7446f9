"""A picture whose file was cut off after it came in is not shown: half of it would be judged."""

import io

import pytest
from django.core.files.storage import default_storage
from PIL import Image as Picture

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Image
from jurybox_formats.sources.records import ImageRecord
from tests import making

pytestmark = pytest.mark.django_db


def stored(study, kind: str) -> Image:
    out = io.BytesIO()
    making.noise(64, 48).save(out, kind)
    record = ImageRecord(kind, "p0", "early", out.getvalue())
    outcome = Outcome()
    write_study.import_records(study=study, records=[record], outcome=outcome)
    assert outcome.rejected == []
    return Image.objects.get(study=study, key=kind)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_half_a_file_is_gone_and_the_whole_one_is_whole(as_bob, study, kind):
    image = stored(study, kind)
    address = f"/images/{image.public_id}/"
    whole = as_bob.get(address)
    sent = b"".join(whole)
    assert whole.status_code == 200
    assert int(whole["Content-Length"]) == len(sent)
    assert Picture.open(io.BytesIO(sent)).size == (64, 48)
    with default_storage.open(image.file) as file:
        content = file.read()
    assert sent.rstrip(b"\0") == content.rstrip(b"\0")
    for length in (len(content) // 2, len(content) - 1, 10, 0):
        default_storage.delete(image.file)
        default_storage.save(image.file, io.BytesIO(content[:length]))
        cut = as_bob.get(address)
        assert cut.status_code == 410
        assert "immutable" not in cut.headers.get("Cache-Control", "")


def test_no_header_tells_of_which_kind_or_length_a_picture_is(as_bob, study):
    """Who compares two pictures could tell by them whose they are."""

    def what(answer):
        b"".join(answer)
        of_each_request = {"X-Request-ID", "X-Request-Id"}
        return tuple(
            sorted(pair for pair in answer.headers.items() if pair[0] not in of_each_request)
        )

    sizes, said = set(), set()
    for kind in ("PNG", "JPEG", "WEBP"):
        image = stored(study, kind)
        for method in (as_bob.get, as_bob.head):
            answer = method(f"/images/{image.public_id}/")
            said.add(what(answer))
        sizes.add(default_storage.size(image.file))
        small = as_bob.get(f"/images/{image.public_id}/?small")
        said.add(what(small))
    assert len(sizes) == 3
    assert len(said) == 1
