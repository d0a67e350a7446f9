from django.conf import settings
from django.db import migrations
from django.db.models import (
    CASCADE,
    BigIntegerField,
    BinaryField,
    BooleanField,
    CharField,
    CheckConstraint,
    DateTimeField,
    F,
    FloatField,
    ForeignKey,
    Index,
    JSONField,
    OneToOneField,
    PositiveBigIntegerField,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    Q,
    TextField,
    UniqueConstraint,
)

from annotations.database.create_tables import CreateTables
from annotations.database.tables import account, job, table


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("annotations", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    tables = [
        table(
            "Report",
            ["-created_at", "-pk"],
            Index(F("study"), F("created_at").desc(), name="report_by_time"),
            study=ForeignKey("annotations.study", CASCADE, related_name="reports"),
            body=JSONField(help_text="What `manage.py report --json` prints."),
            summary=JSONField(blank=True, default=dict),
            data=CharField(max_length=64),
            options=JSONField(blank=True, default=dict),
            stamp=CharField(max_length=200, blank=True),
            rows=CharField(max_length=64, blank=True),
            seconds=FloatField(),
            made_for=account(),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Column",
            ["report", "name"],
            UniqueConstraint(
                fields=["report", "name"], name="a_name_stands_for_one_column_of_a_report"
            ),
            report=ForeignKey("audit.report", CASCADE, related_name="columns"),
            name=CharField(max_length=200),
            content=BinaryField(),
        ),
        table(
            "Pulse",
            ["study"],
            study=OneToOneField("annotations.study", CASCADE, related_name="pulse"),
            version=PositiveBigIntegerField(default=0),
            seen=PositiveBigIntegerField(default=0),
            met=PositiveBigIntegerField(default=0),
            tallied=PositiveBigIntegerField(default=0),
            counted=PositiveBigIntegerField(default=0),
            votes=PositiveBigIntegerField(default=0, db_default=0),
            voted=PositiveBigIntegerField(default=0, db_default=0),
        ),
        table(
            "Meeting",
            ["study"],
            study=OneToOneField("annotations.study", CASCADE, related_name="meeting"),
            body=JSONField(),
            stamp=CharField(max_length=200),
            seconds=FloatField(),
            made_at=DateTimeField(),
        ),
        table(
            "Explanation",
            ["-made_at", "-pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="explanations"),
            asked=JSONField(),
            body=JSONField(help_text="What `manage.py why --json` prints."),
            stamp=CharField(max_length=500),
            made_at=DateTimeField(auto_now=True),
        ),
        table(
            "Standing",
            ["-made_at", "-pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="standings"),
            asked=JSONField(),
            body=JSONField(help_text="What `manage.py leaderboard --json` prints."),
            stamp=CharField(max_length=200),
            made_at=DateTimeField(auto_now=True),
        ),
        table(
            "TrainingSet",
            ["-pk"],
            UniqueConstraint(
                fields=["study", "sha256"], name="the_same_images_are_one_training_set"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="training_sets"),
            asked=JSONField(help_text="Judge, rule, caps, studies whose prompts are left out."),
            body=JSONField(help_text="What was taken and why, with its signature."),
            rows=JSONField(help_text="Each image with its weight, score and labels."),
            sha256=CharField(max_length=64),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Finding",
            ["study", "pk"],
            Index(fields=["study", "state"], name="finding_by_state"),
            UniqueConstraint(
                fields=["image", "judge"], name="a_judge_finds_one_thing_wrong_with_an_image"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="findings"),
            image=ForeignKey("annotations.image", CASCADE, db_index=False, related_name="findings"),
            judge=CharField(max_length=200, blank=True),
            atom=PositiveSmallIntegerField(
                null=True, blank=True, help_text="Where one atom failed: its index."
            ),
            wanted=TextField(),
            found=TextField(),
            others=PositiveSmallIntegerField(
                default=0, help_text="More that is wrong, or could be."
            ),
            state=CharField(
                max_length=5,
                default="open",
                choices=[
                    ("open", "to be confirmed"),
                    ("real", "real"),
                    ("wrong", "the judge erred"),
                ],
            ),
            said_by=account(),
            said_at=DateTimeField(null=True, blank=True),
        ),
        table(
            "Tally",
            ["image", "question"],
            Index(fields=["study", "question", "mean", "image"], name="tally_by_mean"),
            Index(fields=["study", "question", "split", "image"], name="tally_by_split"),
            UniqueConstraint(
                fields=["image", "question"], name="an_image_is_tallied_once_for_a_question"
            ),
            study=ForeignKey("annotations.study", CASCADE, db_index=False, related_name="+"),
            image=ForeignKey("annotations.image", CASCADE, db_index=False, related_name="tallies"),
            question=CharField(max_length=80),
            people=PositiveIntegerField(),
            mean=FloatField(null=True),
            split=FloatField(null=True),
            cannot_tell=PositiveIntegerField(default=0),
        ),
        table(
            "Making",
            ["-asked_at"],
            UniqueConstraint(
                fields=["study", "kind"], name="one_report_of_a_kind_is_made_at_a_time"
            ),
            CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="a_report_that_is_not_made_says_why",
            ),
            **job(),
            study=ForeignKey("annotations.study", CASCADE, related_name="makings"),
            kind=CharField(
                max_length=9,
                default="report",
                choices=[
                    ("report", "report"),
                    ("agreement", "how well people agree"),
                    ("tally", "what people say about each image"),
                    ("why", "why the gap moved"),
                    ("standing", "the leaderboard"),
                    ("counts", "what pages count over all labels"),
                    ("plan", "what a plan of labels rests on"),
                    ("gains", "what repairing gained"),
                    ("pairs", "how far the pairs are"),
                ],
            ),
            options=JSONField(blank=True, default=dict),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting for a worker"),
                    ("working", "being made"),
                    ("refused", "refused"),
                    ("given up", "given up"),
                ],
            ),
            asked_by=account(),
            asked_at=DateTimeField(),
            done=PositiveIntegerField(default=0),
            total=PositiveIntegerField(default=0),
        ),
        table(
            "ReportPart",
            ["study", "pk"],
            UniqueConstraint(
                fields=["study", "key"], name="what_reads_the_same_is_one_part_of_a_report"
            ),
            **job(),
            study=ForeignKey("annotations.study", CASCADE, db_index=False, related_name="+"),
            options=JSONField(blank=True, default=dict),
            key=CharField(max_length=64, help_text="A hash of all that it reads."),
            name=TextField(),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting for a worker"),
                    ("working", "being computed"),
                    ("done", "done"),
                    ("given up", "given up"),
                ],
            ),
            content=TextField(blank=True),
            used_at=DateTimeField(db_index=True),
        ),
        table(
            "WrongPassword",
            ["key"],
            key=CharField(max_length=64, primary_key=True, serialize=False),
            count=PositiveIntegerField(default=0),
            wait_until=DateTimeField(db_index=True),
        ),
        table(
            "ApiToken",
            ["-pk"],
            user=ForeignKey(settings.AUTH_USER_MODEL, CASCADE, related_name="api_tokens"),
            name=CharField(max_length=100),
            digest=CharField(max_length=64, unique=True),
            scope=CharField(
                max_length=5,
                default="read",
                choices=[("read", "read"), ("write", "read and write")],
            ),
            study=ForeignKey("annotations.study", CASCADE, null=True, blank=True, related_name="+"),
            by_password=BooleanField(default=False, help_text="Asked for over the API."),
            created_at=DateTimeField(auto_now_add=True),
            expires_at=DateTimeField(db_index=True),
            last_used_at=DateTimeField(null=True, blank=True),
        ),
        table(
            "Identity",
            ["pk"],
            UniqueConstraint(
                fields=["issuer", "subject"], name="a_subject_of_an_issuer_is_one_account"
            ),
            user=ForeignKey(settings.AUTH_USER_MODEL, CASCADE, related_name="identities"),
            issuer=CharField(max_length=500),
            subject=CharField(max_length=255),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "ClosedTour",
            ["pk"],
            user=OneToOneField(settings.AUTH_USER_MODEL, CASCADE, related_name="closed_tour"),
            closed_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "SecondFactor",
            ["pk"],
            user=OneToOneField(settings.AUTH_USER_MODEL, CASCADE, related_name="second_factor"),
            secret=TextField(help_text="Encrypted with a key made from SECRET_KEY."),
            confirmed_at=DateTimeField(null=True, blank=True),
            last_step=BigIntegerField(default=0),
            recovery=JSONField(blank=True, default=list),
        ),
        table(
            "Webhook",
            ["pk"],
            study=OneToOneField("annotations.study", CASCADE, related_name="webhook"),
            address=CharField(max_length=500),
            salt=CharField(max_length=32),
            since=DateTimeField(),
            last_report=BigIntegerField(default=0),
        ),
        table(
            "WebhookMessage",
            ["hook", "-pk"],
            Index(fields=["state", "due_at"], name="webhook_message_by_time"),
            UniqueConstraint(
                fields=["hook", "event", "about"], name="a_webhook_is_told_a_thing_once"
            ),
            **job(),
            hook=ForeignKey("audit.webhook", CASCADE, related_name="messages"),
            event=CharField(max_length=20),
            about=CharField(max_length=120),
            body=JSONField(),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting"),
                    ("sending", "being sent"),
                    ("sent", "sent"),
                    ("given up", "given up"),
                ],
            ),
            created_at=DateTimeField(),
            due_at=DateTimeField(),
        ),
    ]
    operations = [CreateTables(tables)]
