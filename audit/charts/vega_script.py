"""Vega's JavaScript for the page, from the same package that draws the files: no other server."""

from __future__ import annotations

import gzip
import threading
import uuid
from importlib.metadata import version
from pathlib import Path

import vl_convert
from django.conf import settings

# Putting it together takes a second of one core: once, not once for each visitor who waits.
_together = threading.Lock()


def bundle() -> Path:
    """vega-embed with all that it needs, compressed; put together once for each version."""
    file = Path(settings.VAR_DIR) / f"vega-embed-{version('vl-convert-python')}.js.gz"
    with _together:
        if not file.exists():
            script = vl_convert.javascript_bundle("export { vegaEmbed };")
            draft = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
            draft.write_bytes(gzip.compress(script.encode(), mtime=0))
            draft.replace(file)
    return file
