"""`python -m tests.released.make`: the databases of this version, one of each kind, as files here.

Both hold the same tiny study: labels, scores of a judge, a report, and a vote on a pair.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from audit import VERSION
from tests.released import databases

SLUG = "released"


def main() -> None:
    for kind in databases.KINDS:
        with tempfile.TemporaryDirectory() as folder, databases.database(kind, Path(folder)) as url:
            for words in (("manage.py", "migrate"), ("-m", "tests.released.make", "--study")):
                ended = databases.run(url, Path(folder), *words)
                if ended.returncode:
                    raise SystemExit(ended.stderr)
            file = databases.HERE / f"{VERSION}.{kind}.sql.gz"
            databases.write(url, file)
            print(f"{file.relative_to(databases.ROOT)}: {file.stat().st_size:,} bytes")


def make_study() -> None:
    import uuid

    from annotations.pairs import assign, draws, record
    from audit.reports.make import make_report
    from tests import making

    study = making.study(SLUG)
    making.person(study, "alice", role="owner")
    bob = making.person(study, "bob")
    for aligned in (1, 0, 1):
        making.label(bob, aligned=aligned)
    images = study.images.order_by("key")
    making.scores(study, {image.key: place % 2 == 0 for place, image in enumerate(images)})
    draws.plan(study, overlap=1)
    draws.draw(study=study, per_prompt=1)
    pair = assign.next_pair(annotator=bob).pair
    said = {"match": "both"}
    record.record_vote(pair=pair, annotator=bob, said=said, submission=uuid.uuid4())
    make_report(study=study)


if __name__ == "__main__":
    if "--study" in sys.argv:
        import django

        django.setup()
        make_study()
    else:
        main()
