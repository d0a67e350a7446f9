import io
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.management.command import (
    PlainCommand,
    StudyCommand,
    pairs,
    write_file,
    write_lines,
)


class Counts(StudyCommand):
    def arguments(self, add) -> None:
        add("--most", "how many", type=int, default=3)
        add.many("--tag", metavar="TAG")
        add.json()

    def do(self, study, *, most, tag, json, **options):
        if most < 1:
            raise Refused("At least one.")
        return f"{study.slug} {most} {tag} {json}"


class Speaks(StudyCommand):
    def arguments(self, add) -> None:
        add.verb("say", "say it")("word")
        add.verb("try-again", "say it again")

    def _say(self, study, given):
        return f"{study.slug}: {given['word']}"

    def _try_again(self, study, given):
        return "again"


def run(command, *arguments):
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_study_is_found_and_what_is_returned_is_printed(study):
    assert run(Counts(), study.slug) == f"{study.slug} 3 [] False\n"
    given = ("--most", "5", "--tag", "a", "--tag", "b", "--json")
    assert run(Counts(), study.slug, *given) == f"{study.slug} 5 ['a', 'b'] True\n"


@pytest.mark.django_db
def test_no_study_is_a_sentence():
    with pytest.raises(CommandError, match="^There is no study “nowhere”.$"):
        run(Counts(), "nowhere")


@pytest.mark.django_db
def test_a_verb_goes_to_the_method_of_its_name(study):
    assert run(Speaks(), study.slug, "say", "hello") == f"{study.slug}: hello\n"
    assert run(Speaks(), study.slug, "try-again") == "again\n"


@pytest.mark.django_db
def test_a_refusal_ends_with_status_1_and_wrong_usage_with_2(study, capsys):
    def ended(*arguments):
        with pytest.raises(SystemExit) as end:
            Counts().run_from_argv(["manage.py", "counts", *arguments])
        return end.value.code, capsys.readouterr()

    status, said = ended(study.slug, "--most", "0")
    assert (status, said.out) == (1, "")
    assert said.err == "CommandError: At least one.\n"
    status, said = ended(study.slug, "--most", "many")
    assert status == 2
    assert "invalid int value: 'many'" in said.err


def test_lines_go_to_the_screen_or_to_a_file(tmp_path, capsys):
    assert write_lines(["a\n", "b\n"], None) is None
    assert capsys.readouterr().out == "a\nb\n"
    # sha256 of "a\nb\n"
    signature = "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2"
    written = write_lines(["a\n", "b\n"], tmp_path / "lines")
    assert (tmp_path / "lines").read_text() == "a\nb\n"
    assert written == signature


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path):
    with pytest.raises(CommandError, match="no/report cannot be written: No such file"):
        write_file(tmp_path / "no" / "report", "text")


def test_a_name_may_hold_the_sign_and_its_role_may_not():
    assert pairs(["a=b=prompt"], "--column", "NAME=ROLE", "x=y") == {"a=b": "prompt"}
    with pytest.raises(CommandError, match="^--column a: write NAME=ROLE, like --column x=y.$"):
        pairs(["a"], "--column", "NAME=ROLE", "x=y")


def test_a_command_without_arguments_takes_none():
    assert PlainCommand().create_parser("manage.py", "plain").parse_args([]).verbosity == 1


def test_the_base_loads_nothing_that_takes_long():
    code = (
        "import sys, django; django.setup(); before = set(sys.modules); "
        "import annotations.management.command; "
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['annotations']"
