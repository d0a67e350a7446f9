from django.db import migrations

JOBS = ("holder", "leased_until", "tries", "reason", "state", "done", "total")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0013_answers_have_jobs")]
    operations = [
        migrations.AlterModelOptions("storedanswer", {"ordering": ["study", "question", "pk"]}),
        migrations.RemoveIndex("storedanswer", "answer_in_hand"),
        migrations.RemoveConstraint("storedanswer", "an_answer_that_is_not_computed_says_why"),
        *(
            migrations.RemoveField("storedanswer", name)
            for name in (*JOBS, "requested_at", "requested_by")
        ),
    ]
