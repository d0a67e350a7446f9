"""A report in a tracker: which numbers, with small stand-ins for the libraries."""

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Event
from audit.models import Report
from audit.trackers import log
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(study):
    making.labels(
        study,
        {f"{g}-{n}": {"ann": n % 2, "ben": n % 2} for g in ("early", "late") for n in range(4)},
    )
    making.scores(
        study, {f"{g}-{n}": n / 4 for g in ("early", "late") for n in range(4)}, name="clip.b-32"
    )
    return study


class Fake:
    """Notes what it is asked; stands for module, run and artefact at once."""

    def __init__(self):
        self.values, self.files, self.tags, self.batches = {}, {}, {}, []
        self.info, self.id, self.ended = SimpleNamespace(run_id="r7"), "r7", False

    def _keep(self, path):
        self.files[Path(path).name] = Path(path).read_text()


class MLflow(Fake):
    def set_experiment(self, name):
        self.experiment = name

    def start_run(self, run_name):
        self.name = run_name
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.ended = True

    def set_tags(self, tags):
        self.tags = tags

    def log_metrics(self, values, step):
        self.batches.append(len(values))
        self.values |= values

    def log_artifact(self, path):
        self._keep(path)


class Wandb(Fake):
    def init(self, project, name, config, dir):
        self.experiment, self.name, self.tags = project, name, config
        return self

    def log(self, values, step):
        self.values |= values

    def Artifact(self, name, type):
        return self

    def add_file(self, path):
        self._keep(path)

    def log_artifact(self, artefact):
        assert artefact is self

    def finish(self):
        self.ended = True


class Trackio(Wandb):
    def init(self, project, name, config, **quiet):
        assert set(quiet.values()) == {False}
        return super().init(project, name, config, "")


class TensorBoard(Fake):
    def SummaryWriter(self, place):
        Path(place).mkdir(parents=True)
        return self

    def add_scalar(self, name, value, step):
        self.values[name] = value

    def add_text(self, name, words, step):
        self.files[name] = words

    def close(self):
        self.ended = True


LIBRARIES = {"mlflow": ("mlflow", MLflow), "wandb": ("wandb", Wandb)}
LIBRARIES["trackio"] = ("trackio", Trackio)
LIBRARIES["tensorboard"] = ("tensorboardX", TensorBoard)


@pytest.mark.parametrize("to", LIBRARIES)
def test_a_tracker_gets_every_number_and_the_whole_report(
    judged, to, monkeypatch, tmp_path, capsys
):
    name, library = LIBRARIES[to]
    fake = library()
    monkeypatch.setitem(sys.modules, name, fake)
    call_command("log_report", "shapes", to=to, folder=tmp_path)
    report = Report.objects.get()
    expected = log.report_scalars(report.body)
    assert fake.values == expected.values
    assert fake.ended
    (content,) = fake.files.values()
    assert json.loads(content) == report.body
    printed = capsys.readouterr().out
    assert f"Logged {len(expected.values)} numbers; {expected.undefined} are undefined" in printed
    assert Event.objects.filter(words=f"logged the report to {to}").count() == 1
    if to != "tensorboard":
        assert fake.experiment == "jurybox"
        assert report.data in fake.tags.values()


def test_trackio_itself_keeps_the_numbers_and_the_report(judged, monkeypatch, tmp_path):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    trackio = pytest.importorskip("trackio")
    call_command("log_report", "shapes", to="trackio", project="doors")
    (run,) = trackio.Api().runs("doors")
    (file,) = [f for f in tmp_path.glob("artifacts/doors/blobs/sha256/*/*") if f.is_file()]
    assert json.loads(file.read_text()) == Report.objects.get().body
    assert run.name.startswith("shapes ")


def test_numbers_are_those_of_the_report_and_names_fit(judged, monkeypatch, tmp_path):
    fake = MLflow()
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    call_command("log_report", "shapes", to="mlflow", folder=tmp_path)
    body = Report.objects.get().body
    (judge,) = body["judges"]
    assert fake.values[f"judges/{judge}/overall/n"] == body["judges"][judge]["overall"]["n"] == 8
    assert fake.values["people/images"] == 8
    for name in fake.values:
        assert log.fit(name) == name


def test_what_is_undefined_is_counted_and_never_0():
    body = {
        "n": 3,
        "tau": {"undefined": "all scores are the same", "n": 3},
        "alarm": True,
        "none": None,
        "curve": [[0.0, 1.0], [0.5, 0.5]],
        "generators": [{"name": "sd 1.5", "images": 4}, {"name": "flux:dev", "images": 2}],
        "signature": {"seed": 7},
    }
    assert log.report_scalars(body) == (
        {
            "n": 3.0,
            "alarm": 1.0,
            "generators/sd 1.5/images": 4.0,
            "generators/flux_dev/images": 2.0,
        },
        1,
    )


def test_more_numbers_than_mlflow_takes_go_in_parts(judged, monkeypatch, tmp_path):
    from audit.trackers import log

    monkeypatch.setattr(log, "BATCH", 10)
    fake = MLflow()
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    call_command("log_report", "shapes", to="mlflow", folder=tmp_path)
    assert max(fake.batches) == 10
    assert sum(fake.batches) == len(fake.values)


@pytest.mark.parametrize("to", LIBRARIES)
def test_a_library_that_is_missing_is_named(judged, to, monkeypatch, tmp_path):
    name, _ = LIBRARIES[to]
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CommandError, match=f"{name} is not installed: pip install {name}"):
        call_command("log_report", "shapes", to=to, folder=tmp_path)


@pytest.mark.parametrize(("to", "verb"), [("mlflow", "set_experiment"), ("wandb", "init")])
def test_a_tracker_that_says_no_is_quoted(judged, to, verb, monkeypatch, tmp_path):
    def refuse(*given, **more):
        raise RuntimeError("401 Unauthorized\nand more")

    fake = LIBRARIES[to][1]()
    setattr(fake, verb, refuse)
    monkeypatch.setitem(sys.modules, to, fake)
    with pytest.raises(CommandError, match="did not take it: 401 Unauthorized[.]"):
        call_command("log_report", "shapes", to=to, folder=tmp_path)


def test_a_project_names_no_folder_elsewhere(judged, tmp_path):
    with pytest.raises(CommandError, match="plain name"):
        call_command("log_report", "shapes", to="tensorboard", project="../x", folder=tmp_path)


def _raise(*given, **more):
    raise KeyError("no such run\nand more")


def _end(*given, **more):
    raise SystemExit(3)


def _hang(*given, **more):
    threading.Event().wait(20)


WORDS = {_raise: "did not take it: 'no such run", _end: "did not take it: 3.", _hang: "within 0.0"}


@pytest.mark.parametrize("harm", WORDS)
@pytest.mark.parametrize("to", LIBRARIES)
def test_a_tracker_that_raises_ends_or_hangs_is_told_in_a_sentence(
    judged, to, harm, monkeypatch, tmp_path
):
    name, library = LIBRARIES[to]
    fake = library()
    for call in ("set_experiment", "init", "SummaryWriter"):
        if hasattr(fake, call):
            setattr(fake, call, harm)
    monkeypatch.setitem(sys.modules, name, fake)
    monkeypatch.setattr(log, "SECONDS", 0.5 if harm is _hang else 20)
    with pytest.raises(CommandError, match=WORDS[harm]):
        call_command("log_report", "shapes", to=to, folder=tmp_path)
    assert not Event.objects.filter(did="exported").exists()


@pytest.mark.parametrize("to", ["mlflow", "wandb"])
def test_a_tracker_that_returns_nonsense_is_told_in_a_sentence(judged, to, monkeypatch, tmp_path):
    name, library = LIBRARIES[to]
    fake = library()
    setattr(fake, "start_run" if to == "mlflow" else "init", lambda **more: None)
    monkeypatch.setitem(sys.modules, name, fake)
    with pytest.raises(CommandError, match="did not take it"):
        call_command("log_report", "shapes", to=to, folder=tmp_path)
