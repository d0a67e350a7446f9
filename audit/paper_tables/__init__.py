"""A paper's own tables, filled with the numbers of a study: `manage.py report STUDY --like PAPER`."""

from collections.abc import Callable, Sequence

from audit.exhibits import Table
from audit.paper_tables import correlations, dsg, geneval, geneval2, imagenhub, tifa, viescore
from audit.paper_tables.study import Audited

LIKE: dict[str, Callable[[Audited], Sequence[Table]]] = {
    "geneval": geneval.tables,
    "geneval2": geneval2.tables,
    "tifa": tifa.tables,
    "dsg": dsg.tables,
    "viescore": viescore.tables,
    "imagenhub": imagenhub.tables,
    "genai_bench": correlations.genai_bench,
    "t2v": correlations.t2v,
}
