"""Jurybox as it is installed: the console script `jurybox`, and studies in a notebook.

from jurybox import Study
report = Study("demo").report()
report.chart("net_deviation")
"""

from audit import VERSION as __version__
from jurybox.report import Report
from jurybox.study import JuryboxError, Study

__all__ = ["JuryboxError", "Report", "Study", "__version__"]
