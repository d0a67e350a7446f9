from django.conf import settings
from django.db import migrations
from django.db.models import (
    CASCADE,
    PROTECT,
    RESTRICT,
    SET_NULL,
    BigIntegerField,
    BooleanField,
    CharField,
    CheckConstraint,
    DateField,
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
    SlugField,
    TextField,
    UniqueConstraint,
)

from annotations.database.create_tables import CreateTables
from annotations.database.tables import account, job, table
from annotations.random_keys import new_key

STATES = [
    ("waiting", "waiting for a worker"),
    ("working", "being checked"),
    ("done", "done"),
    ("refused", "refused"),
    ("given up", "given up"),
]


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("annotations", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    tables = [
        table(
            "Recipe",
            ["name"],
            name=CharField(max_length=80, unique=True),
            title=CharField(max_length=120),
            text=TextField(),
            added_by=account(),
            added_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Judge",
            ["name", "fingerprint"],
            name=SlugField(max_length=120),
            method=CharField(max_length=80),
            method_version=CharField(max_length=40),
            engine=CharField(max_length=80),
            engine_version=CharField(max_length=80),
            checkpoint=CharField(max_length=300, blank=True),
            revision=CharField(max_length=80, blank=True),
            template=TextField(blank=True),
            precision=CharField(max_length=20, blank=True),
            options=JSONField(blank=True, default=dict),
            facts=JSONField(
                blank=True,
                default=dict,
                help_text="Of each engine: weights, libraries, its key to looks.",
            ),
            fingerprint=CharField(max_length=16, unique=True),
            release_date=DateField(
                null=True, blank=True, help_text="When people could first use this judge."
            ),
            recipe=ForeignKey(
                "judges.recipe", PROTECT, null=True, blank=True, related_name="judges"
            ),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Run",
            ["-started_at", "-pk"],
            UniqueConstraint(fields=["study", "judge"], name="a_judge_has_one_run_in_a_study"),
            CheckConstraint(
                condition=~Q(state="stopped") | ~Q(reason=""), name="a_stopped_run_says_why"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="runs"),
            judge=ForeignKey("judges.judge", PROTECT, related_name="runs"),
            state=CharField(
                max_length=10,
                default="running",
                choices=[
                    ("running", "running"),
                    ("finished", "finished"),
                    ("cancelled", "cancelled"),
                    ("stopped", "stopped by a failure"),
                ],
            ),
            reason=TextField(blank=True, help_text="Why it stopped, in a sentence."),
            expected=PositiveIntegerField(default=0),
            scored=PositiveIntegerField(default=0, db_default=0),
            failed=PositiveIntegerField(default=0, db_default=0),
            assumed=PositiveIntegerField(default=0, db_default=0),
            started_by=account(),
            started_at=DateTimeField(),
            finished_at=DateTimeField(null=True, blank=True),
            judge_released=DateField(
                null=True,
                blank=True,
                help_text="When people could first use the judge, as the study's owner knows it.",
            ),
        ),
        table(
            "Chunk",
            ["run", "pk"],
            Index(fields=["state", "leased_until"], name="chunk_by_lease"),
            CheckConstraint(
                condition=Q(leased_until__isnull=False, state="leased")
                | (~Q(state="leased") & Q(leased_until__isnull=True)),
                name="only_a_leased_chunk_has_an_end",
            ),
            **job(),
            run=ForeignKey("judges.run", CASCADE, related_name="chunks"),
            images=JSONField(help_text="Primary keys of the images."),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting"),
                    ("leased", "leased"),
                    ("done", "done"),
                    ("given up", "given up"),
                ],
            ),
            woken_at=DateTimeField(null=True, blank=True),
            in_hand=BigIntegerField(null=True, blank=True),
            deaths=PositiveSmallIntegerField(default=0),
        ),
        table(
            "Score",
            ["run", "image"],
            Index(F("run"), F("created_at").desc(), name="score_by_time"),
            Index(F("run"), F("value"), F("image"), name="score_by_value"),
            UniqueConstraint(fields=["run", "image"], name="an_image_is_scored_once_by_a_run"),
            CheckConstraint(
                condition=Q(error="", value__isnull=False) | (Q(value__isnull=True) & ~Q(error="")),
                name="a_score_or_the_reason_why_not",
            ),
            run=ForeignKey("judges.run", CASCADE, related_name="scores"),
            image=ForeignKey("annotations.image", CASCADE, related_name="scores"),
            value=FloatField(null=True, blank=True),
            correct=BooleanField(null=True, blank=True),
            reason=TextField(blank=True),
            error=TextField(blank=True),
            evidence=JSONField(blank=True, default=dict),
            seconds=FloatField(null=True, blank=True),
            assumed=PositiveSmallIntegerField(
                default=0,
                db_default=0,
                help_text="Answers that were not told and count 0, as coded.",
            ),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "AtomScore",
            ["score", "atom"],
            UniqueConstraint(fields=["score", "atom"], name="an_atom_is_scored_once_by_a_score"),
            CheckConstraint(
                condition=Q(error="", value__isnull=False) | (Q(value__isnull=True) & ~Q(error="")),
                name="an_atom_score_or_the_reason_why_not",
            ),
            score=ForeignKey("judges.score", CASCADE, related_name="atoms"),
            atom=ForeignKey("annotations.atom", RESTRICT, related_name="scores"),
            value=FloatField(null=True, blank=True),
            error=TextField(blank=True),
        ),
        table(
            "Look",
            ["image", "pk"],
            UniqueConstraint(
                fields=["image", "engine", "want"], name="an_engine_is_asked_once_about_a_picture"
            ),
            image=ForeignKey("annotations.image", CASCADE, related_name="looks"),
            engine=CharField(max_length=16, help_text="Hash of engine, weights and libraries."),
            want=CharField(max_length=16, help_text="Hash of what was asked."),
            asked=JSONField(),
            told=JSONField(null=True),
            seconds=FloatField(null=True, blank=True),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Delivery",
            ["-touched_at", "-pk"],
            UniqueConstraint(
                fields=["by", "study"],
                condition=~Q(state="sent"),
                name="one_delivery_per_person_and_study",
            ),
            UniqueConstraint(
                fields=["by"],
                condition=~Q(state="sent") & Q(study=None),
                name="one_new_study_per_person_at_a_time",
            ),
            plural="deliveries",
            **job(),
            key=CharField(max_length=22, unique=True, default=new_key, editable=False),
            by=ForeignKey(settings.AUTH_USER_MODEL, CASCADE, related_name="+"),
            study=ForeignKey(
                "annotations.study", CASCADE, null=True, blank=True, related_name="deliveries"
            ),
            state=CharField(
                max_length=8,
                default="open",
                choices=[
                    ("open", "being sent"),
                    ("waiting", "waiting for a worker"),
                    ("working", "being looked at"),
                    ("looked", "looked at"),
                    ("given up", "given up"),
                    ("sent", "given to an import"),
                ],
            ),
            typed=JSONField(blank=True, default=dict),
            found=JSONField(blank=True, default=dict),
            read=PositiveIntegerField(default=0, help_text="Rows that were read so far."),
            touched_at=DateTimeField(auto_now=True),
        ),
        table(
            "Batch",
            ["pk"],
            UniqueConstraint(fields=["delivery", "digest"], name="the_same_files_are_sent_once"),
            plural="batches",
            delivery=ForeignKey("judges.delivery", CASCADE, related_name="batches"),
            files=JSONField(help_text="Path and size of each file, in the order of the stream."),
            digest=CharField(max_length=64, help_text="The same files again are this batch."),
            size=PositiveBigIntegerField(),
            piece=PositiveIntegerField(help_text="Bytes of a piece; the last one has fewer."),
        ),
        table(
            "Piece",
            ["batch", "number"],
            UniqueConstraint(fields=["batch", "number"], name="a_piece_is_stored_once"),
            batch=ForeignKey("judges.batch", CASCADE, related_name="pieces"),
            number=PositiveIntegerField(),
            file=CharField(max_length=200),
        ),
        table(
            "Upload",
            ["-created_at", "-pk"],
            UniqueConstraint(
                fields=["study", "key"],
                condition=~Q(key=""),
                name="a_key_stands_for_one_upload_of_a_study",
            ),
            CheckConstraint(
                condition=~Q(state="refused") | ~Q(reason=""), name="a_refused_upload_says_why"
            ),
            CheckConstraint(
                condition=~Q(state="given up") | ~Q(reason=""), name="an_upload_given_up_says_why"
            ),
            **job(),
            study=ForeignKey("annotations.study", CASCADE, related_name="uploads"),
            by=account(),
            kind=CharField(
                max_length=8,
                default="study",
                choices=[
                    ("study", "prompts, images and the files beside them"),
                    ("labels", "labels"),
                    ("scores", "scores"),
                ],
            ),
            format=CharField(max_length=40),
            name=CharField(max_length=200, help_text="What the file was called."),
            file=CharField(max_length=200, blank=True, help_text="Where it waits; empty after."),
            delivery=OneToOneField(
                "judges.delivery", SET_NULL, null=True, blank=True, related_name="upload"
            ),
            choices=JSONField(blank=True, default=dict),
            generator=CharField(max_length=200, blank=True),
            judge=CharField(max_length=120, blank=True),
            dry_run=BooleanField(default=False),
            strict=BooleanField(default=False),
            key=CharField(max_length=80, blank=True),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting for a worker"),
                    ("working", "being read"),
                    ("done", "done"),
                    ("refused", "refused"),
                    ("given up", "given up"),
                ],
            ),
            read=PositiveIntegerField(default=0, help_text="Rows that were read so far."),
            expected=PositiveIntegerField(
                null=True,
                blank=True,
                help_text="About how many rows there are; empty where nobody can tell.",
            ),
            began_at=DateTimeField(
                null=True, blank=True, help_text="When a worker read the first row."
            ),
            outcome=JSONField(blank=True, default=dict),
            created_at=DateTimeField(auto_now_add=True),
            finished_at=DateTimeField(null=True, blank=True),
        ),
        table(
            "KnownWeights",
            ["path"],
            plural="known weights",
            path=CharField(max_length=300, unique=True),
            stamp=CharField(max_length=64, help_text="Hash of the files' names, sizes and times."),
            content=CharField(max_length=16),
        ),
        table(
            "WeightCheck",
            ["-pk"],
            CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="a_check_without_an_answer_says_why",
            ),
            **job(),
            by=account(),
            judge=CharField(max_length=120),
            options=JSONField(blank=True, default=dict),
            state=CharField(max_length=8, default="waiting", choices=STATES),
            created_at=DateTimeField(auto_now_add=True),
            finished_at=DateTimeField(null=True, blank=True),
            study=ForeignKey("annotations.study", CASCADE, related_name="weight_checks"),
            measure=BooleanField(default=False, help_text="The weights are loaded and tested too."),
            parts=JSONField(blank=True, default=list, help_text="What was found, by engine."),
        ),
        table(
            "SelfCheck",
            ["-pk"],
            CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="a_self_check_without_an_answer_says_why",
            ),
            **job(),
            by=account(),
            judge=CharField(max_length=120),
            options=JSONField(blank=True, default=dict),
            state=CharField(max_length=8, default="waiting", choices=STATES),
            created_at=DateTimeField(auto_now_add=True),
            finished_at=DateTimeField(null=True, blank=True),
            study=ForeignKey("annotations.study", CASCADE, related_name="self_checks"),
            count=PositiveIntegerField(help_text="Images to draw for each kind of check."),
            seed=PositiveIntegerField(default=0),
            step=PositiveSmallIntegerField(default=0, help_text="What a worker asks just now."),
            fingerprint=CharField(max_length=16, blank=True, help_text="Of the judge it found."),
            pairs=JSONField(blank=True, default=list, help_text="Scores before and after."),
            left_out=JSONField(
                blank=True,
                default=dict,
                help_text="By check: why images could not be used, and how many.",
            ),
        ),
        table(
            "AnchorScoring",
            ["-pk"],
            CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="an_anchor_scoring_without_an_answer_says_why",
            ),
            **job(),
            by=account(),
            judge=CharField(max_length=120),
            options=JSONField(blank=True, default=dict),
            state=CharField(max_length=8, default="waiting", choices=STATES),
            created_at=DateTimeField(auto_now_add=True),
            finished_at=DateTimeField(null=True, blank=True),
            study=ForeignKey("annotations.study", CASCADE, related_name="anchor_scorings"),
            run=ForeignKey("judges.run", CASCADE, related_name="anchor_scorings"),
            anchors=ForeignKey("annotations.anchorset", CASCADE, related_name="scorings"),
            done=PositiveIntegerField(default=0, help_text="Images that were scored so far."),
            scores=JSONField(
                blank=True,
                default=list,
                help_text="Of each image: its score or why there is none, and who the server said it was in every reply.",
            ),
            changed_pictures=JSONField(
                blank=True,
                default=list,
                help_text="Images whose picture is not the one of the set.",
            ),
        ),
        table(
            "ServerUse",
            ["-day", "server", "model"],
            UniqueConstraint(
                fields=["day", "server", "model"], name="one_count_per_day_server_and_model"
            ),
            day=DateField(),
            server=CharField(max_length=200),
            model=CharField(max_length=200),
            requests=PositiveIntegerField(default=0),
            tokens_in=PositiveBigIntegerField(default=0),
            tokens_out=PositiveBigIntegerField(default=0),
            cost=FloatField(default=0, help_text="By the price that was known when it was asked."),
        ),
    ]
    operations = [CreateTables(tables)]
