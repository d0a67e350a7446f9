import uuid

import pytest
from django.contrib.auth import get_user_model
from django.db.models import Count

from annotations.database.prepared import Prepared, ask, insert, insertion
from annotations.models import Annotation, Answer, Image, Membership
from tests import making

pytestmark = pytest.mark.django_db

IMAGE = Prepared(
    lambda mark: (
        Image.objects.filter(study__slug=mark.text("slug"), key=mark.text("key"))
        .select_related("prompt", "generator")
        .order_by("pk")
    )
)


def test_what_comes_out_is_what_django_would_give(study, django_assert_num_queries):
    for key in ("early-0", "late-2"):
        with django_assert_num_queries(1):
            found = IMAGE.first(slug="shapes", key=key)
            assert found.prompt.text and found.generator.name
        plain = Image.objects.select_related("prompt", "generator").get(key=key)
        assert found == plain
        for one, other in ((found, plain), (found.prompt, plain.prompt)):
            fields = [f.attname for f in one._meta.concrete_fields]
            assert [getattr(one, f) for f in fields] == [getattr(other, f) for f in fields]


def test_nothing_found_is_none(study):
    assert IMAGE.first(slug="shapes", key="nowhere") is None


def test_a_found_row_can_be_changed_and_saved(study):
    found = IMAGE.first(slug="shapes", key="early-0")
    found.sample = 7
    found.save()
    assert Image.objects.get(key="early-0").sample == 7


def test_an_identifier_is_found_on_every_database(study, bob):
    sent = Prepared(lambda mark: Annotation.objects.filter(submission=mark.uuid("submission")))
    annotation = making.label(bob)
    assert sent.first(submission=annotation.submission) == annotation
    assert sent.first(submission=uuid.uuid4()) is None


def test_single_values_come_alone_and_several_as_a_row(study, bob):
    walk = Prepared(lambda mark: Membership.objects.filter(pk=mark("p")).values_list("walk"))
    both = Prepared(lambda mark: Membership.objects.filter(pk=mark("p")).values_list("name", "pk"))
    assert walk.first(p=bob.pk) == {}
    assert tuple(both.first(p=bob.pk)) == ("bob", bob.pk)


def test_what_was_counted_beside_a_row_comes_with_it(study):
    counted = Prepared(
        lambda mark: (
            Image.objects.order_by()
            .filter(key=mark.text("key"))
            .annotate(atoms=Count("prompt__atoms"))
            .select_related("prompt")
        )
    )
    found = counted.first(key="early-0")
    assert found.atoms == found.prompt.atoms.count()
    assert found.prompt == Image.objects.get(key="early-0").prompt


def test_a_part_of_a_larger_statement_has_its_own_values(study):
    keyed = Prepared(lambda mark: Image.objects.order_by().filter(key=mark.text("key")))
    before = ("WITH one AS (SELECT %s AS a, %s AS b) ", ["x", "y"])
    assert keyed.first(key="early-0", after=before).key == "early-0"


def test_a_row_is_inserted_under_a_condition(study, bob):
    annotation = making.label(bob)
    answer = Answer(annotation=annotation, question="another", value=None, text="words")
    row, values = insertion(answer)
    for condition, there in (("1 = 0", 0), ("1 = 1", 1)):
        assert len(ask(f"{row} WHERE {condition} RETURNING id", values)) == there
    assert annotation.answers.get(question="another").text == "words"


def test_the_query_is_built_once(study):
    built = []

    def build(mark):
        built.append(1)
        return Image.objects.filter(key=mark.text("key"))

    query = Prepared(build)
    for key in ("early-0", "early-1", "early-2"):
        assert query.first(key=key).key == key
    assert len(built) == 1


def test_rows_are_inserted_together_and_know_their_keys(study, bob, django_assert_num_queries):
    annotation = making.label(bob)
    answers = [Answer(annotation=annotation, question=f"q{n}", value=n) for n in range(3)]
    with django_assert_num_queries(1):
        insert(*answers)
    assert [Answer.objects.get(pk=one.pk).question for one in answers] == ["q0", "q1", "q2"]
    answers[0].value = 9
    answers[0].save()
    assert Answer.objects.filter(question="q0").get().value == 9


def test_nothing_to_insert_asks_nothing(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        insert()


def test_an_account_is_found_by_its_small_key(study, bob):
    user = Prepared(lambda mark: get_user_model().objects.filter(pk=mark("user")))
    assert user.first(user=bob.user_id) == bob.user
