"""A report as records of Every Eval Ever: judges, people, intervals and a line for each image."""

import hashlib
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from audit.reports import make as reports
from tests import making, needs

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = making.study(prompts=12)
    images = list(study.images.order_by("key"))
    making.labels(study, {one.key: {"ann": n % 4 != 0} for n, one in enumerate(images)})
    making.scores(study, {one.key: n % 3 != 0 for n, one in enumerate(images)}, name="rule")
    reports.make_report(study=study)
    return study


@pytest.fixture
def folder(study, tmp_path):
    call_command("eval_records", study.slug, str(tmp_path / "out"), licence="CC-BY-4.0")
    return tmp_path / "out"


def only(folder, pattern):
    (found,) = folder.glob(f"data/*/unknown/{pattern}")
    return found


def test_a_generator_has_its_judges_people_and_interval(folder):
    record = json.loads(only(folder, "early/*[0-9a-f].json").read_text())
    (result,) = record["evaluation_results"]
    # Of 12 images in the order of their names the judge refuses each third, people each fourth.
    assert record["model_info"]["id"] == "early"
    assert result["score_details"]["score"] == pytest.approx(100 * 8 / 12)
    assert result["score_details"]["uncertainty"]["confidence_interval"]["lower"] < 100 * 8 / 12
    scoring = result["metric_config"]["llm_scoring"]
    assert scoring["expert_baseline"] == pytest.approx(75)
    assert scoring["judges"][0]["model_info"]["id"] == "rule"
    assert result["source_data"]["additional_details"] == {"license": "CC-BY-4.0"}


def test_each_image_has_a_line_that_belongs_to_its_record(folder):
    record = json.loads(only(folder, "late/*[0-9a-f].json").read_text())
    content = only(folder, "late/*_samples.jsonl").read_bytes()
    lines = [json.loads(line) for line in content.splitlines()]
    assert {one["evaluation_id"] for one in lines} == {record["evaluation_id"]}
    assert sum(one["evaluation"]["is_correct"] for one in lines) == 8
    beside = record["detailed_evaluation_results"]
    assert (folder / beside["file_path"]).read_bytes() == content
    assert (beside["total_rows"], len(lines)) == (12, 12)
    assert beside["checksum"] == hashlib.sha256(content).hexdigest()


def test_records_and_lines_are_valid_by_the_schemas(folder):
    jsonschema = pytest.importorskip("jsonschema")

    def validator(name):
        schema = json.loads(needs.shared(f"every_eval_ever/{name}.schema.json").read_text())
        return jsonschema.validators.validator_for(schema)(schema)

    assert len(list(folder.rglob("*.json*"))) == 4
    for file in folder.rglob("*.json"):
        validator("eval").validate(json.loads(file.read_text()))
    for file in folder.rglob("*.jsonl"):
        for line in file.read_text().splitlines():
            validator("instance_level_eval").validate(json.loads(line))


def test_without_a_report_or_into_a_folder_that_exists_nothing_is_written(study, tmp_path):
    with pytest.raises(CommandError, match="exists already and is not an empty folder"):
        call_command("eval_records", study.slug, str(tmp_path))
    with pytest.raises(CommandError, match="this study has no report yet"):
        call_command("eval_records", making.study("other").slug, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_the_hub_reads_a_generators_results_and_its_model_card(study, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    yaml = pytest.importorskip("yaml")
    call_command("eval_records", study.slug, str(tmp_path / "out"), dataset="lab/shapes")
    folder = tmp_path / "out" / "hub" / "early"
    (result,) = hub.ModelCard((folder / "README.md").read_text()).data.eval_results
    assert (result.dataset_type, result.dataset_config, result.task_type) == (
        "lab/shapes",
        "rule",
        "text-to-image",
    )
    assert result.metric_value == pytest.approx(100 * 8 / 12)
    assert "95 %: " in result.metric_name and "n = 12" in result.metric_name
    (file,) = (folder / ".eval_results").iterdir()
    (entry,) = hub.parse_eval_result_entries(yaml.safe_load(file.read_text()))
    assert (entry.dataset_id, entry.task_id) == ("lab/shapes", "rule")
    assert entry.value == result.metric_value and entry.notes == result.metric_name
    with pytest.raises(CommandError, match="is no dataset of the hub"):
        call_command("eval_records", study.slug, str(tmp_path / "b"), dataset="../shapes")
    assert not (tmp_path / "b").exists()


def test_the_page_and_the_api_give_the_commands_files(study, folder, client):
    client.force_login(making.person(study, "alice", role="owner").user)
    page = client.get(f"/studies/{study.slug}/export/")
    assert f'href="/studies/{study.slug}/export/records.zip"' in page.content.decode()
    written = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.jsonl")}
    for address in (
        f"/studies/{study.slug}/export/records.zip",
        f"/api/v1/studies/{study.slug}/records/",
    ):
        sent = client.get(address)
        assert sent["Content-Type"] == "application/zip"
        archive = zipfile.ZipFile(io.BytesIO(sent.content))
        assert {name: archive.read(name) for name in written} == written
        assert len(archive.namelist()) == 4


def test_without_a_report_there_is_no_link_and_no_file(client):
    empty = making.study("empty")
    client.force_login(making.person(empty, "alice", role="owner").user)
    assert "records.zip" not in client.get("/studies/empty/export/").content.decode()
    assert client.get("/studies/empty/export/records.zip").status_code == 404
    assert client.get("/api/v1/studies/empty/records/").status_code == 404
