"""Every page, whole and as a fragment; who may see it; and what it asks of the database."""

import json
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.labelling import assign
from annotations.models import Annotation, Image
from audit.charts import every_chart
from audit.reports import make as reports
from judges.runs import score_chunk
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
RESEARCH = ("study", "data", "export", "runs", "judge", "plan")
FRAGMENTS = ("label", "data", "runs", "judge", "plan")


def page(client, name, study, **extra):
    return client.get(reverse(name, args=[study.slug]), **extra)


@pytest.fixture
def judged(study):
    making.labels(study, {i.key: {"ann": 1, "ben": i.pk % 2} for i in study.images.order_by("pk")})
    making.scores(study, {"early-0": True, "late-0": False, "early-1": "the file is broken"})
    reports.make_report(study=study)
    return study


@pytest.mark.parametrize("name", [*RESEARCH, "label"])
def test_a_page_is_whole_for_a_visit(as_alice, judged, name):
    response = page(as_alice, name, judged)
    assert response.status_code == 200
    text = response.content.decode()
    assert text.count("<html") == 1
    assert "Content-Security-Policy" in response.headers
    assert "unsafe" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_page_is_only_its_moving_part_for_htmx(as_alice, judged, name):
    response = page(as_alice, name, judged, **HTMX)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()


@pytest.mark.parametrize("name", RESEARCH)
def test_annotators_see_no_page_that_would_unblind_them(as_bob, judged, name):
    response = page(as_bob, name, judged)
    assert response.status_code == (302 if name == "study" else 403)
    assert "late" not in response.content.decode()


@pytest.mark.parametrize("name", [*RESEARCH, "label"])
def test_people_of_another_study_find_nothing(client, judged, name):
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert page(client, name, judged).status_code == 404


@pytest.mark.parametrize("name", [*RESEARCH, "label"])
def test_without_a_log_in_every_page_leads_to_it(client, judged, name):
    response = page(client, name, judged)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/login/")


def test_the_label_page_says_nothing_of_who_made_the_image(as_bob, bob, judged):
    text = page(as_bob, "label", judged).content.decode()
    image = assign.next_image(annotator=bob).image
    assert image.public_id in text
    for secret in ("early", "late", image.key, image.sha256, "some-judge", "ann"):
        assert f'"{secret}' not in text
        assert f">{secret}" not in text
        assert f"/{secret}" not in text


def test_an_image_is_served_without_a_telling_name(as_bob, judged):
    image = judged.images.first()
    response = as_bob.get(reverse("image", args=[image.public_id]))
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["Content-Disposition"] == 'inline; filename="image"'
    assert "immutable" in response.headers["Cache-Control"]
    assert b"".join(response.streaming_content).startswith(b"\x89PNG")


def test_an_image_of_another_study_is_not_found(client, judged):
    stranger = making.person(making.study("elsewhere"), "stranger")
    client.force_login(stranger.user)
    assert client.get(reverse("image", args=[judged.images.first().public_id])).status_code == 404


def send(client, study, picture, **more):
    data = {
        "image": picture.public_id,
        "form": study.form_id,
        "submission": str(uuid.uuid4()),
        "seconds": "3.5",
        "answer-aligned": "1",
        "answer-quality": "0",
        **more,
    }
    return client.post(reverse("label", args=[study.slug]), data, **HTMX)


def test_the_reply_to_an_answer_is_the_next_form(as_bob, bob, study):
    image = assign.next_image(annotator=bob).image
    response = send(as_bob, study, image)
    following = assign.next_image(annotator=bob).image
    assert following.public_id in response.content.decode()
    annotation = Annotation.objects.get()
    assert dict(annotation.answers.values_list("question", "value")) == {"aligned": 1, "quality": 0}
    assert annotation.seconds == 3.5


def test_without_javascript_an_answer_leads_back_to_the_page(as_bob, bob, study):
    image = assign.next_image(annotator=bob).image
    data = {"image": image.public_id, "form": study.form_id, "submission": str(uuid.uuid4())}
    data |= {"answer-aligned": "1", "answer-quality": "1"}
    response = as_bob.post(reverse("label", args=[study.slug]), data)
    assert response.status_code == 302
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"submission": "twice"}, "incomplete answer"),
        ({"form": "x"}, "incomplete answer"),
        ({"image": "nowhere"}, "no longer part of the study"),
        ({"answer-aligned": "maybe"}, "takes one of: Yes, No"),
        ({"answer-aligned": "7"}, "takes one of: Yes, No"),
        ({"answer-mood": "1"}, "no question"),
    ],
)
def test_a_refused_answer_is_a_sentence_on_the_page(as_bob, bob, study, changes, words):
    image = assign.next_image(annotator=bob).image
    response = send(as_bob, study, image, **changes)
    assert words in response.content.decode()
    assert not Annotation.objects.exists()


def test_undo_shows_the_image_again(as_bob, bob, study):
    image = assign.next_image(annotator=bob).image
    send(as_bob, study, image)
    response = as_bob.post(reverse("label-undo", args=[study.slug]), **HTMX)
    assert image.public_id in response.content.decode()


def test_nothing_to_undo_is_said(as_bob, study):
    response = as_bob.post(reverse("label-undo", args=[study.slug]), **HTMX)
    assert "nothing to take back" in response.content.decode()


def test_skip_and_release_act_on_the_image_in_hand_only(as_bob, bob, charlie, study):
    theirs = assign.next_image(annotator=charlie).image
    mine = assign.next_image(annotator=bob).image
    as_bob.post(reverse("label-release", args=[study.slug]), {"image": theirs.public_id})
    as_bob.post(reverse("label-skip", args=[study.slug]), {"image": mine.public_id}, **HTMX)
    assert charlie.assignments.get().state == "leased"
    assert bob.assignments.filter(image=mine).get().state == "skipped"


def test_the_end_of_the_work_is_a_page(as_bob, bob, study):
    for _ in range(8):
        making.label(bob)
    response = page(as_bob, "label", study)
    assert response.status_code == 200
    assert response.context["image"] is None


@pytest.mark.parametrize("name", RESEARCH)
def test_a_page_of_an_empty_study_is_a_page(as_alice, study, name):
    Image.objects.all().delete()
    assert page(as_alice, name, study).status_code == 200


def test_a_run_is_started_cancelled_and_resumed_from_the_page(as_alice, study):
    start = reverse("run-start", args=[study.slug])
    response = as_alice.post(start, {"judge": "geneval-builtin"}, **HTMX)
    assert response.status_code == 200
    run = study.runs.get()
    assert run.is_running
    as_alice.post(reverse("run-cancel", args=[study.slug, run.pk]), **HTMX)
    run.refresh_from_db()
    assert run.state == "cancelled"
    as_alice.post(reverse("run-resume", args=[study.slug, run.pk]), **HTMX)
    run.refresh_from_db()
    assert run.is_running
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == "finished"


def test_an_unknown_judge_is_refused_with_a_sentence(as_alice, study):
    response = as_alice.post(reverse("run-start", args=[study.slug]), {"judge": "x"}, **HTMX)
    assert response.status_code == 422
    assert "no judge named “x”" in response.content.decode()
    assert "<html" not in response.content.decode()


def test_failures_are_listed_with_their_reasons(as_alice, judged):
    run = judged.runs.get()
    response = as_alice.get(reverse("run-failures", args=[judged.slug, run.pk]))
    assert "the file is broken" in response.content.decode()
    assert "early-1" in response.content.decode()


@pytest.fixture
def drawn(judged, monkeypatch):
    """Without numbers a chart is refused; here its file is looked at, and eight images have none."""
    monkeypatch.setattr(every_chart, "blank", lambda *_: "")
    return judged


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_chart_comes_as_a_file(as_alice, drawn, kind, start):
    response = as_alice.get(reverse("drift-chart", args=[drawn.slug, kind]))
    assert response.content.startswith(start)
    assert f"shapes-drift.{kind}" in response.headers["Content-Disposition"]


def test_the_chart_holds_the_numbers_of_the_report(as_alice, drawn):
    spec = as_alice.get(reverse("drift-chart", args=[drawn.slug, "json"])).json()
    report = drawn.reports.get().body
    late = report["judges"]["some-judge"]["by_generator"]["late"]["net_deviation"]
    text = json.dumps(spec)
    assert "vconcat" in spec
    if "value" in late:
        assert json.dumps(late["value"]) in text


def test_an_unknown_kind_of_chart_is_not_found(as_alice, judged):
    assert as_alice.get(reverse("drift-chart", args=[judged.slug, "exe"])).status_code == 404


def test_the_csv_holds_every_number_of_the_page(as_alice, judged):
    import csv
    import io

    response = as_alice.get(reverse("drift-csv", args=[judged.slug]))
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    # (2 generators + all) × 8 statistics
    assert len(rows) == 24
    body = judged.reports.get().body
    for row in rows:
        found = body["judges"][row["judge"]]
        stats = found["by_generator"].get(row["generator"]) or found["overall"]
        estimate = stats[row["statistic"]]
        assert row["value"] == str(estimate.get("value", ""))
        assert row["undefined"] == estimate.get("undefined", "")


def queries(client, name, study):
    with CaptureQueriesContext(connection) as seen:
        assert page(client, name, study).status_code == 200
    return len(seen)


@pytest.mark.parametrize("name", [*RESEARCH, "label"])
def test_ten_times_the_rows_take_the_same_number_of_queries(as_alice, judged, name):
    large = making.study("large", prompts=40)
    making.person(large, "alice", role="owner")
    making.labels(large, {i.key: {"ann": 1} for i in large.images.all()})
    making.scores(large, {f"early-{n}": True for n in range(40)})
    reports.make_report(study=large)
    # The first visit of each takes a lease; the second one is how the page is lived with.
    page(as_alice, name, judged), page(as_alice, name, large)
    assert queries(as_alice, name, large) == queries(as_alice, name, judged)


@pytest.mark.parametrize("name", ["judge", "slices"])
def test_five_running_judges_take_the_queries_of_one(as_alice, judged, name):
    judged.runs.update(state="running")
    page(as_alice, name, judged)
    one = queries(as_alice, name, judged)
    for number in range(4):
        making.scores(judged, {"early-0": True}, name=f"judge-{number}")
    judged.runs.update(state="running")
    assert queries(as_alice, name, judged) == one


def test_the_home_page_shows_researchers_what_was_found(as_alice, judged):
    response = as_alice.get(reverse("home"))
    assert response.status_code == 200
    assert "Shapes" in response.content.decode()


def test_the_home_page_tells_annotators_only_their_part(as_bob, judged):
    text = as_bob.get(reverse("home")).content.decode()
    assert "some-judge" not in text
    assert "8" in text


def test_the_home_page_of_somebody_without_a_study_is_a_page(client, db):
    from django.contrib.auth import get_user_model

    client.force_login(get_user_model().objects.create(username="new"))
    assert client.get(reverse("home")).status_code == 200


def test_an_address_that_leads_nowhere_is_a_page_of_ours(as_alice):
    response = as_alice.get("/nowhere/")
    assert response.status_code == 404
    assert "Jurybox" in response.content.decode()


def test_logging_out_ends_the_session_on_the_server(as_alice, study):
    cookie = as_alice.cookies["sessionid"].value
    as_alice.post(reverse("logout"))
    as_alice.cookies["sessionid"] = cookie
    assert page(as_alice, "runs", study).status_code == 302


@pytest.mark.parametrize("accepted", ["gzip", ""])
def test_vega_comes_from_the_app_itself(client, settings, tmp_path, accepted):
    import gzip

    settings.VAR_DIR = tmp_path
    response = client.get(reverse("vega"), HTTP_ACCEPT_ENCODING=accepted)
    content = gzip.decompress(response.content) if accepted else response.content
    assert b"vegaEmbed" in content[-200:]
    assert response.headers.get("Content-Encoding", "") == accepted
