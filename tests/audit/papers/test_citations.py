"""BibTeX of what a report used."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from audit.models import Report
from audit.papers import citations
from audit.reports import make
from audit.statistic_names import ROWS
from jurybox_formats.forms.papers import FORMS
from tests import making

TAU = {"value": 0.5}


def body(**more):
    return {
        "signature": {
            "form": ["genai-likert v1"],
            "judge_facts": {"vqa": {"method": "VqaScore 2", "engine": "ClipFlanT5 1"}},
        },
        "judges": {"vqa": {"overall": {"kendall_tau_b": TAU, "spearman": {"undefined": "ties"}}}},
        "people": {"fleiss_kappa": TAU},
        **more,
    }


def keys(text):
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


def test_form_judge_and_statistics_with_a_number_are_cited_once():
    text = citations.bibtex(body())
    assert keys(text) == [
        "jurybox",
        "li2024genaibench",
        "lin2024vqascore",
        "kendall1938tau",
        "fleiss1971",
    ]
    assert text.count("{") == text.count("}")
    assert "eprint = {2404.01291}" in text


def test_a_statistic_of_which_no_kind_has_a_number_is_not_cited():
    none = {"nominal": {"undefined": "one person"}, "ordinal": {"undefined": "one person"}}
    found = citations.bibtex(body(people={"krippendorff_alpha": none}))
    assert "krippendorff2004" not in found
    some = citations.bibtex(body(people={"krippendorff_alpha": none | {"interval": TAU}}))
    assert "krippendorff2004" in some


def test_what_no_paper_stands_for_is_named():
    facts = {"signature": {"form": ["own v3"], "judge_facts": {"mine\n": {"method": "Some 1"}}}}
    text = citations.bibtex(body(**facts))
    assert "% No paper is known here for: form own v3." in text
    assert "% No paper is known here for: judge mine." in text


def test_every_key_leads_to_a_work_and_every_work_is_used():
    tables = (citations.OF_FORM, citations.OF_JUDGE, citations.OF_STATISTIC)
    named = {key for table in tables for keys in table.values() for key in keys}
    assert named == set(citations.WORKS)
    assert set(citations.OF_FORM) <= set(FORMS)
    people = {"krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "icc_2k", "alt_test"}
    assert set(citations.OF_STATISTIC) <= {row.key for row in ROWS} | people


@pytest.mark.django_db
def test_command_and_page_give_the_same_file(study, as_alice, capsys):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}, "late-0": {"ann": 0, "ben": 1}})
    make.make_report(study=study)
    report = Report.objects.get()
    call_command("report", "shapes", format="bibtex")
    printed = capsys.readouterr().out
    assert keys(printed)[:2] == ["jurybox", "kamath2025geneval2"]
    answer = as_alice.get(reverse("report-file", args=["shapes", report.pk, "bib"]))
    assert answer.text.strip() == printed.strip()
    assert answer.headers["Content-Disposition"].endswith('.bib"')
