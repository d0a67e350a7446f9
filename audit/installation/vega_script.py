"""Vega's JavaScript for the pages, from the package that also draws the files: nothing is loaded from
other servers."""

from __future__ import annotations

import gzip
import threading
import uuid
from importlib.metadata import version
from pathlib import Path

from django.conf import settings

from audit.charts.when_used import vl_convert

# Bundling takes a second of one core: visitors who wait for it must not all do it.
_bundling = threading.Lock()


def bundle() -> Path:
    """vega-embed with everything it needs, compressed; bundled once for each version."""
    file = Path(settings.VAR_DIR) / f"vega-embed-{version('vl-convert-python')}.js.gz"
    with _bundling:
        if not file.exists():
            script = vl_convert.javascript_bundle("export { vegaEmbed };")
            draft = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
            draft.write_bytes(gzip.compress(script.encode(), mtime=0))
            draft.replace(file)
    return file
