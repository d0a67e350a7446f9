"""A researcher is trusted with the data, not with the machine: whatever is written into an option of a
judge, nothing is imported, no file is opened and no address asked, and no run begins that does not
fit."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from judges.models import Judge, Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.shared.weight_facts import read_by
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.hostile.option_values import MODULES, cases
from tests.hostile.watching import watching

WANTED = int(os.environ.get("FUZZ_OPTIONS", "3000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
# Of the judges without weights, one in so many accepted cases is run to its end.
RUN_ONE_IN = max(1, WANTED // 10_000)
ROOT = Path(__file__).resolve().parents[2]
TRAP = "tests.hostile.trap_module"

REFUSED = [
    ("geneval-builtin", "threshold", "abc", "“threshold” must be a number from 0 to 1"),
    ("geneval-builtin", "threshold", math.inf, "“threshold” must be a number from 0 to 1"),
    ("geneval-builtin", "max_objects", -3, "“max_objects” must be a whole number from 1 to 1,000"),
    ("geneval-builtin", "paper", "yes please", "“paper” must be true or false"),
    ("geneval-builtin", "background", "a" * 2**20, "“background” must be a text"),
    ("geneval-builtin", "templates", ["a"] * 10_000, "“templates” must be a list of 1 to 20"),
    ("geneval-builtin", "objects.batch", 0, "“objects.batch” must be a whole number from 1"),
    ("geneval-builtin", "no_such", 1, "there is no “no_such”; it has objects.batch, threshold"),
    ("geneval-builtin", "self_test", "maybe", "“self_test” must be true or false"),
    ("tifa-builtin", "nearest", f"{TRAP}:spring", "“nearest” must be one of letters"),
    ("clip-score", "parser", f"spacy:{TRAP}", "“parser” must be one of grammar, spacy"),
    ("clip-score", "similarity.model", "hf-hub:evil/x", "“similarity.model” must be a text"),
    ("clip-score", "similarity.checkpoint", "evil/x", "add the folder that holds it"),
    ("blip-vqa", "answers.checkpoint", "/etc", "add the folder that holds it"),
    ("blip-vqa", "answers.tokenizer", "~/x", "add the folder that holds it"),
    ("blip-vqa", "answers.revision", "refs/pr/1", "“answers.revision” must be a text"),
    ("blip-vqa", "answers.device", "cuda; rm", "“answers.device” must be a text"),
    ("geneval", "objects.config", "/tmp/evil.py", "“objects.config” must be one of mask2former"),
    ("geneval-from-file", "objects.checkpoint", "/etc/passwd", "add the folder that holds it"),
    ("dsg-server", "talk.base_url", "http://10.0.0.1/", "add the address to JUDGE_SERVERS"),
    ("dsg-server", "talk.attempts", 10**9, "“talk.attempts” must be a whole number"),
    ("dsg-server", "talk.extra", {"model": "x"}, "“extra” must not set model"),
]


def here(judge: str) -> None:
    if reason := registry.why_not(judge):
        pytest.skip(reason)


@pytest.mark.django_db
@pytest.mark.parametrize(("judge", "option", "value", "words"), REFUSED)
def test_page_api_and_command_refuse_it_with_the_same_sentence(
    judge, option, value, words, study, as_alice
):
    here(judge)
    typed = value if isinstance(value, str) else json.dumps(value)
    form = {"judge": judge, f"option:{option}": typed}
    page = as_alice.post(reverse("run-start", args=[study.slug]), form)
    assert page.status_code == 422
    assert words in page.content.decode().replace("&#x27;", "'")
    if value != math.inf:  # is no JSON
        sent = {"judge": judge, "options": {option: value}}
        address = reverse("api-runs", args=[study.slug])
        answer = as_alice.post(address, sent, content_type="application/json")
        assert answer.status_code == 422
        assert words in answer.json()["message"]
        assert len(answer.json()["message"]) < 1_000
    with pytest.raises(CommandError) as refused:
        call_command("run_judge", study.slug, judge, "--option", f"{option}={typed}")
    assert words in str(refused.value)
    assert not Run.objects.exists()
    assert not Judge.objects.exists()
    assert TRAP not in sys.modules


@pytest.fixture
def folders(tmp_path, settings):
    """A folder that judges may read, with a link that leads out of it."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("the operator's")
    (allowed / "weights.safetensors").write_bytes(b"weights")
    (allowed / "link").symlink_to(secret)
    (allowed / "inside").symlink_to(allowed / "weights.safetensors")
    settings.JUDGE_WEIGHTS = [str(allowed), "allowed/*", "one/model"]
    return allowed


@pytest.mark.parametrize(
    "value",
    [
        "{allowed}/link",
        "{allowed}/link/key",
        "{allowed}/../secret/key",
        "{allowed}/../../../../etc/passwd",
        "{allowed}-too/x",
        "local-dir:{allowed}/link",
        "hf-hub:{allowed}/../secret",
        *("~", "~/.ssh", "relative/folder/x", "./allowed", "allowed/../x"),
        *("allowed/a/b/../../../x", "other/model", "one/model2", "One/model"),
    ],
)
def test_weights_outside_the_allowed_folders_and_names_are_refused(folders, value):
    value = value.replace("{allowed}", str(folders))
    with pytest.raises(JudgeRefused, match="JUDGE_WEIGHTS"):
        registry.check_options("blip-vqa", {"answers.checkpoint": value})


@pytest.mark.parametrize(
    "value",
    [
        "{allowed}/weights.safetensors",
        "{allowed}/inside",
        "{allowed}/not-there-yet",
        "{allowed}/link/../allowed/weights.safetensors",
        "{allowed}",
        "one/model",
        "allowed/anything",
        "Salesforce/blip-vqa-capfilt-large",
        "google-bert/bert-base-uncased",
    ],
)
def test_what_the_operator_and_the_catalogue_name_is_allowed(folders, value):
    here("blip-vqa")
    value = value.replace("{allowed}", str(folders))
    registry.check_options("blip-vqa", {"answers.checkpoint": value})


@pytest.mark.parametrize("value", ["one/model", "allowed/x", "openai", "hf-hub:one/model"])
def test_where_a_file_is_wanted_a_name_is_refused(folders, value):
    with pytest.raises(JudgeRefused, match="JUDGE_WEIGHTS"):
        registry.check_options("geneval-from-file", {"objects.checkpoint": value})


def test_every_judge_of_the_catalogue_is_allowed_what_it_names_itself(settings):
    settings.JUDGE_WEIGHTS = []
    for name in catalogue.JUDGES:
        here(name)
        told = registry.declared_options(name)
        own = {n: o.default for n, o in told.items() if o.names and o.default}
        registry.build(name, own)


def test_every_option_of_every_judge_is_declared_and_takes_its_own_default():
    for name in catalogue.JUDGES:
        here(name)
        for option, told in registry.declared_options(name).items():
            assert told.help.endswith((".", "”")), (name, option)
            if not (option == "template" and name.startswith("vqa")):
                told.check(option, told.default)
            assert told.kind not in ("whole", "number") or None not in (told.minimum, told.maximum)
            assert told.longest <= 4_000


@pytest.mark.django_db
def test_whatever_is_sent_nothing_is_touched_and_every_run_ends(folders, settings):
    """`make fuzz` tries 100,000 values."""
    settings.JUDGE_SERVERS = ["loopback:8001"]
    study = making.study(prompts=1)
    for name in catalogue.JUDGES:
        # What is loaded on first use is no work of an option.
        if not registry.why_not(name):
            registry.build(name, {})
    seen: Counter[str] = Counter()
    for name, options in itertools.islice(cases(SEED, folders), WANTED):
        seen["values"] += len(options)
        with watching() as touched:
            try:
                with read_by(lambda path: "unread"):
                    registry.check_options(name, options)
                seen["accepted"] += 1
                refusal = ""
            except JudgeRefused as error:
                refusal = error.message
        assert [event for event in touched if not _is_a_version(event)] == [], (name, options)
        if refusal:
            assert len(refusal) < 2_000
            assert refusal[-1] in ".!?", refusal
        elif name.endswith(("-builtin", "-from-file")):
            seen["of judges that need no library"] += 1
            if seen["of judges that need no library"] % RUN_ONE_IN == 0:
                with watching() as touched:
                    _run_to_its_end(study, name, options)
                may_read = (folders, settings.MEDIA_ROOT)
                assert [event for event in touched if _is_astray(event, may_read)] == [], options
                seen["run to their end"] += 1
    print(f"\nseed {SEED}, {dict(seen)} over {len(catalogue.JUDGES)} judges")
    assert seen["accepted"] > WANTED / 20
    assert seen["run to their end"] > 5


def _is_a_version(event: str) -> bool:
    """The library's own version, read where the library lies: part of every fingerprint."""
    kind, _, path = event.partition(" ")
    return kind == "open" and (path.endswith("/METADATA") or path in sys.path)


def _is_astray(event: str, may_read: tuple[Path, ...]) -> bool:
    """A worker reads weights and pictures, and Python its own libraries; an option names none."""
    kind, _, name = event.partition(" ")
    if kind == "open":
        own = (*may_read, Path(sys.prefix), Path(sys.base_prefix), ROOT)
        resolved = Path(name).resolve()
        inside = any(resolved.is_relative_to(folder.resolve()) for folder in own)
        return not name.isdecimal() and not inside
    if kind == "import":
        return any(name == path.partition(":")[0] for path in (*MODULES, TRAP))
    return kind not in ("os.mkdir", "ctypes.dlopen")


def _run_to_its_end(study, name, options):
    try:
        run = lifecycle.start_run(study=study, name=name, options=options)
    except JudgeRefused as refusal:
        # Of no prompt of this study: told before the start.
        assert "can score none of this study's images" in refusal.message
        return
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state in (Run.State.FINISHED, Run.State.STOPPED)
    run.delete()


def test_options_are_checked_where_the_judge_cannot_run_too(monkeypatch):
    monkeypatch.setattr(registry, "lacking", lambda chosen: "Needs torch.")
    with pytest.raises(JudgeRefused, match="there is no “no_such”"):
        registry.check_options("geneval-builtin", {"no_such": 1})
