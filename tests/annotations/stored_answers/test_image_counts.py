"""Each generator knows how many images it has, however they come and go."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Generator, Image
from annotations.stored_answers.question import images_n
from annotations.studies import generators

pytestmark = pytest.mark.django_db


def _image(study, generator, key: str) -> Image:
    prompt = study.prompts.order_by("pk").first()
    return Image(study=study, prompt=prompt, generator=generator, key=key)


def test_images_are_counted_where_they_are_made_saved_and_deleted(study):
    new = Generator.objects.create(study=study, name="new")
    before = images_n(study)
    assert before == Image.objects.filter(study=study).count()
    Image.objects.bulk_create(_image(study, new, f"many-{n}") for n in range(3))
    study.images.bulk_create([_image(study, new, "one more")])
    alone = _image(study, new, "alone")
    alone.save()
    alone.save()
    new.refresh_from_db()
    assert (new.image_count, images_n(study)) == (5, before + 5)
    alone.delete()
    study.images.filter(key__startswith="many").delete()
    new.refresh_from_db()
    assert (new.image_count, images_n(study)) == (1, before + 1)


def test_the_doctor_counts_images_again_and_puts_them_right(study):
    right = dict(Generator.objects.values_list("pk", "image_count"))
    Generator.objects.filter(pk=min(right)).update(image_count=99)
    assert generators.recount_all() == 1
    assert dict(Generator.objects.values_list("pk", "image_count")) == right
    assert generators.recount_all() == 0


@pytest.mark.parametrize("page", ["data", "generators", "study", "export", "manage"])
def test_no_page_counts_the_images_of_a_study(study, alice, client, page):
    client.force_login(alice.user)
    with CaptureQueriesContext(connection) as asked:
        assert client.get(reverse(page, args=[study.slug])).status_code == 200
    counted = [
        one["sql"]
        for one in asked
        if 'COUNT(*) AS "__count" FROM "annotations_image"' in one["sql"]
    ]
    # Those with known answers have an index of their own; those with labels are kept.
    assert all("gold" in sql or "EXISTS" in sql for sql in counted)
