"""The Helm chart starts the same programs with the same settings as compose.yaml."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from django.db import connection

from judges.models import Chunk, WeightCheck
from judges.runs import lifecycle
from tests import making
from tests.needs import needed

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "deploy" / "helm" / "jurybox"
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
GIVEN = {
    "secret": "jurybox",
    "hosts": ["jury.example"],
    "settings": {"TRUSTED_PROXIES": "10.42.0.0/16"},
    "ingress": {"tlsSecret": "jury-tls"},
}


def values() -> dict:
    return yaml.safe_load((CHART / "values.yaml").read_text())


def rendered(tmp_path: Path, **more) -> list[dict]:
    done = helm(tmp_path, GIVEN | more)
    assert done.returncode == 0, done.stderr
    return [part for part in yaml.safe_load_all(done.stdout) if part]


# The same library behind a package, where there is no program.
BY_PACKAGE = """
import sys, yaml
from helm_python import Chart
chart, given = Chart.load(sys.argv[1]), yaml.safe_load(open(sys.argv[2]))
try:
    chart.validate_schema(given)
    print("\\n---\\n".join(chart.render(given, name="jury").values()))
except Exception as error:
    raise SystemExit(str(error))
"""


def helm(tmp_path: Path, given: dict) -> subprocess.CompletedProcess:
    (tmp_path / "given.yaml").write_text(yaml.safe_dump(given))
    chart, file = str(CHART), str(tmp_path / "given.yaml")
    command = ["helm", "template", "jury", chart, "--values", file]
    if shutil.which("helm") is None:
        there = find_spec("helm_python") is not None
        needed("helm", there, "There is no helm here, nor the package helm-python-sdk.")
        command = [sys.executable, "-c", BY_PACKAGE, chart, file]
    return subprocess.run(command, capture_output=True, text=True)


def one(parts: list[dict], kind: str, name: str) -> dict:
    (found,) = [p for p in parts if p["kind"] == kind and p["metadata"]["name"] == name]
    return found


def pods(parts: list[dict]) -> dict[str, dict]:
    return {
        part["metadata"]["name"].removeprefix("jury-"): part["spec"]["template"]["spec"]
        for part in parts
        if part["kind"] in {"Deployment", "Job"}
    }


# --- Without helm -----------------------------------------------------------------------------


def test_the_schema_takes_the_values_once_what_is_needed_is_given():
    # It builds grammars when it is loaded: a second in each process that collects tests.
    import jsonschema

    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    assert {error.path[0] for error in check.iter_errors(values())} == {"secret", "hosts"}
    assert list(check.iter_errors(values() | {"secret": "s", "hosts": ["jury.example"]})) == []
    assert list(check.iter_errors(GIVEN | {"replica": 2}))


def test_every_setting_of_the_chart_is_one_that_the_settings_or_the_s3_client_read():
    read = (ROOT / "audit" / "settings.py").read_text()
    words = "".join(path.read_text() for path in sorted((CHART / "templates").iterdir()))
    named = set(re.findall(r"(?:- name: |\.settings\.)([A-Z][A-Z0-9_]+)", words))
    named |= {*values()["settings"], *values()["judgeKeys"], *values()["judgeOptionalKeys"]}
    named |= set(
        re.findall(r"`(?:settings\.)?([A-Z]+_[A-Z_]+)`", (CHART / "README.md").read_text())
    )
    assert {"ALLOWED_HOSTS", "OPENAI_API_KEY", "SECRET_KEY", "MEDIA_BUCKET"} <= named
    unread = {name for name in named if f'"{name}"' not in read and not name.startswith("AWS_")}
    assert unread == set()


def test_programs_and_users_are_those_of_the_containers():
    judge = (CHART / "templates" / "judge.yaml").read_text()
    assert json.dumps(COMPOSE["services"]["judge"]["command"]) in judge
    assert f'"user" {COMPOSE["services"]["judge"]["user"].partition(":")[0]}' in judge
    worker = (CHART / "templates" / "worker.yaml").read_text()
    assert json.dumps(COMPOSE["services"]["worker"]["command"])[:-1] in worker
    assert "OPENAI_API_KEY" not in worker
    # Judges have a SECRET_KEY of their own there, too.
    assert "- name: SECRET_KEY" in judge and "key: JUDGE_SECRET_KEY" in judge
    assert "MODEL_SERVER_KEY" in values()["judgeKeys"] and "SECRET_KEY" not in values()["judgeKeys"]
    web = (CHART / "templates" / "web.yaml").read_text()
    (command,) = re.findall(r"^CMD \[(.+)\]$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert command in web


@pytest.mark.django_db
def test_the_count_for_keda_is_of_all_that_judges_have_to_do():
    def waiting() -> int:
        with connection.cursor() as cursor:
            cursor.execute((CHART / "waiting_for_judges.sql").read_text())
            return cursor.fetchone()[0]

    study = making.study()
    assert waiting() == 0
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    assert waiting() == Chunk.objects.filter(run=run).count() == 1
    WeightCheck.objects.create(study=study, judge="clip-score")
    assert waiting() == 2
    Chunk.objects.update(state=Chunk.State.DONE)
    WeightCheck.objects.update(state=WeightCheck.State.DONE)
    assert waiting() == 0


# --- With helm --------------------------------------------------------------------------------


def test_web_worker_judge_and_migrations_are_contained_and_limited(tmp_path):
    found = pods(rendered(tmp_path))
    assert set(found) == {"web", "worker", "judge", "migrations"}
    for name, pod in found.items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["automountServiceAccountToken"] is False, name
        for box in [*pod["containers"], *pod.get("initContainers", [])]:
            context = box["securityContext"]
            assert context["readOnlyRootFilesystem"] is True, name
            assert context["capabilities"] == {"drop": ["ALL"]}, name
            assert "memory" in box["resources"]["limits"], name
    assert found["judge"]["securityContext"]["runAsUser"] == 10002
    mounts = {m["name"]: m for m in found["judge"]["containers"][0]["volumeMounts"]}
    assert mounts["media"]["readOnly"] is True
    assert "envFrom" not in found["judge"]["containers"][0]
    web = found["web"]["containers"][0]
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_tables_are_migrated_before_anything_of_a_version_starts(tmp_path):
    job = one(rendered(tmp_path), "Job", "jury-migrations")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    (box,) = job["spec"]["template"]["spec"]["containers"]
    assert box["command"] == ["python", "manage.py", "upgrade", "--no-backup"]
    # Claims of the chart are not there yet.
    volumes = job["spec"]["template"]["spec"]["volumes"]
    assert [volume for volume in volumes if "emptyDir" not in volume] == []


def test_a_bucket_takes_the_place_of_the_claim(tmp_path):
    claims = [p["metadata"]["name"] for p in rendered(tmp_path) if "Claim" in p["kind"]]
    assert claims == ["jury-media", "jury-models"]
    bucket = GIVEN["settings"] | {"MEDIA_BUCKET": "s3://pictures"}
    parts = rendered(tmp_path, settings=bucket)
    assert [p["metadata"]["name"] for p in parts if "Claim" in p["kind"]] == ["jury-models"]
    assert "jury-media" not in json.dumps(parts)


def test_the_log_in_server_is_required_only_where_it_is_known(tmp_path):
    parts = rendered(tmp_path, settings=GIVEN["settings"] | {"OIDC_ONLY": "True"})
    knows = {
        name
        for name, pod in pods(parts).items()
        if "OIDC_ONLY" in {entry["name"] for entry in pod["containers"][0]["env"]}
    }
    assert knows == {"web", "worker", "migrations"}


def test_with_keda_nothing_else_says_how_many_judges_there_are(tmp_path):
    parts = rendered(tmp_path, keda={"enabled": True})
    scaled = one(parts, "ScaledObject", "jury-judge")
    assert scaled["spec"]["scaleTargetRef"]["name"] == "jury-judge"
    (trigger,) = scaled["spec"]["triggers"]
    sql = (CHART / "waiting_for_judges.sql").read_text()
    assert trigger["metadata"]["query"].split() == sql.split()
    assert "replicas" not in one(parts, "Deployment", "jury-judge")["spec"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"secret": ""}, "secret"),
        ({"hosts": []}, "hosts"),
        ({"settings": {}}, "TRUSTED_PROXIES is empty"),
        ({"ingress": {}}, "ingress.tlsSecret is empty"),
        ({"web": {"replicas": 0}}, "replicas"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_installed(tmp_path, given, words):
    done = helm(tmp_path, GIVEN | given)
    assert done.returncode != 0
    assert words in done.stderr


def test_kubernetes_takes_every_part(tmp_path):
    there = find_spec("kubernetes_validate") is not None
    needed("kubernetes-validate", there, "The package kubernetes-validate is not here.")
    import kubernetes_validate

    for more in ({}, {"keda": {"enabled": True}}, {"judge": {"enabled": False}}):
        for part in rendered(tmp_path, **more):
            if part["kind"] != "ScaledObject":  # KEDA's own
                kubernetes_validate.validate(part, "1.37", strict=True)
