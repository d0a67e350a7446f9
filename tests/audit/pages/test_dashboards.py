"""The pages of a report: whole and as a fragment, for whom, at what cost, and in every bad case."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Annotation, AnswerJob, Generator, Image, Study
from annotations.pictures.store import thumbnail_of
from audit import papers
from audit.models import Report
from audit.reports import make as reports
from audit.words import report as report_words
from judges.models import Run
from tests import making

pytestmark = pytest.mark.django_db

PAGES = (*("summary", "judge", "side-by-side", "slices", "gallery", "papers", "reports"),)
HTMX = {"HTTP_HX_REQUEST": "true"}
FEW = {"some-judge": 1.0}


def judge_all(study, *, name="some-judge", verdicts=True):
    """Every other image right, by a judge that misses some."""
    making.labels(
        study,
        {
            image.key: {"ann": number % 2, "ben": number % 2, "cat": (number + number // 5) % 2}
            for number, image in enumerate(study.images.order_by("key"))
        },
    )
    values = {}
    for number, image in enumerate(study.images.order_by("key")):
        right = (number + (number % 7 == 0)) % 2
        values[image.key] = bool(right) if verdicts else 0.2 + 0.6 * right + number % 10 / 100
    making.scores(study, values, name=name)


@pytest.fixture(scope="module")
def judged_once(make_once):
    return make_once(build_judged).pk


def build_judged() -> Study:
    study = making.study("judged")
    making.person(study, "alice", role="owner")
    making.person(study, "bob")
    judge_all(study)
    reports.make_report(study=study)
    return study


@pytest.fixture
def judged(db, judged_once, pictures_of_the_file):
    return Study.objects.get(pk=judged_once)


@pytest.fixture(scope="module")
def large_once(make_once):
    return make_once(build_large).pk


def build_large() -> Study:
    study = making.study("large", prompts=40)
    making.person(study, "alice", role="owner")
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    reports.make_report(study=study)
    return study


@pytest.fixture
def large(db, large_once, pictures_of_the_file):
    """Forty prompts by two generators, two judges: enough for every number."""
    return Study.objects.get(pk=large_once)


def address(name, study, *args, **query):
    tail = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=[study.slug, *args]) + (f"?{tail}" if tail else "")


def get(client, name, study, *args, headers=None, **query):
    return client.get(address(name, study, *args, **query), headers=headers)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_for_a_visit_and_a_fragment_for_htmx(as_alice, judged, name):
    whole = making.html_of(get(as_alice, name, judged))
    assert whole.count("<html") == 1
    part = making.html_of(as_alice.get(address(name, judged), **HTMX))
    assert "<html" not in part
    assert part.lstrip().startswith('<div id="numbers"')


@pytest.mark.parametrize("name", PAGES)
def test_annotators_are_refused_and_strangers_find_nothing(client, as_bob, judged, name):
    response = get(as_bob, name, judged)
    assert response.status_code == 403
    assert "late" not in response.content.decode()
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert get(client, name, judged).status_code == 404


def test_files_and_pictures_are_as_closed_as_the_pages(as_bob, judged):
    report = judged.reports.get()
    image = judged.images.first()
    for name, args in (
        ("chart", ("agreement", "svg")),
        ("table", ("drift",)),
        ("report-file", (report.pk, "json")),
        ("evidence", (image.public_id,)),
        ("thumbnail", (image.public_id,)),
        ("report-changes", ()),
    ):
        assert get(as_bob, name, judged, *args).status_code == 403


@pytest.mark.parametrize("name", PAGES)
def test_many_times_the_rows_take_the_same_number_of_queries(as_alice, judged, large, name):
    def queries(study):
        with CaptureQueriesContext(connection) as seen:
            making.html_of(get(as_alice, name, study, judge="some-judge"))
        return len(seen)

    assert queries(large) == queries(judged)


@pytest.mark.parametrize("name", PAGES)
def test_a_poll_that_finds_nothing_new_is_not_rendered(as_alice, judged, name):
    first = as_alice.get(address(name, judged), **HTMX)
    seen = re.search(r'"X-Seen": "(\w+)"', first.content.decode())[1]
    again = as_alice.get(address(name, judged), HTTP_X_SEEN=seen, **HTMX)
    assert again.status_code == 204
    other = as_alice.get(address(name, judged), HTTP_IF_NONE_MATCH=first["ETag"], **HTMX)
    assert other.status_code == 304
    small = as_alice.get(address(name, judged), HTTP_ACCEPT_ENCODING="gzip", **HTMX)
    other = as_alice.get(address(name, judged), HTTP_IF_NONE_MATCH=small["ETag"], **HTMX)
    assert small["ETag"].startswith("W/") and other.status_code == 304


def test_a_poll_after_new_labels_is_rendered_and_says_so(as_alice, judged):
    first = as_alice.get(address("judge", judged), **HTMX)
    seen = re.search(r'"X-Seen": "(\w+)"', first.content.decode())[1]
    making.labels(judged, {"early-0": {"dan": 1}})
    # So long a report is not made again at once.
    Report.objects.update(seconds=3600)
    again = as_alice.get(address("judge", judged), HTTP_X_SEEN=seen, **HTMX)
    assert "Labels or scores have changed" in making.html_of(again)
    Report.objects.update(seconds=0)
    again = as_alice.get(address("judge", judged), HTTP_X_SEEN=seen, **HTMX)
    assert "The report is being made" in making.html_of(again)


def numbers_of(table_csv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table_csv)))


@pytest.mark.parametrize("name", ["drift", "slices", "side-by-side"])
def test_the_numbers_of_a_table_are_those_of_the_report_digit_for_digit(as_alice, large, name):
    body = large.reports.get().body
    stored = set()

    def collect(value):
        if isinstance(value, dict):
            if "value" in value:
                stored.add(str(value["value"]))
            for child in value.values():
                collect(child)

    collect(body)
    found = numbers_of(making.html_of(get(as_alice, "table", large, name)))
    assert len(found) > 10
    assert {row["value"] for row in found if row["value"]} <= stored
    for row in found:
        assert bool(row["value"]) != bool(row["undefined"])


def test_what_the_page_shows_is_what_the_report_says(as_alice, large):
    body = large.reports.get().body
    for name, judge in body["judges"].items():
        page = making.html_of(get(as_alice, "judge", large, judge=name))
        gap = judge["drift"]["gap"]["off_by"]
        for number in (gap, *(stats["off"] for stats in judge["drift"]["by_generator"].values())):
            shown = report_words.cell("off", number)
            assert f"{shown.value}<span" in page


def test_judges_are_sorted_by_the_column_in_the_address(as_alice, large):
    up = making.html_of(get(as_alice, "side-by-side", large, sort="auroc", order="ascending"))
    down = making.html_of(get(as_alice, "side-by-side", large, sort="auroc"))
    body = large.reports.get().body
    best = body["comparison"]["best"]
    worst = next(name for name in body["judges"] if name != best)
    rows = r'<th scope="row">.*?judge/\?judge=([\w-]+)'
    assert re.findall(rows, down, re.S)[:2] == [best, worst]
    assert re.findall(rows, up, re.S)[:2] == [worst, best]
    assert 'aria-sort="ascending"' in up


def test_the_difference_to_the_best_judge_has_a_corrected_p(large):
    compared = large.reports.get().body["comparison"]
    (row,) = compared["judges"].values()
    assert row["auroc"]["p_holm"] >= row["auroc"]["p"]
    assert row["auroc"]["value"] <= 0
    assert compared["at_least"] == 30


def test_the_human_ceiling_worked_by_hand(study):
    # Ann and Ben always agree, Cat contradicts them on one image of eight. Held against the others'
    # majority: Ann and Ben only where the other two agree (7 images, all equal), Cat on 8 (7 equal).
    making.labels(
        study,
        {
            image.key: {"ann": 1, "ben": 1, "cat": int(image.key != "early-0")}
            for image in study.images.all()
        },
    )
    body, _ = reports.compute(study, reports.Options(resamples=100))
    found = body["people"]["ceiling"]["percent_agreement"]
    assert found["n"] == 7 + 7 + 8
    assert found["value"] == pytest.approx(21 / 22)


def test_curves_hold_every_image_and_both_ends(large):
    for judge in large.reports.get().body["judges"].values():
        curves = judge["curves"]
        assert sum(one["yes"] + one["no"] for one in curves["histogram"]) == curves["n"]
        points = curves["roc"]["points"]
        assert points[0] == {"threshold": None, "yes": 0, "no": 0}
        assert points[-1]["yes"] == curves["roc"]["positives"]
        assert points[-1]["no"] == curves["roc"]["negatives"]


@pytest.mark.parametrize(
    "chart", ["drift", "agreement", "judges", "slices", "histogram", "roc", "reliability", "papers"]
)
def test_every_chart_is_drawn_and_carries_its_signature(as_alice, large, chart):
    assert "$schema" in get(as_alice, "chart", large, chart, "json").json()
    svg = making.html_of(get(as_alice, "chart", large, chart, "svg"))
    assert svg.startswith("<svg")
    body = large.reports.get().body
    assert f"data {body['signature']['data'][:12]}" in svg


def test_one_image_shows_people_and_judge(as_alice, judged):
    image = judged.images.get(key="early-0")
    page = making.html_of(get(as_alice, "evidence", judged, image.public_id))
    assert "a red circle, number 0" in page
    for name in ("ann", "ben", "cat"):
        assert name in page


def test_evidence_is_drawn_over_the_picture(as_alice, judged):
    image = judged.images.get(key="early-0")
    score = image.scores.get()
    score.evidence = {
        "detections": [{"class": "circle", "score": 0.34, "box": [1, 2, 9, 12], "color": "red"}]
    }
    score.save()
    judge = score.run.judge
    judge.options = {"threshold": 0.3}
    judge.save()
    reports.make_report(study=judged)
    page = making.html_of(get(as_alice, "evidence", judged, image.public_id))
    assert '<rect x="1" y="2" width="8" height="10"' in page
    assert "red circle 0.34" in page
    assert "0.040 above 0.3" in page


def test_a_mask_is_drawn_as_its_outline_on_the_page_of_its_image(as_alice, judged):
    image = judged.images.get(key="early-0")
    score = image.scores.get()
    # 16 x 16 pixels: rows 4 to 7 of columns 2 and 3.
    mask = {"size": [16, 16], "counts": [2 * 16 + 4, 4, 12, 4, 12 * 16 + 8]}
    score.evidence = {
        "detections": [{"class": "circle", "score": 0.9, "box": [2, 4, 4, 8], "mask": mask}]
    }
    score.save()
    reports.make_report(study=judged)
    page = making.html_of(get(as_alice, "evidence", judged, image.public_id))
    assert '<path d="M2,4L4,4L4,8L2,8Z"' in page
    assert 'data-layer="outlines"' in page
    assert "style=" not in page
    # Two dozen pictures of a gallery have boxes only.
    assert "<path" not in making.html_of(get(as_alice, "gallery", judged))


def test_what_a_judge_asked_and_was_told_is_shown(as_alice, judged):
    image = judged.images.get(key="early-0")
    score = image.scores.get()
    score.evidence = {
        "answers": [
            {
                "question": "Is the circle red?",
                "expected": "Yes",
                "score": 0.8125,
                "tokens": [["Yes", 0.75], ["yes", 0.0625]],
                "seconds": 0.25,
                "reason": "",
            },
            {"question": "Is it round?", "expected": "Yes", "score": None, "reason": "it is mute"},
        ],
        "text": "a red circle",
        "similarity": 0.3125,
        "reply": {"text": "I see a <circle>."},
        "counted": [{"noun": "circle"}],
    }
    score.save()
    reports.make_report(study=judged)
    page = making.html_of(get(as_alice, "evidence", judged, image.public_id))
    for shown in (
        "Is the circle red?",
        "0.8125",
        "<code>yes</code> 0.0625",
        "0.25",
        "it is mute",
        "“a red circle”: similarity 0.3125",
        "I see a &lt;circle&gt;.",
        "Other data stored with the score",
        "&quot;noun&quot;: &quot;circle&quot;",
    ):
        assert shown in page


@pytest.mark.parametrize(
    "evidence",
    [
        {"detections": 5, "clauses": "none", "answers": {}, "reply": [], "boxes": 1},
        {"detections": [{"class": "circle"}, 7, {"class": "x", "score": None, "box": [1]}]},
        {"detections": [{"class": "x", "score": 1, "box": [0, 0, 1, 1], "mask": {"size": 3}}]},
        {"answers": [{"question": 3}, "no"], "tokens": 4, "similarity": "high", "text": 9},
    ],
)
def test_evidence_that_nobody_can_read_is_shown_as_it_came(as_alice, judged, evidence):
    image = judged.images.get(key="early-0")
    image.scores.update(evidence=evidence)
    reports.make_report(study=judged)
    assert making.html_of(get(as_alice, "gallery", judged))
    assert making.html_of(get(as_alice, "evidence", judged, image.public_id))


def test_the_gallery_shows_the_small_copy_that_the_import_made(as_alice, judged, media):
    image = judged.images.first()
    response = get(as_alice, "thumbnail", judged, image.public_id)
    # What its headers and its length say is the same of every kind of picture.
    assert response["Content-Type"] == "image/png"
    stored = (media / thumbnail_of(image.file)).read_bytes()
    assert response.getvalue().rstrip(b"\0") == stored
    (media / thumbnail_of(image.file)).unlink()
    assert get(as_alice, "thumbnail", judged, image.public_id).status_code == 404


def test_asking_for_a_report_shows_its_bar(as_alice, judged):
    response = as_alice.post(reverse("report-make", args=[judged.slug]), **HTMX)
    assert response.status_code == 204
    assert response["HX-Trigger"] == "report-asked"
    assert "The report is being made" in making.html_of(get(as_alice, "slices", judged))
    AnswerJob.objects.update(done=3, total=8)
    assert "3 of 8 slices" in making.html_of(get(as_alice, "slices", judged))
    making.compute_waiting_answers()
    assert "The report is being made" not in making.html_of(get(as_alice, "slices", judged))


@pytest.mark.parametrize(
    ("kind", "start", "ending"),
    [
        ("html", b"<!doctype", "html"),
        ("pdf", b"%PDF", "pdf"),
        # With its figures beside it.
        ("latex", b"PK", "zip"),
        ("json", b"{", "json"),
    ],
)
def test_a_report_is_one_file(as_alice, large, kind, start, ending):
    report = large.reports.get()
    response = get(as_alice, "report-file", large, report.pk, kind)
    assert response.content.lstrip().startswith(start)
    assert f"report-{report.pk}.{ending}" in response["Content-Disposition"]
    if kind == "html":
        page = response.content.decode()
        assert page.count("<figure ") == 4
        assert not re.search(r'(src|href)="(?!#)', page)
        assert report.body["signature"]["data"] in page


def test_two_reports_lie_side_by_side(as_alice, judged):
    older = judged.reports.get()
    making.labels(judged, {"early-0": {"dan": 1, "eve": 1}})
    newer = reports.make_report(study=judged)
    page = making.html_of(get(as_alice, "report-changes", judged, a=newer.pk, b=older.pk))
    assert "answered forms went from 24 to 26" in page


def test_an_older_report_can_be_looked_at_and_says_so(as_alice, judged):
    older = judged.reports.get()
    making.labels(judged, {"early-0": {"dan": 1}})
    reports.make_report(study=judged)
    for name in ("judge", "gallery", "slices"):
        page = making.html_of(get(as_alice, name, judged, report=older.pk))
        assert "You are looking at the report of" in page
    assert "no longer stored" in making.html_of(get(as_alice, "gallery", judged, report=older.pk))
    assert get(as_alice, "judge", judged, report=10**9).status_code == 404
    assert get(as_alice, "judge", judged, report="x").status_code == 404


# ---- Bad cases are pages too ----------------------------------------------------------------------


def no_zero(page: str) -> None:
    """No number where there is none."""
    assert "Traceback" not in page
    assert "NaN" not in page
    assert "None" not in re.sub(r"<[^>]+>|over None 1", "", page)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_at_all(as_alice, study, name):
    Image.objects.all().delete()
    no_zero(making.html_of(get(as_alice, name, study)))


@pytest.mark.parametrize("name", [n for n in PAGES if n not in ("papers", "reports")])
def test_no_labels_yet(as_alice, study, name):
    making.scores(study, {"early-0": True})
    reports.make_report(study=study)
    page = making.html_of(get(as_alice, name, study))
    assert "Nobody has labelled this study yet" in page
    assert "Label images" in page
    no_zero(page)


@pytest.mark.parametrize("name", PAGES)
def test_one_generator_only(as_alice, study, name):
    Generator.objects.filter(name="early").delete()
    judge_all(study)
    reports.make_report(study=study)
    page = making.html_of(get(as_alice, name, study))
    no_zero(page)
    if name == "judge":
        assert "one generator only" in page


@pytest.mark.parametrize("name", PAGES)
def test_a_judge_that_failed(as_alice, study, name):
    judge_all(study)
    making.scores(study, dict.fromkeys(["early-0", "late-0"], "the file is broken"), name="broken")
    reports.make_report(study=study)
    page = making.html_of(get(as_alice, name, study, judge="broken"))
    no_zero(page)
    if name not in ("papers", "reports"):
        assert "2 of 8 could not be scored" in page


def test_a_generator_without_a_release_date_is_told_beside_the_chart(as_alice, study):
    Generator.objects.filter(name="late").update(release_date=None)
    judge_all(study)
    reports.make_report(study=study)
    page = making.html_of(get(as_alice, "judge", study))
    assert "no release date is known: late" in page
    no_zero(page)


def test_the_papers_own_numbers_stand_beside_those_of_the_study(as_alice, judged):
    page = get(as_alice, "papers", judged).content.decode()
    row = page.partition("row SD 2.1</span></th>")[2].partition("</tr>")[0]
    published = next(f for f in papers.PAPERS[0].tables[0].rows if f.label == "SD 2.1")
    assert re.findall(r"<td>([^<]*)</td>", row) == published.cells


def test_a_slice_with_four_images_has_no_number(as_alice, judged):
    page = making.html_of(get(as_alice, "slices", judged, by="generator"))
    assert "too few to judge: 4 images, at least 30 needed" in page
    assert "so there is no chart" in page


@pytest.mark.parametrize("name", PAGES)
def test_a_judge_on_another_scale(as_alice, study, name):
    making.labels(study, {i.key: {"ann": i.pk % 2} for i in study.images.all()})
    making.scores(study, {i.key: 10.0 * n for n, i in enumerate(study.images.order_by("pk"))})
    reports.make_report(study=study)
    page = making.html_of(get(as_alice, name, study))
    no_zero(page)
    if name == "judge":
        assert "are not points" in page
    if name == "gallery":
        assert "difference of their ranks" in page


@pytest.mark.parametrize("name", PAGES)
def test_a_report_on_data_that_has_since_been_deleted(as_alice, judged, name):
    Annotation.objects.all().delete()
    Run.objects.all().delete()
    Image.objects.all().delete()
    Generator.objects.all().delete()
    page = making.html_of(get(as_alice, name, judged))
    no_zero(page)
    if name == "gallery":
        assert "8 images of this page have been deleted" in page


@pytest.mark.parametrize("name", PAGES)
def test_a_study_without_image_files(client, name):
    study = making.study("files-less", files=False)
    client.force_login(making.person(study, "alice", role="owner").user)
    judge_all(study, verdicts=False)
    reports.make_report(study=study)
    page = making.html_of(get(client, name, study))
    no_zero(page)
    if name == "gallery":
        assert "no picture file" in page
        assert "<img" not in page
        image = study.images.first()
        assert "came without a file" in making.html_of(
            get(client, "evidence", study, image.public_id)
        )


@pytest.mark.parametrize("name", PAGES)
def test_odd_addresses_fall_back_to_the_default(as_alice, judged, name):
    odd = {
        "judge": "nobody",
        "statistic": "x",
        "by": "y",
        "page": "99999",
        "generator": "77",
        "sort": "z",
    }
    assert get(as_alice, name, judged, **odd).status_code == 200


def test_pages_show_the_report_with_the_usual_options_though_another_one_is_newer(as_alice, judged):
    usual = reports.make_report(study=judged)
    other = reports.make_report(study=judged, options=reports.Options(seed=3))
    assert get(as_alice, "judge", judged).context["report_id"] == usual.pk
    assert get(as_alice, "judge", judged, report=other.pk).context["report_id"] == other.pk


def test_a_question_with_ratings_works_on_every_page(as_alice, study):
    ratings = {
        i.key: {"ann": n % 5 + 1, "ben": n % 4 + 1} for n, i in enumerate(study.images.all())
    }
    making.labels(study, ratings, question="likert")
    making.scores(study, {i.key: n / 10 for n, i in enumerate(study.images.order_by("pk"))})
    report = reports.make_report(study=study, options=reports.Options(question="likert"))
    assert Report.objects.get(study=study) == report
    for name in PAGES:
        no_zero(making.html_of(get(as_alice, name, study, report=report.pk)))


def test_generators_without_a_date_lead_to_the_page_where_one_adds_it(as_alice, study):
    judge_all(study)
    reports.make_report(study=study)
    link = f'<a href="{reverse("generators", args=[study.slug])}">Add release dates</a>'
    summary = reverse("summary", args=[study.slug])
    assert link not in as_alice.get(summary).text
    study.generators.update(release_date=None)
    reports.make_report(study=study)
    assert link in as_alice.get(summary).text
