"""`manage.py judge_lake SOURCE --judge J --out FOLDER`: judge pictures where they lie, on a cluster or here."""

from pathlib import Path

from tqdm import tqdm

from annotations.management.command import PlainCommand, as_json, pairs
from judges.lake import cluster, slices, work
from judges.lake.sources import columns_from
from judges.management.judge_options import add_option, options_of


class Command(PlainCommand):
    help = "Judge pictures of WebDataset archives or Parquet files without a study; give it again to go on."

    def arguments(self, add) -> None:
        add("source", "a folder, a glob, or an address like s3://bucket/folder")
        add("--judge", required=True, metavar="J")
        add("--out", "the scores go there, as Parquet", type=Path, required=True, metavar="FOLDER")
        add_option(add, "options of the judge, as of run_judge")
        add.many(
            "--column",
            "of Parquet: prompt, picture, image_id, atoms or metadata",
            metavar="ROLE=NAME",
        )
        add("--per-part", "pictures of a part", type=int, default=slices.PICTURES, metavar="N")
        add(
            "--ray-address", "of a cluster; else one is started here", default="", metavar="ADDRESS"
        )
        add("--workers", "judges at once; else as many as there is room for", type=int, default=0)
        add.flag("--here", "without Ray, in this process")
        add.json()

    def handle(self, *, source, judge, out, option, column, per_part, here, json, **options) -> str:
        # The sign stands between a role and a name; a name may hold another.
        given = dict(pair.partition("=")[::2] for pair in column)
        pairs(column, "--column", "ROLE=NAME", "prompt=caption")
        on_ray = cluster.on_ray(address=options["ray_address"], workers=options["workers"])
        with tqdm(unit=" pictures", disable=None, leave=False) as bar:
            told = work.judge_lake(
                source=source,
                name=judge,
                options=options_of(judge, option),
                out=out,
                results=work.here if here else on_ray,
                columns=columns_from(given),
                per_part=max(1, per_part),
                on_part=bar.update,
            )
        if json:
            return as_json(told.as_json())
        again = f"manage.py import_scores STUDY {out} --format lake_scores"
        return "\n".join([*told.lines(), f"Into a study: {again}"])
