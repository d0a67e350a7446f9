"""Keys are read off a report; names of the study's own do not become keys."""

from audit.reference import report_keys

ESTIMATE = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 10}


def rows(body):
    text = report_keys.markdown(body)
    return [line for line in text.splitlines() if line.startswith("| `")]


def test_estimates_with_and_without_a_number_are_one_kind():
    body = {"a": {"auroc": ESTIMATE}, "b": {"auroc": {"undefined": "why", "n": 0}}}
    assert rows(body) == ["| `a.auroc` | estimate | AUROC |", "| `b.auroc` | estimate | AUROC |"]


def test_what_an_estimate_holds_besides_is_named():
    assert rows({"acc": {**ESTIMATE, "epsilon": 0.1}}) == [
        "| `acc` | estimate, with `epsilon` |  |"
    ]


def test_judges_and_generators_are_called_name_and_rows_of_lists_come_once():
    body = {
        "judges": {"clip": {"drift": {"alarm": True}}, "vqa": {"drift": {"alarm": False}}},
        "generators": [{"name": "sdxl"}, {"name": "flux"}],
    }
    assert rows(body) == [
        "| `judges.NAME.drift.alarm` | true or false |  |",
        "| `generators[].name` | text |  |",
    ]
