"""Nothing that an annotator receives tells which images have known answers.

Twin studies: the same pictures under the same prompt, in one of them some with known answers. One
person does the same things in both, drawn by chance. Whatever comes back must be the same, byte for
byte, once ids are replaced by their order of appearance.
"""

import random
import re
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import assign, image_order
from annotations.labelling.queries import progress
from annotations.models import Assignment, Image, Membership, Study
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord, PromptRecord
from tests import making

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}
BASE = "/studies/twin/label/"
IDS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16}\b|\b\d{64}\b"
)
# Times, and the keys of the study and of the person.
PASSING = re.compile(
    r"\b\d\d?:\d\d(:\d\d)?\b|\d\d\d\d-\d\d-\d\dT[\d:.+]+Z?"
    r"|(?<=labelled-)\d+|(?<=data-person=\")\d+"
)
# Sixteen images; where four have known answers, every fourth image is one of them.
IMAGES, KNOWN = 16, 4


def twin(*, known: bool) -> Study:
    study = Study.objects.create(
        slug="twin",
        title="Twin",
        form=publish_form(geneval_audit.FORM),
        overlap=2,
        gold_share=100 * KNOWN // IMAGES if known else 0,
    )
    outcome = Outcome()
    prompts = [PromptRecord(key=f"p{number}", text="a red circle") for number in range(IMAGES // 2)]
    write_study.import_records(study=study, records=prompts, outcome=outcome)
    makers = [GeneratorRecord("early", None), GeneratorRecord("late", None)]
    write_study.import_records(study=study, records=makers, outcome=outcome)
    images = [
        ImageRecord(f"{name}-{at.key}", at.key, name, making.png())
        for at in prompts
        for name in ("early", "late")
    ]
    write_study.import_records(study=study, records=images, outcome=outcome)
    assert outcome.rejected == []
    if known:
        chosen = random.Random(7).sample(list(study.images.values_list("pk", flat=True)), KNOWN)
        Image.objects.filter(pk__in=chosen).update(gold={"aligned": 1, "quality": 1})
    return study


class Session:
    """One person at work. `received`: all that the server sent, with ids by order of appearance."""

    def __init__(self, *, known: bool, chance: random.Random, **person: object) -> None:
        self.study, self.chance = twin(known=known), chance
        self.person = making.person(self.study, "bob")
        Membership.objects.filter(pk=self.person.pk).update(**person)
        self.other = making.person(self.study, "charlie")
        self.client = Client()
        self.client.force_login(self.person.user)
        self.names: dict[str, str] = {}
        self.received: list[list[str]] = []
        self.known_met = 0

    def name(self, found: re.Match) -> str:
        return self.names.setdefault(found[0], f"id{len(self.names)}")

    def get(self, address: str, **more):
        return self.keep(f"GET {address}", self.client.get(address, **more))

    def post(self, address: str, fields=None, **more):
        return self.keep(f"POST {address}", self.client.post(address, fields or {}, **more))

    def keep(self, what: str, answer):
        body = b"".join(answer) if answer.streaming else answer.content
        headers = {name: words for name, words in answer.headers.items() if name != "X-Request-ID"}
        said = [what, answer.status_code, headers, *body.decode("latin-1").splitlines()]
        self.received.append([self.told(str(line)) for line in said])
        return answer

    def told(self, words: str) -> str:
        return PASSING.sub("then", IDS.sub(self.name, words))

    def in_hand(self) -> Image | None:
        held = Assignment.objects.filter(annotator=self.person, state="leased").first()
        return held and held.image

    # ---- What a person does ----

    def reload(self) -> None:
        self.get(BASE)

    def answer(self) -> None:
        image = self.in_hand()
        if image is None:
            return self.reload()
        self.known_met += image.gold is not None
        self.get(f"/images/{image.public_id}/")
        answers = {"answer-aligned": "1", "answer-quality": self.chance.choice("01")}
        sent = {"image": image.public_id, "form": self.study.form_id, "seconds": "3"}
        self.post(BASE, answers | sent | {"submission": str(uuid.uuid4())}, **HTMX)

    def skip(self) -> None:
        if image := self.in_hand():
            self.post(f"{BASE}skip/", {"image": image.public_id}, **HTMX)

    def undo(self) -> None:
        self.post(f"{BASE}undo/", **HTMX)

    def close(self) -> None:
        if image := self.in_hand():
            self.post(f"{BASE}release/", {"image": image.public_id, "pause": "yes"})
            self.reload()

    def reserve(self) -> None:
        if image := self.in_hand():
            self.post(f"{BASE}alive/", {"image": image.public_id})

    def flag(self) -> None:
        if image := self.in_hand():
            self.post(f"{BASE}flag/", {"image": image.public_id, "reason": "broken"})

    def be_away(self) -> None:
        """All that they hold runs out, and goes to others."""
        long_ago = timezone.now() - timedelta(hours=1)
        Assignment.objects.filter(annotator=self.person, leased_until__isnull=False).update(
            leased_until=long_ago
        )
        assign.release_expired(study=self.study)
        self.reload()

    def look_round(self) -> None:
        for address in ("/", f"{BASE}answers/", "/account/"):
            self.get(address)
        for image in Image.objects.filter(annotations__annotator=self.person).order_by(
            "annotations__pk"
        )[:3]:
            self.get(f"{BASE}answers/{image.public_id}/")

    def by_program(self) -> None:
        for address in ("", "twin/images/", "twin/annotations/", "twin/prompts/"):
            self.get(f"/api/v1/studies/{address}")
        self.post("/api/v1/studies/twin/next/")

    def let_another_work(self) -> None:
        charlie = Membership.objects.get(pk=self.other.pk)
        if assign.next_image(annotator=charlie):
            making.label(charlie)


DOINGS = (
    *(Session.answer,) * 8,
    *(Session.reserve,) * 2,
    *(Session.skip, Session.undo, Session.close, Session.be_away, Session.reload, Session.flag),
    *(Session.look_round, Session.by_program, Session.let_another_work),
)


def whole_session(seed: int, *, known: bool, **person: object) -> Session:
    session = Session(known=known, chance=random.Random(seed), **person)
    session.reload()
    for _ in range(50):
        session.chance.choice(DOINGS)(session)
    while session.in_hand():
        session.answer()
    session.look_round()
    return session


OTHERS = pytest.mark.nightly("other seeds; a person and a worker with a quota are in the quick set")


@pytest.mark.parametrize(
    ("seed", "person"),
    [
        (1, {}),
        pytest.param(2, {}, marks=OTHERS),
        pytest.param(3, {"worker": "W1"}, marks=OTHERS),
        (4, {"worker": "W2", "quota": 9}),
    ],
    ids=["an annotator", "another one", "a worker", "a worker with a task of nine"],
)
def test_a_person_receives_the_same_with_known_images_as_without(seed, person, settings):
    settings.SECRET_KEY = f"the places of the known images are drawn with this: {seed}"
    mixed = whole_session(seed, known=True, **person)
    Study.objects.all().delete()
    plain = whole_session(seed, known=False, **person)
    assert mixed.known_met >= 2
    for number, (here, there) in enumerate(zip(mixed.received, plain.received, strict=True)):
        assert here == there, f"step {number} of {len(mixed.received)}"


def test_what_is_left_counts_the_known_images_that_come(monkeypatch, study, bob):
    chance = random.Random(5)
    for _ in range(300):
        share = study.gold_share = chance.randint(1, 50)
        bob.study = study
        walk = image_order.Walk(bob)
        walk.given = chance.randrange(300)
        fresh, others = chance.randrange(200), chance.randrange(2000)
        monkeypatch.setattr(image_order, "ask", lambda *_, fresh=fresh: [(fresh, 0, 0)])
        number, mixed_in, rest = walk.given, 0, others
        # One image after the other, as they come.
        while True:
            if mixed_in < fresh and walk._is_due(number):
                mixed_in += 1
            elif rest:
                rest -= 1
            else:
                break
            number += 1
        assert walk.known_to_come(others) == mixed_in, (share, walk.given, fresh, others)


def test_a_task_of_so_many_images_has_so_many_left(study, bob):
    Membership.objects.filter(pk=bob.pk).update(quota=3)
    making.label(Membership.objects.get(pk=bob.pk))
    now = progress(Membership.objects.get(pk=bob.pk))
    # Of eight images, three are theirs, and one is done.
    assert (now.mine, now.left, now.mine_total) == (1, 2, 3)


def test_a_known_image_that_ran_out_comes_at_the_end_as_others_do(db):
    study = twin(known=True)
    bob = making.person(study, "bob")
    while (held := assign.next_image(annotator=bob)).image.gold is None:
        making.label(bob)
    Assignment.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(hours=1))
    assign.release_expired(study=study)
    came = []
    while assign.next_image(annotator=bob):
        came.append(making.label(bob).image)
    ordinary = [number for number, image in enumerate(came) if image.gold is None]
    assert came.index(held.image) > max(ordinary)
