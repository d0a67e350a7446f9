"""A report to hand in: what stands in it, and that its files are what they claim to be."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile

import pytest
from django.core.management import CommandError, call_command
from pypdf import PdfReader

from audit.handed_in.compose import compose
from audit.handed_in.formats import HANDED_IN, of_report
from audit.handed_in.latex import as_zip, escaped
from audit.handed_in.tables import separated
from audit.models import Report
from audit.reports import make as reports
from audit.words import report as report_words
from audit.words.page_sentences import all_behind
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.large_study import large_study

pytestmark = pytest.mark.django_db
A4 = (595.276, 841.89)


def report_of(title: str = "Shapes", generator: str = "", slug: str = "large"):
    study = making.study(slug, prompts=40)
    study.title = title
    study.save()
    if generator:
        first = study.generators.order_by("pk").first()
        first.name = generator
        first.save()
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    return reports.make_report(study=study)


@pytest.fixture(scope="module")
def plain_once(make_once):
    return make_once(report_of).pk


@pytest.fixture
def report(db, plain_once):
    return Report.objects.get(pk=plain_once)


def words_of(pdf: bytes) -> str:
    return re.sub(
        r"\s+", " ", " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    )


@pytest.mark.nightly("the layout of a PDF")
def test_the_pages_are_a4_with_their_fonts_and_numbered_figures(report):
    document = of_report(report)
    made = HANDED_IN["pdf"](document)
    pages = PdfReader(io.BytesIO(made)).pages
    assert 2 <= len(pages) <= 8
    for page in pages:
        assert (float(page.mediabox.width), float(page.mediabox.height)) == pytest.approx(
            A4, abs=0.1
        )
        for font in page["/Resources"]["/Font"].values():
            inner = font.get_object()["/DescendantFonts"][0].get_object()
            assert (
                "/FontFile3" in inner["/FontDescriptor"] or "/FontFile2" in inner["/FontDescriptor"]
            )
    text = words_of(made)
    for number, figure in enumerate(document.figures, start=1):
        assert figure.number == number
        assert f"Figure {number}. {figure.caption[:20]}" in text
    for number, table in enumerate(document.tables, start=1):
        assert f"Table {number}. {table.title[:16]}" in text
    assert document.signature[-1][1][:12] in text.replace(" ", "")


def test_the_same_report_is_the_same_bytes(report):
    document = of_report(report)
    for write in HANDED_IN.values():
        assert write(document) == write(document)


def test_what_people_typed_is_never_a_command():
    names = (
        '#import "x": *',
        "\\input{/etc/passwd}",
        "<script>alert(1)</script>",
        "a_b & 50 % {$x^2$} ~#",
    )
    document = of_report(
        report_of(slug="typed", title=" ".join(names), generator=" ".join(reversed(names)))
    )
    text = words_of(HANDED_IN["pdf"](document)).replace("\u200b", "")
    page, tex = HANDED_IN["html"](document), HANDED_IN["latex"](document)
    assert "<script" not in page
    assert "\\input" not in tex
    for name in names:
        assert name.split()[0][:8] in text
        assert escaped(name) in tex


def test_letters_that_no_font_has_are_named_and_nothing_fails():
    document = of_report(report_of(slug="typed", title="生成器 مولد", generator="生成器"))
    text = words_of(HANDED_IN["pdf"](document))
    assert "report" in text
    assert "生成器" in HANDED_IN["html"](document)
    tex = HANDED_IN["latex"](document)
    assert "生成器 [U+0645][U+0648]" in tex


def test_a_study_without_judges_and_one_without_labels_are_documents_too():
    study = making.study(prompts=4)
    empty = of_report(reports.make_report(study=study))
    assert "No judge has scored" in empty.findings
    assert not empty.figures
    for write in HANDED_IN.values():
        assert write(empty)


def test_the_latex_compiles_or_at_least_closes_what_it_opens(tmp_path):
    tex = HANDED_IN["latex"](of_report(report_of(slug="typed", title="50 % & more_or_less")))
    for environment in ("document", "table", "tabular"):
        opened = tex.count(f"\\begin{{{environment}}}")
        assert opened == tex.count(f"\\end{{{environment}}}") > 0
    plain = re.sub(r"\\.", "", tex)
    assert plain.count("{") == plain.count("}")
    assert tex.count("\\toprule") == tex.count("\\bottomrule") == tex.count("\\begin{table}")
    program = shutil.which("pdflatex")
    if program is None:
        return
    (tmp_path / "report.tex").write_text(tex)
    ran = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_captions_of_latex_have_no_fingerprints_and_the_end_has_them(report):
    tex = HANDED_IN["latex"](of_report(report))
    prints = list(report.body["signature"]["judges"].values())
    captions = re.findall(r"\\caption{(.*)}", tex)
    assert captions and prints
    for fingerprint in prints:
        assert not any(fingerprint in caption for caption in captions)
        assert fingerprint in tex.rpartition("\\end{table}")[2]


def test_the_zip_of_latex_has_the_file_and_every_figure(report):
    document = of_report(report)
    with zipfile.ZipFile(io.BytesIO(as_zip(document))) as packed:
        names = packed.namelist()
        assert names == ["report.tex", *(f"figure-{one.number}.pdf" for one in document.figures)]
        for name in names[1:]:
            assert name in packed.read("report.tex").decode()
            (page,) = PdfReader(io.BytesIO(packed.read(name))).pages
            assert float(page.mediabox.width) == pytest.approx(174 / 25.4 * 72, abs=0.1)


def test_bold_is_only_what_the_corrected_test_separates_from_every_other():
    def compared(*rows):
        return {
            "comparison": {
                "best": "a",
                "judges": {f"j{n}": {"auroc": row} for n, row in enumerate(rows)},
            }
        }

    behind = {"value": -0.1, "p_holm": 0.01}
    assert separated(compared(behind, behind), "auroc") == "a"
    assert separated(compared(behind, {"value": -0.1, "p_holm": 0.06}), "auroc") == ""
    assert separated(compared(behind, {"undefined": "too few"}), "auroc") == ""
    # Better by this statistic, though behind by AUROC.
    assert separated(compared(behind, {"value": 0.1, "p_holm": 0.01}), "auroc") == ""


@pytest.mark.nightly("the layout of a PDF")
def test_twelve_judges_fit_the_pages():
    report = reports.make_report(study=large_study(slug="twelve", prompts=60, tags=4))
    body, document = report.body, of_report(report)
    # The first sentence is that of the drift page.
    assert document.findings.startswith(report_words.tally(body["judges"]))
    assert all(line in document.findings for line in all_behind(body["comparison"]["judges"]))
    made = HANDED_IN["pdf"](document)
    pages = PdfReader(io.BytesIO(made)).pages
    assert len(pages) <= 10
    assert "of 12 judges; the others are thin and grey" in document.figures[0].caption
    text = words_of(made).replace("\u200b", "")
    assert "threshold 0.3" in text
    assert "threshold 0.7" in text


def test_the_command_writes_the_file(report, tmp_path):
    for format, start in (("pdf", b"%PDF"), ("html", b"<!doctype"), ("latex", b"\\documentclass")):
        out = tmp_path / f"report.{format}"
        call_command("report", "large", format=format, out=str(out))
        assert out.read_bytes().startswith(start)
    # The figures of LaTeX lie beside it.
    figures = re.findall(r"includegraphics\[.*?\]{(.*?)}", (tmp_path / "report.latex").read_text())
    assert figures
    for name in figures:
        assert (tmp_path / name).read_bytes().startswith(b"%PDF")
    with pytest.raises(CommandError, match="--out FILE"):
        call_command("report", "large", format="pdf")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("report", "large", format="html", out=str(tmp_path / "no" / "where"))


def test_a_simulated_study_says_so_first():
    study = making.study(prompts=4)
    study.simulated = True
    study.save()
    document = compose(reports.make_report(study=study).body)
    assert document.simulated
    assert "Simulated: images or answers were made by a program." in HANDED_IN["latex"](document)
