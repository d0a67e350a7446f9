import subprocess
import sys

from jurybox_stats.estimate import Estimate, Undefined


def test_an_estimate_is_a_number_and_undefined_is_none():
    assert Estimate(0.0, -1.0, 1.0, 5)
    assert not Undefined("every label is yes", 5)
    assert Estimate(0.5, 0.4, 0.6, 9).as_dict() == {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    assert Undefined("no pairs", 1).as_dict() == {"undefined": "no pairs", "n": 1}


def test_a_notebook_needs_no_django():
    asked = "import jurybox_stats.intervals, jurybox_stats.over_time.evidence, sys; print('django' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
