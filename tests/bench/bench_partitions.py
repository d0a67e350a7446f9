"""Does it pay to partition the table of images by study? What taking the next image costs (PostgreSQL).

    DATABASE_URL=postgres://… python -m tests.bench.bench_partitions [--images N] [--beside N]

Two studies, in the table as it is and in a copy with a partition for each study: the next open image is found,
locked and counted as taken, by turns in both tables. Printed are medians and 95th percentiles in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from tests.bench import bench_dashboards as dashboards
from tests.bench.bench_million import Crowd
from tests.bench.sizes import sized

TURNS = sized(1500, 20)
TABLES = "annotations_image", "images_by_study"
# Any order will do for what is compared; who may take which image is left out.
NEXT = """
SELECT id FROM {table} WHERE study_id = %s AND generator_id = %s AND file <> '' AND gold IS NULL
ORDER BY taken, place, id LIMIT 1 FOR UPDATE SKIP LOCKED"""
TAKE = "UPDATE {table} SET taken = taken + 1 WHERE study_id = %s AND id = %s"
INDEXES = (
    "ALTER TABLE images_by_study ADD PRIMARY KEY (id, study_id)",
    "CREATE INDEX ON images_by_study (generator_id, taken, place, id)"
    " WHERE file <> '' AND gold IS NULL",
    "CREATE INDEX ON images_by_study (study_id, taken) WHERE file <> '' AND gold IS NULL",
    "CREATE INDEX ON images_by_study (prompt_id)",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--images", type=int, default=sized(1_000_000, 400))
    arguments.add_argument("--beside", type=int, default=sized(100_000, 200))
    asked = arguments.parse_args()
    sys.exit(0 if dashboards.in_test_database(lambda: compare(asked.beside, asked.images)) else 1)


def compare(*sizes: int) -> bool:
    from django.db import connection

    if connection.vendor != "postgresql":
        print("Partitions are PostgreSQL's: set DATABASE_URL.")
        return True
    studies = {size: Crowd(size, each=1).study for size in sizes}
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE images_by_study (LIKE annotations_image INCLUDING DEFAULTS)"
            " PARTITION BY LIST (study_id)"
        )
        for study in studies.values():
            cursor.execute(
                f"CREATE TABLE images_of_{study.pk} PARTITION OF images_by_study"
                f" FOR VALUES IN ({study.pk})"
            )
        cursor.execute("INSERT INTO images_by_study SELECT * FROM annotations_image")
        for statement in INDEXES:
            cursor.execute(statement)
        for table in TABLES:
            cursor.execute(f"VACUUM ANALYZE {table}")
    for size, study in studies.items():
        for table, took in _take(study).items():
            p95 = 1000 * sorted(took)[int(0.95 * len(took))]
            median = 1000 * statistics.median(took)
            print(f"{size:>12,} images, {table:<20} {median:.3f} ms, p95 {p95:.3f}", flush=True)
    return True


def _take(study) -> dict[str, list[float]]:
    from django.db import connection, transaction

    generators = list(study.generators.values_list("pk", flat=True))
    took: dict[str, list[float]] = {table: [] for table in TABLES}
    with connection.cursor() as cursor:
        for turn in range(TURNS):
            for table in TABLES:
                began = time.perf_counter()
                with transaction.atomic():
                    generator = generators[turn % len(generators)]
                    cursor.execute(NEXT.format(table=table), [study.pk, generator])
                    ((image,),) = cursor.fetchall()
                    cursor.execute(TAKE.format(table=table), [study.pk, image])
                took[table].append(time.perf_counter() - began)
    return took


if __name__ == "__main__":
    main()
