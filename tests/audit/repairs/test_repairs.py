"""Findings are confirmed, images repaired beside a control, and the gain is what both differ by."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.errors import Refused
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Image, Prompt, Study
from annotations.stored_answers import question, store
from audit.models import Finding
from audit.repairs import findings, painters
from audit.repairs.enforce import CONTROL, REPAIRED, enforce
from audit.repairs.gains import gains, triples
from judges.generating.pipelines import How
from judges.models import Judge, Score
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sets.builtin import study as builtin
from jurybox_formats.sets.builtin.study import GENERATORS
from jurybox_formats.sources.records import LabelRecord
from tests import making

pytestmark = pytest.mark.django_db
NAMES = [generator.name for generator in GENERATORS]


@pytest.fixture(scope="module")
def bench_once(make_once):
    return make_once(build_bench).pk


@pytest.fixture
def bench(db, bench_once, pictures_of_the_file):
    return Study.objects.get(pk=bench_once)


def build_bench() -> Study:
    """Twenty prompts by the two generators of the bench that err most; people say which atoms fail."""
    study = Study.objects.create(
        slug="bench", title="Bench", form=publish_form(geneval_audit.FORM), overlap=3
    )
    records = list(
        builtin.study(prompts=20, generators=6, size=64, raters=1, error_rate=0, atom_labels=True)
    )
    outcome = Outcome()
    keep = {r.key for r in records if getattr(r, "generator", "") in NAMES[:2]}
    some = [
        r
        for r in records
        if getattr(r, "generator", NAMES[0]) in NAMES[:2]
        and (not isinstance(r, LabelRecord) or r.image in keep)
    ]
    write_study.import_records(study=study, records=some, outcome=outcome)
    assert not outcome.rejected
    return study


@pytest.fixture
def confirmed(bench):
    findings.look(study=bench, judge="people")
    Finding.objects.filter(study=bench).update(state="real")
    return bench


def repaired(study: Study):
    return enforce(study=study, findings=findings.confirmed(study), painter=painters.Bench())


def test_people_s_failed_atoms_are_found_once_and_named(bench):
    count = findings.look(study=bench, judge="people")["found"]
    assert count > 5
    assert findings.look(study=bench, judge="people")["found"] == 0
    one = Finding.objects.filter(study=bench).first()
    atom = one.image.prompt.atoms.get(index=one.atom)
    assert one.wanted == atom.text
    assert one.found in (f"no {atom.text}", f"not {atom.text}")


def test_geneval_s_clauses_become_findings(study):
    run = making.scores(study, {"early-0": False, "early-1": False, "late-0": True}, name="g")
    Judge.objects.filter(pk=run.judge_id).update(method="GenEval")
    clauses = {
        "early-0": {"class": "cup", "count": 2, "found": 0, "met": False, "reason": "few"},
        "early-1": {"class": "cup", "count": 1, "color": "red", "found": 1, "met": False},
    }
    for key, clause in clauses.items():
        told = {"clauses": [{"kind": "include", "met": True, "class": "dog"}, clause]}
        Score.objects.filter(run=run, image__key=key).update(evidence=told)
    assert findings.look(study=study, judge="g")["found"] == 2
    said = Finding.objects.order_by("image__key").values_list("wanted", "found")
    assert list(said) == [("2 cup", "no cup"), ("1 red cup", "not 1 red cup")]


def test_a_judge_that_names_no_atom_is_refused(study):
    making.scores(study, {"early-0": 0.5})
    with pytest.raises(Refused, match="names nothing to repair"):
        findings.look(study=study, judge="some-judge")
    with pytest.raises(Refused, match="is no judge of this study. It has: some-judge"):
        findings.look(study=study, judge="nobody")


def test_each_confirmed_finding_gets_a_repair_and_a_control_with_its_parent(confirmed):
    count = Finding.objects.count()
    made = repaired(confirmed)
    assert (made.images, made.known) == (2 * count, 0)
    one = findings.confirmed(confirmed)[0]
    arms = Image.objects.filter(study=confirmed, metadata__parent=one.image.key)
    told = {image.metadata["arm"]: image for image in arms}
    assert set(told) == {REPAIRED, CONTROL}
    assert told[REPAIRED].generator.name == f"{one.image.generator.name} + repaired"
    assert told[REPAIRED].metadata["wanted"] == one.wanted
    assert len({image.sha256 for image in (*arms, one.image)}) == 3
    again = repaired(confirmed)
    assert (again.images, again.known) == (0, count)
    assert len(triples(confirmed)) == count


def test_what_was_not_confirmed_is_not_repaired(bench):
    findings.look(study=bench, judge="people")
    with pytest.raises(Refused, match="No finding is confirmed yet"):
        repaired(bench)
    one = Finding.objects.first()
    findings.say(finding=one, state="wrong", by=None)
    with pytest.raises(Refused, match="No finding is confirmed yet"):
        repaired(bench)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"state": "perhaps"}, "is real, or the judge erred"),
        ({"state": "real", "wanted": "a cup"}, "Say both"),
        ({"state": "real", "wanted": "a cup", "found": "a cup"}, "are the same"),
    ],
)
def test_what_a_person_cannot_say_is_refused(bench, said, words):
    findings.look(study=bench, judge="people")
    with pytest.raises(Refused, match=words):
        findings.say(finding=Finding.objects.first(), by=None, **said)


def test_the_gain_is_repaired_less_control_and_pairs_them(confirmed):
    repaired(confirmed)
    found = triples(confirmed)
    scores = {}
    for number, each in enumerate(found):
        scores |= {each["old"]: 0.2, each[REPAIRED]: 0.9 if number % 2 else 0.7, each[CONTROL]: 0.5}
    making.scores(confirmed, scores)
    half = len(found) // 2
    expected = 100 * (half * 0.9 + (len(found) - half) * 0.7) / len(found) - 50
    body = gains(confirmed)
    judge = next(row for row in body["rows"] if row["by"] == "some-judge")
    assert judge["gain"]["value"] == pytest.approx(expected)
    assert judge["gain"]["low"] < judge["gain"]["value"] < judge["gain"]["high"]
    assert judge["gain"]["n"] == len(found)
    # Another try alone is 30 points better: the regression that a control is there for.
    assert judge["control"]["value"] == pytest.approx(30)
    people = body["rows"][0]
    assert "neither has been judged" in people["gain"]["undefined"]
    assert body["real"]["value"] == 1.0


def test_without_repairs_there_is_no_gain(bench):
    body = gains(bench)
    assert all("undefined" in row["gain"] for row in body["rows"])
    assert "undefined" in body["real"]


def test_the_commands_find_make_and_tell(bench, capsys):
    call_command("enforce", "bench", find="people")
    assert "findings wait to be confirmed" in capsys.readouterr().out
    with pytest.raises(CommandError, match="No finding is confirmed"):
        call_command("enforce", "bench", pipeline="builtin")
    with pytest.raises(CommandError, match="Say who makes"):
        call_command("enforce", "bench")
    Finding.objects.update(state="real")
    call_command("enforce", "bench", pipeline="builtin")
    assert "as many repaired as controls" in capsys.readouterr().out
    call_command("repair_gains", "bench")
    assert "The gain is repaired − control" in capsys.readouterr().out
    call_command("repair_gains", "bench", json=True)
    assert json.loads(capsys.readouterr().out)["repaired"] == Finding.objects.count()


def test_the_command_hands_its_options_to_the_pipeline(confirmed, monkeypatch):
    loaded, painted = [], []
    monkeypatch.setattr(
        "judges.generating.pipelines.load",
        lambda path, **where: loaded.append((path, where)) or "pipeline",
    )
    monkeypatch.setattr(
        "audit.management.commands.enforce.Diffusers",
        lambda pipeline, path, how: painted.append((pipeline, path, how)) or painters.Bench(),
    )
    call_command("enforce", "bench", pipeline="folder")
    call_command(
        "enforce", "bench", "--device=cuda", "--dtype=float16", "--steps=2", pipeline="folder"
    )
    assert loaded == [
        ("folder", {"device": "cpu", "dtype": "float32"}),
        ("folder", {"device": "cuda", "dtype": "float16"}),
    ]
    assert painted == [("pipeline", "folder", How()), ("pipeline", "folder", How(steps=2))]


def test_the_bench_refuses_what_it_cannot_draw(confirmed, study):
    one = findings.confirmed(confirmed)[0]
    one.atom = None
    with pytest.raises(Refused, match="names none"):
        painters.Bench().repaired(one)
    with pytest.raises(Refused, match="no generator of the built-in bench"):
        painters.Bench().control(study.images.first())
    Prompt.objects.filter(pk=one.image.prompt_id).update(text="a dragon")
    with pytest.raises(Refused, match="of the built-in bench"):
        painters.Bench().control(Image.objects.get(pk=one.image_id))


def test_a_control_has_another_seed_than_the_image(study):
    image = study.images.first()
    image.metadata = {"seed": painters.new_seed(image)}
    assert painters.new_seed(image) == image.metadata["seed"] + 1
    image.metadata = {"seed": True}
    with pytest.raises(Refused, match="no seed in its metadata"):
        painters.Diffusers(None, "", How()).control(image)


@pytest.fixture
def as_owner(client, bench):
    client.force_login(making.person(bench, "olga", role="owner").user)
    return client


def test_the_page_leads_from_findings_to_gains(as_owner, bench):
    where = reverse("repairs", args=["bench"])
    page = as_owner.get(where).content.decode()
    assert "Look for findings first" in page
    as_owner.post(reverse("repairs-look", args=["bench"]), {"judge": "people"})
    page = as_owner.get(where).content.decode()
    assert page.count("The judge erred</button>") == 12
    assert "Draw repairs and controls" not in page
    first, second = Finding.objects.all()[:2]
    say = {"state": "real", "wanted": first.wanted, "found": "something else"}
    as_owner.post(reverse("repairs-say", args=["bench", first.pk]), say)
    as_owner.post(reverse("repairs-say", args=["bench", second.pk]), {"state": "wrong"})
    first.refresh_from_db()
    assert (first.state, first.found, first.said_by.username) == ("real", "something else", "olga")
    page = as_owner.post(reverse("repairs-make", args=["bench"]), follow=True).content.decode()
    assert "2 images made, as many repaired as controls" in page
    assert "1 image was repaired, beside a control" in page
    assert "Old, repaired, control" in page
    part = as_owner.get(where, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="numbers"')
    lines = as_owner.get(reverse("repairs-table", args=["bench"])).content.decode().splitlines()
    assert len(lines) == 1 + 3 * len(gains(bench)["rows"])
    one = as_owner.get(reverse("repairs-table", args=["bench"]) + "?table=gains").content.decode()
    assert one.startswith("by,repaired − control,repaired − old,control − old")
    nothing = reverse("repairs-table", args=["bench"]) + "?table=nothing"
    assert as_owner.get(nothing).status_code == 404


def test_a_large_study_is_compared_by_a_worker(as_owner, confirmed, monkeypatch):
    repaired(confirmed)
    where = reverse("repairs", args=["bench"])
    csv = reverse("repairs-table", args=["bench"])

    def shown():
        text = as_owner.get(where).content.decode()
        return text[text.index('id="numbers"') : text.index('id="queue"')]

    at_once = shown(), as_owner.get(csv).content
    monkeypatch.setattr(question, "AT_ONCE", 0)
    page = as_owner.get(where).content.decode()
    assert "A worker will count them" in page and "hx-preserve" in page
    assert as_owner.get(csv).status_code == 400
    assert making.compute_waiting_answers() == 1
    assert (shown(), as_owner.get(csv).content) == at_once
    monkeypatch.setattr(store, "SHARE_OF_TIME", 1e9)
    Finding.objects.filter(pk=Finding.objects.first().pk).update(state="wrong")
    assert "New answers have arrived" in as_owner.get(where).content.decode()


def test_annotators_do_not_see_which_is_which(client, confirmed):
    repaired(confirmed)
    client.force_login(making.person(confirmed, "ann").user)
    assert client.get(reverse("repairs", args=["bench"])).status_code == 403
    page = client.get(reverse("label", args=["bench"])).content.decode()
    assert "repaired" not in page
