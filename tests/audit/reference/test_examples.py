"""The API's examples: each is sent, and the real answer has the parts of the example's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from drf_spectacular.generators import SchemaGenerator

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import assign
from judges.models import Run, Upload
from judges.runs import lifecycle, score_chunk
from jurybox_formats.sources.records import ImageRecord
from tests import making

pytestmark = pytest.mark.django_db
# These keep nothing of what they are sent.
CREATES_NOTHING = {"test_judge"}
PASSWORD = "a long password of the tests"


class Example(NamedTuple):
    path: str
    status: str
    body: Any
    is_form: bool
    answer: Any


def schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


def first_example(content: dict[str, Any]) -> Any:
    return next(iter(content.get("examples", {"": {"value": None}}).values()))["value"]


def examples() -> dict[str, Example]:
    found = {}
    for path, operations in schema()["paths"].items():
        operation = operations.get("post")
        if operation is None or operation["operationId"] in CREATES_NOTHING:
            continue
        bodies = operation.get("requestBody", {}).get("content", {})
        status = next(code for code in operation["responses"] if code < "300")
        answer = operation["responses"][status]["content"]["application/json"]
        found[operation["operationId"]] = Example(
            path,
            status,
            first_example(next(iter(bodies.values()))) if bodies else None,
            "application/json" not in bodies,
            first_example(answer),
        )
    return found


EXAMPLES = examples()


def test_every_operation_that_creates_has_an_example_of_its_request_and_of_its_answer():
    assert {name for name, one in EXAMPLES.items() if one.answer is None} == set()
    without_body = {name for name, one in EXAMPLES.items() if one.body is None}
    assert without_body == {
        *("next_image", "make_report", "cancel_run", "resume_run", "try_import_again")
    }


def test_every_example_fits_its_schema():
    # It reads 39 grammars: not where tests are only collected.
    import jsonschema

    whole = schema()
    for operations in whole["paths"].values():
        for operation in operations.values():
            contents = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (one for each in contents for one in each.get("content", {}).values()):
                for example in content.get("examples", {}).values():
                    held = {**content["schema"], "components": whole["components"]}
                    jsonschema.Draft202012Validator(held).validate(example["value"])


# ---- Each is sent -------------------------------------------------------------------------------


def a_run(study, alice) -> dict[str, Any]:
    run = lifecycle.start_run(study=study, name="geneval-builtin", options={})
    return {"run_id": run.pk}


def a_stopped_run(study, alice) -> dict[str, Any]:
    place = a_run(study, alice)
    lifecycle.cancel_run(run=Run.objects.get())
    return place


def a_finished_run(study, alice) -> dict[str, Any]:
    place = a_run(study, alice)
    score_chunk.work_off(run=Run.objects.get())
    return place


def a_file_given_up(study, alice) -> dict[str, Any]:
    upload = Upload.objects.create(
        study=study, key="k", by=alice.user, brings="labels", format="tidy", name="labels.csv"
    )
    Upload.objects.filter(pk=upload.pk).update(state="given up", reason="The worker ended.")
    return {"upload_id": upload.pk}


def an_image_in_hand(study, alice) -> dict[str, Any]:
    image = assign.next_image(annotator=alice).image
    return {"image": image.public_id, "form": study.form_id}


def a_password(study, alice) -> dict[str, Any]:
    alice.user.set_password(PASSWORD)
    alice.user.save()
    return {"username": alice.user.username, "password": PASSWORD, "study": study.slug}


def the_study(study, alice) -> dict[str, Any]:
    return {"study": study.slug}


def two_judges(study, alice) -> dict[str, Any]:
    """On enough prompts for a jury to be tested."""
    numbers = range(10, 90)
    images = [ImageRecord(f"more-{n}", f"p{n}", "late") for n in numbers]
    records = [*map(making.prompt, numbers), *images]
    write_study.import_records(study=study, records=records, outcome=Outcome())
    making.labels(study, {image.key: {"ann": n % 3 > 0} for n, image in enumerate(images)})
    for name, every in (("one-judge", 4), ("other-judge", 5)):
        scores = {image.key: n % 3 + n % every / 5 for n, image in enumerate(images)}
        making.scores(study, scores, name=name)
    return {}


WORLDS: dict[str, Callable[..., dict[str, Any]]] = {
    "use_jury": two_judges,
    "cancel_run": a_run,
    "resume_run": a_stopped_run,
    "measure_card": a_finished_run,
    "try_import_again": a_file_given_up,
    "save_label": an_image_in_hand,
    "save_labels": an_image_in_hand,
    "make_token": the_study,
    "make_token_for_password": a_password,
}


def shape_of(value: Any) -> Any:
    """Names and kinds; of a list its first part. A number is a number, and what may be null may be anything."""
    if isinstance(value, dict):
        return {name: shape_of(part) for name, part in sorted(value.items())}
    if isinstance(value, list):
        return [shape_of(part) for part in value[:1]]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_carried_out_and_answered_as_it_says(name, client, study, alice):
    example = EXAMPLES[name]
    place = WORLDS[name](study, alice) if name in WORLDS else {}
    body = fill(example.body, place)
    path = example.path.format(slug=study.slug, **place)
    if name == "make_token":
        client.force_login(alice.user)
    else:
        client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    if example.is_form and body:
        body["file"] = SimpleUploadedFile("labels.csv", body["file"].encode())
        answer = client.post(path, body)
    else:
        answer = client.post(path, json.dumps(body), content_type="application/json")
    assert str(answer.status_code) == example.status, answer.content
    assert shape_of(answer.json()) == shape_of(example.answer)


def fill(body: Any, place: dict[str, Any]) -> Any:
    """What is an id of this installation, in the example's place."""
    if isinstance(body, list):
        return [fill(one, place) for one in body]
    if isinstance(body, dict):
        return {name: place.get(name, value) for name, value in body.items()}
    return body
