"""The documentation as a site: it builds without a warning, every link leads somewhere, and what its
pages tell people to type works."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotations.models import Image
from audit import VERSION, demo
from jurybox.command import SHORT
from tests.audit.series import tables

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What begins like this is typed into a terminal.
TYPED = re.compile(r"(?:\.venv/bin/|make |jurybox |manage\.py |uvx |pipx |python |git |cd )")
OURS = re.compile(r"(?:\.venv/bin/(?:python )?)?(?:manage\.py|jurybox) ")
# A pattern rather than a line: choices, parts that may be left out, a name in capitals to choose.
PATTERN = re.compile(r"\[-|\w\|\w|--format FORMAT|--model MODEL|=MODEL")
# Every other line is run. Where that cannot be, this says why.
NOT_RUN = {
    r".* run_judge STUDY vqa-score-server": "needs a server's answers: tests/judges/batches",
    r".*(judge_lake s3|import_scores STUDY var/scores --format lake)": "needs a bucket: tests/judges/lake",
    r".* win_rate STUDY": "needs two generators of one's own: tests/audit/contests",
    r".* judge_pairs STUDY": "asks a server: tests/judges/preferences",
    r".* import_preferences STUDY": "needs a file of votes: tests/judges/preferences",
    r"make (demo|test|setup|lint|help|wheels)\b": "tests/test_demo.py starts the demo, make wheel-trial builds; the others run these tests",
    r"uvx |pipx ": "asks the package index: make wheel-trial",
    r".* (serve|worker)\b": "runs until it is stopped: tests/test_demo.py",
    r".* card (verify|geneval-builtin --study my-study --(plan|out))": "needs a card or a run: tests/audit/cards",
    r".* eval_records ": "needs a report: tests/audit/cards",
    r".* retro_audit": "needs a signed card: tests/audit/cards",
    r".* test_judge": "needs a published set: tests/audit/test_judge",
    r"git config": "changes this clone",
    r".* start (form|judge|question|format) NAME": "writes into this clone: test_contributing.py has a copy",
    r"\.venv/bin/python -m pytest ": "test_contributing.py follows the lists that it ends",
    r"cd T2I-CompBench|python unidet": "in another project's folder",
    r".*(qwen|check_weights|soft-tifa-gm-server)": "needs weights or a server",
    r".* run_judge STUDY (geneval|blip-vqa|align-score) --wait": "needs weights",
    r".* import STUDY --format \w+ PATH": "needs files of a paper: tests/formats/sets",
    r".* import STUDY --format table": "needs a table of one's own: tests/formats/sources",
    r".* report STUDY --like (tifa|dsg)": "needs judges of that paper: tests/audit/paper_tables",
    r".* (write_questions|revise) ": "needs a server, or AlignScore's evidence",
    r".* (backup|restore) ": "takes a whole installation: tests/audit/installation/backups",
    r".* doctor --address": "asks a host on the network",
    r".* import_scores STUDY \w+\.jsonl --format": "needs another tool's file: tests/judges/intake",
    r".* import_(labels STUDY (argilla|doccano|potato)/|\w+ STUDY (fit|comparison)\.json)": "needs what another tool wrote: tests/doors",
    r".* webhook ": "asks a host on the network: tests/audit/webhooks",
    r".* log_report ": "needs a tracker: tests/audit/trackers",
    r".* draw_labels ": "needs more images than a small study has: tests/audit/next_labels",
    r".* select_training ": "needs more labels than a small study has: tests/audit/training",
    r".* (answer (jury|cascade)|use_jury) ": "needs two judges: tests/audit/questions",
    r".* enforce STUDY --pipeline": "needs findings that people have confirmed: tests/audit/repairs",
    r".* delete_study ": "asks back: tests/annotations/management",
    r".* person tell": "tests/annotations/studies",
    r".* answer label-time": "needs answers of people who are not simulated: tests/audit/doors",
    r".* answer edits": "needs answers about edits: tests/audit/questions",
    r"jurybox check ": "a process of its own: tests/jurybox/test_check.py",
    r".* compare_engines": "needs two engines",
}
NAMES = {"STUDY": "demo", "BENCHMARK": "geneval", "NAME": "owner", "J": "geneval-builtin"}


def lines() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in FENCE.findall(page.read_text()):
            for line in block.splitlines():
                if TYPED.match(line):
                    typed = re.sub(r"\s+# .*$", "", line).strip()
                    found.append((page.relative_to(ROOT).as_posix(), typed))
    return found


def why_not(line: str) -> str:
    return next((why for begins, why in NOT_RUN.items() if re.match(begins, line)), "")


RUN = [
    (page, line)
    for page, line in lines()
    if OURS.match(line) and not PATTERN.search(line) and not why_not(line)
]


def test_every_line_that_is_typed_is_run_or_says_why_not():
    left = [
        f"{page}: {line}"
        for page, line in lines()
        if (page, line) not in RUN and not PATTERN.search(line) and not why_not(line)
    ]
    assert not left, f"Say in NOT_RUN of tests/test_site.py why these are not run: {left}"
    assert len(RUN) > 20
    print(f"{len(RUN)} of {len(lines())} lines are run")


def test_no_reason_is_left_over():
    typed = [line for _, line in lines()]
    unused = [begins for begins in NOT_RUN if not any(re.match(begins, line) for line in typed)]
    assert unused in ([], [r".* compare_engines"])


@pytest.fixture
def somewhere(db, settings, tmp_path, monkeypatch):
    """A folder with the tables that the lines name, and the demo, judged."""
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    study = demo.build_demo(prompts=20, generators=6, size=128, seed=7)
    demo.demo_logins(study)
    call_command("run_judge", "demo", "geneval-builtin", wait=True, stdout=io.StringIO())
    for name in ("labels", "scores", "images", "generators"):
        shutil.copy(ROOT / "docs" / "tutorial" / f"{name}.csv", tmp_path)
    tables.write(tmp_path / "own", images=60, judges=2)
    own = (tmp_path / "own" / "labels.csv").read_text()
    (tmp_path / "ratings.csv").write_text(own.replace("aligned", "overall"))
    own = (tmp_path / "own" / "scores.csv").read_text()
    (tmp_path / "results.csv").write_text(own.replace("judge,", "model,", 1))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    return study


@pytest.mark.nightly("every line of the README, typed; each command has a test of its own")
def test_the_lines_work_one_after_the_other(somewhere, capsys):
    for page, line in RUN:
        words = shlex.split(OURS.sub("", line, count=1))
        name, *rest = (NAMES.get(word, word) for word in words)
        if name == "look":
            rest = ["demo", Image.objects.filter(prompt__study=somewhere).first().key]
        if name in ("import_labels", "import_scores"):
            # The tables are those of the tutorial.
            call_command("import_study", "tables", "docs/tutorial", format="tidy")
            rest[0] = "tables"
        if "--judge" in rest and name == "why":
            rest[rest.index("--judge") + 1] = "geneval-builtin"
        try:
            call_command(SHORT.get(name, name), *rest)
        except (Exception, SystemExit) as error:
            pytest.fail(f"{page}: {line}: {error!r}")


def test_what_is_cited_is_this_version():
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "license"} <= told.keys()
    assert told["version"] == VERSION
    assert f"version = {{{VERSION}}}" in (ROOT / "docs" / "cite.md").read_text()


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.to: list[str] = []
        self.ids: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {given[name] or "" for name in ("id", "name") if name in given}
        if tag == "a" and given.get("href"):
            self.to.append(given["href"] or "")
        source = given.get("src") or (given.get("href") if tag == "link" else None)
        if source:
            self.loaded.append(source)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr, built.stderr
    return folder


def test_every_link_of_the_site_leads_to_a_page_and_to_its_heading(site):
    pages = {page: Links(page.read_text()) for page in site.rglob("*.html")}
    assert len(pages) > 25
    checked = 0
    for page, links in pages.items():
        if page.name == "404.html":
            continue
        for link in [*links.to, *links.loaded]:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), f"{page.name}: {link}"
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{page.name}: {link}"
            checked += 1
    assert checked > 1000
    print(f"{checked} links of {len(pages)} pages")


def test_programs_find_every_page_in_two_files(site):
    listed = re.findall(r"^- \[.+?\]\((\S+)\): \S", (site / "llms.txt").read_text(), re.MULTILINE)
    assert len(listed) > 30
    assert [page for page in listed if not (site / page).exists()] == []
    whole = (site / "llms-full.txt").read_text()
    assert whole.count("<!-- docs/") + whole.count("<!-- ") > len(listed)
    assert "# How to read the summary" in whole


def test_the_site_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert [x for x in Links(page.read_text()).loaded if x.startswith(("http", "//"))] == []


def test_the_reference_names_commands_operations_and_keys(site):
    commands = (site / "reference" / "commands.html").read_text()
    assert '<h2 id="audit">' in commands and "--positive-at" in commands
    api = (site / "reference" / "api.html").read_text()
    assert "GET /api/v1/studies/{slug}/report/" in api
    keys = (site / "reference" / "report.html").read_text()
    assert "judges.NAME.overall.net_deviation" in keys
    assert "judges.NAME.by_generator.NAME.auroc" in keys
    assert "Inkling" not in keys


def test_the_sentence_of_the_tutorial_is_what_its_first_lines_print(db, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    tables, audit = [line for page, line in RUN if page == "docs/tutorial.md"][:2]
    out = io.StringIO()
    for line in (tables, audit):
        call_command(*shlex.split(OURS.sub("", line)), stdout=out, stderr=io.StringIO())
    # The line that it prints is the next one of the page.
    assert out.getvalue().splitlines()[0] == f"4 tables lie in tutorial. Now: {audit}"
    with pytest.raises(CommandError, match="tutorial/labels.csv is there already"):
        call_command("tutorial")
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    (said,) = re.findall(r"^> (.+)$", tutorial, re.MULTILINE)
    assert said in out.getvalue().splitlines()
