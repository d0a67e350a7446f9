"""What the core goes without is named where it is needed, in the language of the page."""

import sys

import pytest
from django.utils import translation

from annotations.exports.files import ExportRefused
from annotations.language.stored_words import say
from jurybox_formats.sources.parquet_rows import import_package
from jurybox_formats.sources.records import Unreadable


def test_a_package_that_is_here_is_imported():
    assert import_package("json.decoder").JSONDecoder


@pytest.mark.parametrize("refused", [Unreadable, ExportRefused])
def test_one_that_is_not_is_refused_with_what_needs_it(monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    words = r"Arrow needs pyarrow: pip install pyarrow \(it is in requirements.txt\)\."
    with pytest.raises(refused, match=words) as error:
        import_package("pyarrow.ipc", "Arrow", refused)
    with translation.override("de"):
        assert say(error.value.message).startswith("Arrow braucht pyarrow: pip install pyarrow (")
