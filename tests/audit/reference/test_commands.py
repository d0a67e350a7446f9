"""Every command of the apps, its options without those that Django adds to each."""

from audit.reference import api, commands


def test_each_command_has_its_options_choices_and_what_holds_otherwise():
    text = commands.markdown()
    assert "## audit\n" in text and "## migrate\n" not in text
    part = text.partition("## report\n")[2].partition("\n## ")[0]
    assert "| `STUDY` |" in part
    assert "| `--resamples RESAMPLES` | otherwise `2000` |" in part
    assert "one of `usual`, `adjudicated`" in part
    assert "--traceback" not in text and "--settings" not in text


def test_each_operation_of_the_api_has_its_sentence():
    text = api.markdown()
    (line,) = [x for x in text.splitlines() if "GET /api/v1/studies/{slug}/report/`" in x]
    assert "The newest report" in line and "`consensus`" in line
