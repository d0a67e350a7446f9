from django.db import migrations

from annotations.migrations._old_jobs import carry_over

SAME = ("study_id", "by_id", "state", "created_at", "finished_at")
ASKED = ("judge", "options")
KINDS = ("WeightCheck", "SelfCheck", "AnchorScoring")


def scoring(row):
    # In the order in which they are asked for: some databases compare the text.
    about = {"run": row.run_id, "anchors": row.anchors_id}
    return {"payload": {"judge": row.judge, "options": row.options, **about}, "done": row.done}


class Migration(migrations.Migration):
    dependencies = [("judges", "0001_initial"), ("annotations", "0003_job")]
    operations = [
        carry_over(
            ("judges", "WeightCheck"),
            "weight check",
            same=SAME,
            payload=(*ASKED, "measure"),
            outcome=["parts"],
        ),
        carry_over(
            ("judges", "SelfCheck"),
            "self-check",
            same=SAME,
            payload=(*ASKED, "count", "seed"),
            outcome=["fingerprint", "pairs", "left_out"],
            columns=lambda row: {"done": row.step},
        ),
        carry_over(
            ("judges", "AnchorScoring"),
            "anchor scoring",
            same=SAME,
            outcome=["scores", "changed_pictures"],
            columns=scoring,
        ),
        *(migrations.DeleteModel(name) for name in KINDS),
        *(
            migrations.CreateModel(
                name,
                [],
                options={"proxy": True, "indexes": [], "constraints": []},
                bases=("annotations.job",),
            )
            for name in KINDS
        ),
    ]
