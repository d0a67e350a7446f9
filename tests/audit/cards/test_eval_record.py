"""A card as a record of Every Eval Ever, by the schema's own validator where its files lie beside."""

import json
from datetime import UTC, datetime

import pytest

from annotations.errors import Refused
from audit.cards.eval_record import card_record
from audit.cards.hub_results import hub_files
from audit.questions.card.question import Parameters, card
from tests import making, needs
from tests.audit.questions.test_card import planted

pytestmark = pytest.mark.django_db
AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def record():
    study = making.study(prompts=12)
    planted(study, lambda change, image: 0.5)
    return card_record(
        card(study, Parameters("rule")), AT, organization="A laboratory", licence="CC-BY-4.0"
    )


def test_every_number_has_its_interval_and_what_was_not_measured_is_named(record):
    assert record["evaluation_timestamp"] == "1767312000"
    (found,) = (
        one
        for one in record["evaluation_results"]
        if one["evaluation_name"] == "fooling: watermark: score moves by"
    )
    assert found["score_details"]["score"] == -0.5
    interval = found["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] < -0.5 < interval["upper"]
    assert found["source_data"]["additional_details"] == {"license": "CC-BY-4.0"}
    details = record["source_metadata"]["additional_details"]
    assert details["not_measured: agreement with people"] == "this study has no report yet"


def test_the_record_is_valid_by_the_schema(record):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(needs.shared("every_eval_ever/eval.schema.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(record)


def test_a_cards_results_are_read_by_the_hubs_own_parser(record):
    hub = pytest.importorskip("huggingface_hub")
    files = hub_files(record, "lab/judges")
    found = hub.ModelCard(files["README.md"].decode()).data.eval_results
    assert len(found) == len(record["evaluation_results"])
    entries = hub.parse_eval_result_entries(
        json.loads(files[".eval_results/jurybox-study-shapes.yaml"])
    )
    assert [one.value for one in entries] == [one.metric_value for one in found]


def test_nothing_measured_is_nothing_for_the_hub(record):
    with pytest.raises(Refused, match="no result for the hub"):
        hub_files({**record, "evaluation_results": []}, "lab/judges")
