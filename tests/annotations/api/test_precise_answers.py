"""What every operation of the REST API has in common: refusals, pages, chosen fields, ETags."""

import json

import pytest
from drf_spectacular.generators import SchemaGenerator

from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db
STUDY = "/api/v1/studies/shapes/"


@pytest.fixture
def api(client, study, alice):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    return client


@pytest.fixture
def annotators_api(client, study, bob):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(bob.user)}"
    return client


def send(api, path, body):
    return api.post(f"{STUDY}{path}/", json.dumps(body), content_type="application/json")


def problem(answer):
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["type"] == f"/api/v1/problems/#{body['code']}"
    return body["code"], body["detail"]


def test_the_index_names_every_address(api):
    found = api.get("/api/v1/").json()
    assert found["studies"] == "http://testserver/api/v1/studies/"
    assert found["run"] == "http://testserver/api/v1/studies/{slug}/runs/{run_id}/"
    assert "nothing" not in found
    assert api.get(found["schema"]).status_code == 200


def test_one_study_tells_a_researcher_how_much_it_holds(api):
    found = api.get(STUDY).json()
    assert (found["slug"], found["role"]) == ("shapes", "owner")
    assert [question["name"] for question in found["questions"]] == ["aligned", "quality"]
    assert found["counts"]["images"] == 8


def test_one_study_tells_an_annotator_no_count(annotators_api):
    found = annotators_api.get(STUDY).json()
    assert (found["role"], found["counts"]) == ("annotator", None)


def test_one_image_and_one_report_have_their_addresses(api, study):
    assert api.get(f"{STUDY}images/early-0/").json()["generator"] == "early"
    assert problem(api.get(f"{STUDY}images/none/"))[0] == "not-found"
    report = reports.make_report(study=study)
    found = api.get(f"{STUDY}reports/{report.pk}/").json()
    assert (found["id"], found["body"]) == (report.pk, report.body)


def test_a_parameter_that_nobody_knows_is_refused_by_its_name(api):
    code, detail = problem(api.get(f"{STUDY}images/?generatr=early"))
    assert code == "unknown-parameter"
    assert detail.startswith("generatr: This operation knows no such parameter. There are: cursor,")
    assert problem(api.get(f"{STUDY}questions/card/?judje=x"))[0] == "unknown-parameter"
    assert problem(api.get("/api/v1/?x=1"))[1].endswith("There are none.")


def test_a_field_that_nobody_knows_is_refused_by_its_name(api):
    code, detail = problem(send(api, "runs", {"judge": "geneval-builtin", "option": {}}))
    assert code == "unknown-field"
    assert detail == "option: There is no such field. There are: judge, options."


def test_a_wrong_value_is_named_beside_the_problem_and_as_before(api):
    answer = api.get(f"{STUDY}images/?variant=x")
    assert problem(answer) == ("invalid", 'variant: "x" is not a valid choice.')
    assert answer.json()["errors"]["variant"] == answer.json()["variant"]


def test_of_many_bodies_the_wrong_one_is_named_by_its_place(annotators_api):
    code, detail = problem(send(annotators_api, "labels/bulk", [{}]))
    assert code == "invalid"
    assert detail.startswith("0.image: This field is required.")


def test_a_refusal_of_the_house_has_a_code_and_its_sentence(api):
    answer = send(api, "runs", {"judge": "no-such-judge"})
    code, detail = problem(answer)
    assert (answer.status_code, code) == (422, "judge")
    assert answer.json()["message"] == detail


def test_who_says_nobody_is_asked_and_who_may_not_is_refused(client, annotators_api):
    assert problem(annotators_api.get(f"{STUDY}runs/"))[0] == "not-yours"
    del client.defaults["HTTP_AUTHORIZATION"]
    answer = client.get(f"{STUDY}runs/")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Token")
    assert problem(answer)[0] == "not-logged-in"


def test_at_an_address_with_nothing_a_program_can_read_why(api):
    assert problem(api.get("/api/v1/nothing/here/"))[0] == "not-found"
    assert api.get("/api/v1/studies").status_code == 301


@pytest.mark.parametrize("path", ["", "shapes/runs/", "shapes/judges/offers/", "shapes/recipes/"])
def test_a_list_comes_in_pages_and_until_0_3_as_it_was(api, path):
    address = f"/api/v1/studies/{path}"
    old = api.get(address)
    assert isinstance(old.json(), list)
    assert old.headers["Deprecation"] == "@1795651200"
    assert 'rel="successor-version"' in old.headers["Link"]
    new = api.get(f"{address}?page_size=1000")
    assert "Deprecation" not in new.headers
    assert new.json() == {"next": None, "previous": None, "results": old.json()}


def test_pages_of_a_list_follow_each_other_without_a_gap(api):
    address = f"{STUDY}judges/offers/"
    whole = [one["name"] for one in api.get(address).json()]
    found, following = [], f"{address}?page_size=50&fields=name"
    while following:
        page = api.get(following).json()
        found += [one["name"] for one in page["results"]]
        following = page["next"]
    assert found == whole


def test_only_the_fields_that_are_wanted_come(api):
    rows = api.get(f"{STUDY}images/?fields=image_id,generator").json()["results"]
    assert rows[0] == {"image_id": "early-0", "generator": "early"}
    assert api.get(f"{STUDY}?fields=title").json().keys() == {"title"}
    assert problem(api.get(f"{STUDY}images/?fields=image_id,nme"))[1].startswith(
        "fields: There is no field “nme”. There are: image_id, prompt_id"
    )


def test_what_a_program_has_already_is_not_sent_again(api, study):
    first = api.get(f"{STUDY}images/")
    again = api.get(f"{STUDY}images/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    study.images.first().delete()
    changed = api.get(f"{STUDY}images/", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_the_schema_names_operations_as_functions_and_every_refusal():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert schema["openapi"].startswith("3.1")
    operations = [one for path in schema["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(names) == len(set(names))
    assert {"list_images", "get_image", "start_run", "save_label", "get_study"} <= set(names)
    assert not [name for name in names if name.endswith(("_retrieve", "_create", "_destroy"))]
    for one in operations:
        refusals = [body for code, body in one["responses"].items() if code >= "400"]
        assert all("application/problem+json" in body["content"] for body in refusals)


@pytest.mark.parametrize(
    ("asked", "field", "found"),
    [
        ("prompts/?prompt_id=p1", "prompt_id", ["p1"]),
        ("images/?prompt_id=p1&generator=late", "image_id", ["late-1"]),
        ("images/?variant=rewritten", "image_id", []),
        ("annotations/?image_id=late-1", "image_id", ["late-1"]),
        ("annotations/?generator=early", "image_id", ["early-0"]),
        ("annotations/?question=aligned&state=counted", "image_id", ["early-0", "late-1"]),
        ("annotations/?question=none", "image_id", []),
        ("annotations/?state=withdrawn", "image_id", []),
        ("scores/?failed=true", "image_id", ["late-0"]),
        ("scores/?failed=false", "image_id", ["early-0"]),
        ("scores/", "image_id", ["early-0", "late-0"]),
        ("scores/?generator=late", "image_id", ["late-0"]),
        ("scores/?image_id=early-0&judge=some-judge", "image_id", ["early-0"]),
        ("scores/?judge=none", "image_id", []),
    ],
)
def test_each_filter_keeps_the_rows_that_fit(api, study, asked, field, found):
    making.scores(study, {"early-0": 0.5, "late-0": "the engine was away"})
    making.labels(study, {"early-0": {"r1": 1}, "late-1": {"r1": 0}})
    rows = api.get(f"{STUDY}{asked}").json()["results"]
    assert [row[field] for row in rows] == found
