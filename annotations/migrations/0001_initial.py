from uuid import uuid4

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations
from django.db.migrations import AddField
from django.db.models import (
    CASCADE,
    PROTECT,
    RESTRICT,
    SET_NULL,
    BigIntegerField,
    BinaryField,
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
    ManyToManyField,
    OneToOneField,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    Q,
    SlugField,
    TextField,
    UniqueConstraint,
    URLField,
    UUIDField,
)

from annotations.database.create_tables import CreateTables
from annotations.database.tables import account, job, table
from annotations.random_keys import new_nonce, new_public_id

ROLES = [("owner", "owner"), ("researcher", "researcher"), ("annotator", "annotator")]
SIDES = [("first", "first"), ("second", "second")]


class Migration(migrations.Migration):
    initial = True
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    tables = [
        table(
            "FormVersion",
            ["slug", "version"],
            UniqueConstraint(fields=["slug", "version"], name="one_form_per_slug_and_version"),
            UniqueConstraint(fields=["slug", "digest"], name="the_same_words_are_the_same_version"),
            slug=SlugField(max_length=80),
            version=PositiveIntegerField(),
            title=CharField(max_length=200),
            definition=JSONField(),
            digest=CharField(max_length=64),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Study",
            ["-created_at", "slug"],
            CheckConstraint(condition=Q(overlap__gte=1), name="each_image_is_labelled_by_somebody"),
            CheckConstraint(
                condition=Q(lease_minutes__range=(1, 10)), name="a_lease_ends_within_ten_minutes"
            ),
            CheckConstraint(
                condition=Q(gold_share__lte=50), name="at_most_half_of_the_images_are_known"
            ),
            CheckConstraint(
                condition=Q(practice_pass__range=(1, 100)), name="the_pass_mark_is_a_percentage"
            ),
            CheckConstraint(
                condition=Q(fastest_seconds__gte=0), name="no_answer_takes_less_than_no_time"
            ),
            plural="studies",
            slug=SlugField(max_length=80, unique=True),
            title=CharField(max_length=200),
            description=TextField(blank=True),
            form=ForeignKey("annotations.formversion", PROTECT, related_name="studies"),
            status=CharField(
                max_length=10,
                default="open",
                choices=[("open", "open"), ("paused", "paused"), ("closed", "closed")],
            ),
            overlap=PositiveSmallIntegerField(
                default=3,
                validators=[MinValueValidator(1), MaxValueValidator(100)],
                help_text="How many people label each image.",
            ),
            lease_minutes=PositiveSmallIntegerField(
                default=10,
                validators=[MinValueValidator(1), MaxValueValidator(10)],
                help_text="How long an image waits for the person it was given to.",
            ),
            gold_share=PositiveSmallIntegerField(
                default=0,
                validators=[MaxValueValidator(50)],
                help_text="Of a hundred images that a person sees, how many have known answers.",
            ),
            practice_images=PositiveSmallIntegerField(
                default=0,
                validators=[MaxValueValidator(50)],
                help_text="How many images with known answers a person practises with first; 0: none.",
            ),
            practice_pass=PositiveSmallIntegerField(
                default=80,
                validators=[MinValueValidator(1), MaxValueValidator(100)],
                help_text="Percent of the practice answers that must be right.",
            ),
            practice_tries=PositiveSmallIntegerField(
                default=2, validators=[MinValueValidator(1), MaxValueValidator(20)]
            ),
            practice_round=PositiveSmallIntegerField(
                default=1, help_text="Raised to ask everybody to practise again."
            ),
            fastest_seconds=FloatField(
                default=0,
                validators=[MinValueValidator(0), MaxValueValidator(600)],
                help_text="An answer that took less is marked as too fast; 0: none is.",
            ),
            simulated=BooleanField(
                default=False, help_text="Images and answers were made by a program."
            ),
            created_by=account(),
            created_at=DateTimeField(auto_now_add=True),
            only_first=BooleanField(
                default=False, help_text="All other images wait: people get those of a draw alone."
            ),
            deleted_at=DateTimeField(
                null=True, blank=True, editable=False, help_text="Nobody can open it since."
            ),
        ),
        table(
            "Kept",
            ["study", "name"],
            UniqueConstraint(
                fields=["study", "name"], name="figures_of_a_name_are_kept_once_for_a_study"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="kept"),
            name=CharField(max_length=40),
            asked=CharField(max_length=200, blank=True),
            body=JSONField(default=dict),
            keys=BinaryField(default=b""),
            stamp=CharField(max_length=200, blank=True),
            seconds=FloatField(),
            made_at=DateTimeField(),
        ),
        table(
            "Prompt",
            ["study", "key"],
            UniqueConstraint(
                fields=["study", "key"], name="a_key_stands_for_one_prompt_of_a_study"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="prompts"),
            key=CharField(max_length=200),
            text=TextField(),
            tags=JSONField(blank=True, default=list),
            atomicity=PositiveSmallIntegerField(null=True, blank=True),
            metadata=JSONField(blank=True, default=dict),
        ),
        table(
            "Atom",
            ["prompt", "index"],
            UniqueConstraint(
                fields=["prompt", "index"], name="an_index_stands_for_one_atom_of_a_prompt"
            ),
            prompt=ForeignKey("annotations.prompt", CASCADE, related_name="atoms"),
            index=PositiveSmallIntegerField(),
            kind=CharField(max_length=40),
            text=TextField(blank=True),
            question=TextField(blank=True),
            expected=CharField(max_length=200, default="Yes"),
            parents=JSONField(
                blank=True, default=list, help_text="Indices of the atoms that this one rests on."
            ),
        ),
        table(
            "Generator",
            ["study", F("release_date").asc(nulls_last=True), "name"],
            UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_generator_of_a_study"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="generators"),
            name=CharField(max_length=200),
            release_date=DateField(null=True, blank=True),
            family=CharField(max_length=200, blank=True),
            note=TextField(blank=True),
            image_count=PositiveIntegerField(default=0, editable=False),
        ),
        table(
            "Image",
            ["study", "key"],
            Index(
                fields=["generator", "taken", "place", "id"],
                condition=~Q(file="") & Q(gold__isnull=True),
                name="open_image_by_generator",
            ),
            Index(
                fields=["study", "taken"],
                condition=~Q(file="") & Q(gold__isnull=True),
                name="open_image_by_study",
            ),
            Index(fields=["study"], condition=Q(gold__isnull=False), name="gold_image_of_study"),
            UniqueConstraint(fields=["study", "key"], name="a_key_stands_for_one_image_of_a_study"),
            CheckConstraint(
                condition=Q(file="", sha256="")
                | (~Q(file="") & ~Q(sha256="") & Q(width__gt=0) & Q(height__gt=0)),
                name="an_image_file_has_a_hash_and_a_size",
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="images"),
            prompt=ForeignKey("annotations.prompt", CASCADE, related_name="images"),
            generator=ForeignKey("annotations.generator", CASCADE, related_name="images"),
            key=CharField(max_length=200),
            public_id=CharField(max_length=22, unique=True, default=new_public_id, editable=False),
            variant=CharField(
                max_length=10,
                default="original",
                choices=[("original", "original prompt"), ("rewritten", "rewritten prompt")],
            ),
            sample=PositiveIntegerField(default=0),
            file=CharField(max_length=120, blank=True),
            sha256=CharField(max_length=64, blank=True),
            width=PositiveIntegerField(null=True, blank=True),
            height=PositiveIntegerField(null=True, blank=True),
            metadata=JSONField(blank=True, default=dict),
            place=PositiveIntegerField(default=0),
            taken=PositiveSmallIntegerField(default=0),
            gold=JSONField(null=True, blank=True),
        ),
        table(
            "Selection",
            ["study", "-pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="selections"),
            name=CharField(max_length=200),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
            images=PositiveIntegerField(default=0),
        ),
        table(
            "SelectedImage",
            ["selection", "place"],
            Index(fields=["selection", "place", "image"], name="selected_by_place"),
            UniqueConstraint(fields=["selection", "image"], name="an_image_is_in_a_selection_once"),
            selection=ForeignKey(
                "annotations.selection", CASCADE, db_index=False, related_name="members"
            ),
            image=ForeignKey("annotations.image", CASCADE, related_name="selected"),
            place=PositiveIntegerField(),
        ),
        table(
            "Group",
            ["study", "name"],
            UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_group_of_a_study"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="groups"),
            name=CharField(max_length=80),
            selection=ForeignKey("annotations.selection", CASCADE, related_name="groups"),
            inside=BooleanField(
                default=True, help_text="They get the images of the selection; else all but these."
            ),
        ),
        table(
            "Invitation",
            ["study", "-pk"],
            CheckConstraint(
                condition=Q(kind="person") | Q(role="annotator"), name="a_crowd_only_labels"
            ),
            CheckConstraint(
                condition=Q(uses__isnull=True) | Q(used__lte=F("uses")),
                name="a_link_is_used_as_often_as_it_may_be",
            ),
            CheckConstraint(
                condition=Q(kind="crowd") | Q(uses__isnull=False),
                name="a_link_for_people_is_used_up_some_day",
            ),
            CheckConstraint(
                condition=~Q(role="owner") | Q(uses=1), name="one_link_makes_one_owner"
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="invitations"),
            kind=CharField(
                max_length=6,
                default="person",
                choices=[
                    ("person", "people with an account"),
                    ("crowd", "workers of a crowd platform"),
                ],
            ),
            role=CharField(max_length=12, default="annotator", choices=ROLES),
            note=CharField(max_length=200, blank=True, help_text="Who it is for."),
            nonce=CharField(max_length=16, default=new_nonce, editable=False),
            made_by=account(),
            uses=PositiveIntegerField(
                null=True, blank=True, default=1, validators=[MinValueValidator(1)]
            ),
            used=PositiveIntegerField(default=0),
            images_each=PositiveIntegerField(
                null=True, blank=True, validators=[MinValueValidator(1)]
            ),
            group=ForeignKey(
                "annotations.group", SET_NULL, null=True, blank=True, related_name="invitations"
            ),
            completion_code=CharField(max_length=100, blank=True),
            completion_url=URLField(max_length=500, blank=True),
            screenout_code=CharField(
                max_length=100,
                blank=True,
                help_text="For workers who do not pass the practice round.",
            ),
            screenout_url=URLField(max_length=500, blank=True),
            signed=BooleanField(
                default=False,
                help_text="The platform signs each worker's id with the key of this link.",
            ),
            places_per_address=PositiveIntegerField(
                default=20,
                validators=[MinValueValidator(1)],
                help_text="How many workers may come from one network address.",
            ),
            turned_away=PositiveIntegerField(
                default=0, help_text="Visits that found no place left for their address."
            ),
            expires_at=DateTimeField(null=True, blank=True),
            closed_at=DateTimeField(null=True, blank=True),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Membership",
            ["study", "name"],
            Index(
                fields=["study", "address_hash"],
                condition=~Q(address_hash=""),
                name="worker_by_address",
            ),
            UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_person_of_a_study"
            ),
            UniqueConstraint(
                fields=["study", "user"],
                condition=Q(user__isnull=False),
                name="an_account_is_one_person_of_a_study",
            ),
            UniqueConstraint(
                fields=["study", "worker"],
                condition=~Q(worker=""),
                name="a_worker_is_one_person_of_a_study",
            ),
            CheckConstraint(
                condition=Q(user__isnull=True) | Q(removed_account__isnull=True),
                name="a_person_is_in_a_study_or_removed",
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="memberships"),
            user=ForeignKey(
                settings.AUTH_USER_MODEL,
                SET_NULL,
                null=True,
                blank=True,
                related_name="memberships",
            ),
            name=CharField(max_length=200),
            role=CharField(max_length=12, default="annotator", choices=ROLES),
            simulated=BooleanField(default=False),
            walk=JSONField(blank=True, default=dict),
            invitation=ForeignKey(
                "annotations.invitation", SET_NULL, null=True, blank=True, related_name="members"
            ),
            worker=CharField(max_length=120, blank=True),
            session_key=CharField(max_length=40, blank=True),
            resume_hash=CharField(max_length=64, blank=True),
            address_hash=CharField(max_length=64, blank=True),
            group=ForeignKey(
                "annotations.group", SET_NULL, null=True, blank=True, related_name="members"
            ),
            quota=PositiveIntegerField(
                null=True, blank=True, help_text="How many images this person is given at most."
            ),
            practice_passed=PositiveSmallIntegerField(default=0),
            practice_more=PositiveSmallIntegerField(default=0),
            removed_at=DateTimeField(null=True, blank=True),
            removed_account=ForeignKey(
                settings.AUTH_USER_MODEL,
                SET_NULL,
                null=True,
                blank=True,
                related_name="removed_memberships",
            ),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Annotation",
            ["study", "pk"],
            Index(fields=["study", "state", "id"], name="annotation_by_state"),
            Index(fields=["annotator", "submitted_at"], name="annotation_by_person"),
            UniqueConstraint(
                fields=["image", "annotator"], name="one_annotation_per_person_and_image"
            ),
            CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0),
                name="an_answer_takes_no_negative_time",
            ),
            study=ForeignKey(
                "annotations.study", CASCADE, db_index=False, related_name="annotations"
            ),
            image=ForeignKey(
                "annotations.image", CASCADE, db_index=False, related_name="annotations"
            ),
            annotator=ForeignKey(
                "annotations.membership", RESTRICT, db_index=False, related_name="annotations"
            ),
            form=ForeignKey("annotations.formversion", PROTECT, related_name="annotations"),
            submission=UUIDField(unique=True, default=uuid4),
            state=CharField(
                max_length=10,
                default="counted",
                choices=[
                    ("counted", "counted"),
                    ("withdrawn", "withdrawn by the annotator"),
                    ("set aside", "set aside by the study owner"),
                ],
            ),
            revision=PositiveSmallIntegerField(default=1),
            seconds=FloatField(null=True, blank=True),
            submitted_at=DateTimeField(),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Answer",
            ["annotation", "pk"],
            Index(fields=["atom"], condition=Q(atom__isnull=False), name="answer_by_atom"),
            UniqueConstraint(
                fields=["annotation", "question"],
                condition=Q(atom__isnull=True),
                name="one_answer_per_question",
            ),
            UniqueConstraint(
                fields=["annotation", "question", "atom"],
                condition=Q(atom__isnull=False),
                name="one_answer_per_question_and_atom",
            ),
            CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""),
                name="an_answer_is_a_number_or_a_text",
            ),
            annotation=ForeignKey("annotations.annotation", CASCADE, related_name="answers"),
            question=CharField(max_length=80),
            atom=ForeignKey(
                "annotations.atom",
                RESTRICT,
                db_index=False,
                null=True,
                blank=True,
                related_name="answers",
            ),
            value=FloatField(null=True, blank=True),
            text=TextField(blank=True),
        ),
        table(
            "Revision",
            ["annotation", "number"],
            UniqueConstraint(fields=["annotation", "number"], name="revisions_are_numbered_once"),
            annotation=ForeignKey("annotations.annotation", CASCADE, related_name="revisions"),
            number=PositiveSmallIntegerField(),
            submission=UUIDField(unique=True),
            answers=JSONField(),
            form=ForeignKey("annotations.formversion", PROTECT, related_name="+"),
            seconds=FloatField(null=True, blank=True),
            submitted_at=DateTimeField(),
            replaced_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Assignment",
            ["study", "pk"],
            Index(fields=["study", "state", "leased_until"], name="lease_by_end"),
            Index(fields=["annotator", "state"], name="assignment_by_person"),
            UniqueConstraint(
                fields=["image", "annotator"], name="an_image_is_given_once_to_one_person"
            ),
            UniqueConstraint(
                fields=["annotator"],
                condition=Q(state="leased"),
                name="one_image_in_hand_at_a_time",
            ),
            CheckConstraint(
                condition=Q(leased_until__isnull=False, state__in=["leased", "reserved"])
                | (~Q(state__in=["leased", "reserved"]) & Q(leased_until__isnull=True)),
                name="only_a_lease_has_an_end",
            ),
            study=ForeignKey(
                "annotations.study", CASCADE, db_index=False, related_name="assignments"
            ),
            image=ForeignKey(
                "annotations.image", CASCADE, db_index=False, related_name="assignments"
            ),
            annotator=ForeignKey(
                "annotations.membership", CASCADE, db_index=False, related_name="assignments"
            ),
            state=CharField(
                max_length=10,
                default="leased",
                choices=[
                    ("leased", "leased"),
                    ("reserved", "reserved"),
                    ("answered", "answered"),
                    ("skipped", "skipped"),
                ],
            ),
            leased_until=DateTimeField(null=True, blank=True),
            note=TextField(blank=True),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "HandedBack",
            ["pk"],
            UniqueConstraint(fields=["image", "annotator"], name="handed_back_is_noted_once"),
            image=ForeignKey("annotations.image", CASCADE, db_index=False, related_name="+"),
            annotator=ForeignKey("annotations.membership", CASCADE, related_name="+"),
        ),
        table(
            "Decision",
            ["image", "pk"],
            UniqueConstraint(
                fields=["image", "question"],
                condition=Q(atom__isnull=True),
                name="one_decision_per_question",
            ),
            UniqueConstraint(
                fields=["image", "question", "atom"],
                condition=Q(atom__isnull=False),
                name="one_decision_per_question_and_atom",
            ),
            CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""),
                name="a_decision_is_a_number_or_a_text",
            ),
            image=ForeignKey("annotations.image", CASCADE, related_name="decisions"),
            question=CharField(max_length=80),
            atom=ForeignKey(
                "annotations.atom", RESTRICT, null=True, blank=True, related_name="decisions"
            ),
            value=FloatField(null=True, blank=True),
            text=TextField(blank=True),
            note=TextField(blank=True),
            decided_by=ForeignKey(settings.AUTH_USER_MODEL, SET_NULL, null=True, related_name="+"),
            decided_at=DateTimeField(auto_now=True),
        ),
        table(
            "Deletion",
            ["pk"],
            CheckConstraint(
                condition=~Q(state="given up") | ~Q(reason=""), name="a_deletion_given_up_says_why"
            ),
            **job(),
            study=OneToOneField("annotations.study", CASCADE, related_name="deletion"),
            slug=CharField(max_length=80),
            title=CharField(max_length=200),
            asked_by=account(),
            asked_at=DateTimeField(auto_now_add=True),
            state=CharField(
                max_length=8,
                default="waiting",
                choices=[
                    ("waiting", "waiting for a worker"),
                    ("working", "being deleted"),
                    ("given up", "given up"),
                ],
            ),
        ),
        table(
            "Draw",
            ["study", "pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="draws"),
            by=CharField(
                max_length=12,
                choices=[
                    ("uniform", "the same chance for every image"),
                    ("uncertainty", "more often where judges are unsure"),
                    ("escalation", "first where a judge may not be trusted"),
                ],
            ),
            count=PositiveIntegerField(help_text="How many images were drawn."),
            seed=BigIntegerField(),
            selection=ForeignKey(
                "annotations.selection", SET_NULL, null=True, blank=True, related_name="+"
            ),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "DrawnImage",
            ["draw", "pk"],
            UniqueConstraint(fields=["draw", "image"], name="an_image_has_one_chance_in_a_draw"),
            CheckConstraint(
                condition=Q(chance__gt=0, chance__lte=1), name="a_chance_is_above_0_and_at_most_1"
            ),
            draw=ForeignKey("annotations.draw", CASCADE, db_index=False, related_name="images"),
            image=ForeignKey("annotations.image", CASCADE, related_name="+"),
            chance=FloatField(),
            drawn=BooleanField(default=False),
        ),
        table(
            "AnchorSet",
            ["study", "pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="anchor_sets"),
            count=PositiveIntegerField(help_text="How many images were drawn."),
            of=PositiveIntegerField(help_text="How many images could be drawn."),
            seed=BigIntegerField(),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "AnchorImage",
            ["anchors", "pk"],
            UniqueConstraint(
                fields=["anchors", "image"], name="an_image_is_an_anchor_of_a_set_once"
            ),
            anchors=ForeignKey(
                "annotations.anchorset", CASCADE, db_index=False, related_name="images"
            ),
            image=ForeignKey("annotations.image", CASCADE, related_name="+"),
            sha256=CharField(max_length=64, help_text="Of the stored picture, as judges get it."),
        ),
        table(
            "AnchorRound",
            ["anchors", "pk"],
            anchors=ForeignKey("annotations.anchorset", CASCADE, related_name="rounds"),
            study=OneToOneField("annotations.study", CASCADE, related_name="asks_again"),
            words=CharField(
                max_length=4, choices=[("then", "the words of then"), ("now", "the words of now")]
            ),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Event",
            ["-pk"],
            Index(fields=["study", "-id"], name="event_by_study"),
            study=ForeignKey(
                "annotations.study", CASCADE, null=True, blank=True, related_name="events"
            ),
            at=DateTimeField(auto_now_add=True),
            by=account(),
            by_command=BooleanField(default=False, help_text="On the server's own command line."),
            did=CharField(max_length=40),
            words=CharField(max_length=500),
            about=ForeignKey(
                "annotations.membership", SET_NULL, null=True, blank=True, related_name="+"
            ),
            account=account(help_text="Whose account it is about."),
        ),
        table(
            "ExamplePicture",
            ["pk"],
            UniqueConstraint(
                fields=["study", "sha256"], name="a_study_has_an_example_picture_once"
            ),
            CheckConstraint(
                condition=~Q(file="") & Q(width__gt=0) & Q(height__gt=0),
                name="an_example_picture_has_a_file_and_a_size",
            ),
            study=ForeignKey("annotations.study", CASCADE, related_name="example_pictures"),
            public_id=CharField(max_length=22, unique=True, default=new_public_id, editable=False),
            file=CharField(max_length=120),
            sha256=CharField(max_length=64),
            width=PositiveIntegerField(),
            height=PositiveIntegerField(),
            added_by=account(),
            added_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "Flag",
            ["image", "pk"],
            UniqueConstraint(fields=["image", "annotator"], name="one_flag_per_person_and_image"),
            image=ForeignKey("annotations.image", CASCADE, related_name="flags"),
            annotator=ForeignKey("annotations.membership", CASCADE, related_name="flags"),
            reason=CharField(
                max_length=12,
                choices=[
                    ("broken", "The image is broken or does not show"),
                    ("disturbing", "The image is disturbing or not safe for work"),
                    ("prompt", "The prompt makes no sense"),
                    ("form", "The questions do not fit this image"),
                    ("other", "Something else"),
                ],
            ),
            note=TextField(blank=True),
            created_at=DateTimeField(auto_now_add=True),
            settled_at=DateTimeField(null=True, blank=True),
            settled_by=account(),
            remark=TextField(blank=True),
        ),
        table(
            "PairPlan",
            ["study"],
            CheckConstraint(
                condition=Q(overlap__range=(1, 100)), name="each_pair_is_compared_by_somebody"
            ),
            study=OneToOneField("annotations.study", CASCADE, related_name="pair_plan"),
            overlap=PositiveSmallIntegerField(
                default=3,
                validators=[MinValueValidator(1), MaxValueValidator(100)],
                help_text="How many people compare each pair.",
            ),
            asks_quality=BooleanField(
                default=False, help_text="A second question: which image is the better picture."
            ),
            made_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "PairDraw",
            ["study", "pk"],
            study=ForeignKey("annotations.study", CASCADE, related_name="pair_draws"),
            by=CharField(
                max_length=10,
                choices=[
                    ("random", "at random, so many for each prompt"),
                    ("duel", "two generators against each other"),
                    ("adaptive", "more often where the outcome is open"),
                    ("file", "came with a file"),
                ],
            ),
            count=PositiveIntegerField(help_text="How many pairs it added."),
            per_prompt=PositiveIntegerField(null=True, blank=True),
            seed=BigIntegerField(null=True, blank=True),
            note=TextField(blank=True, help_text="Where the generators could not be connected."),
            made_by=account(),
            made_at=DateTimeField(auto_now_add=True),
            duel=ManyToManyField("annotations.generator", blank=True, related_name="+"),
        ),
        table(
            "Pair",
            ["study", "pk"],
            Index(fields=["study", "taken", "place", "id"], name="pair_by_places_taken"),
            UniqueConstraint(fields=["first", "second"], name="two_images_are_one_pair"),
            UniqueConstraint(fields=["study", "key"], name="a_key_stands_for_one_pair_of_a_study"),
            CheckConstraint(
                condition=Q(first__lt=F("second")), name="the_first_of_a_pair_has_the_lower_key"
            ),
            CheckConstraint(
                condition=Q(chance__isnull=True) | Q(chance__gt=0, chance__lte=1),
                name="a_drawn_pair_had_a_chance",
            ),
            study=ForeignKey("annotations.study", CASCADE, db_index=False, related_name="pairs"),
            prompt=ForeignKey("annotations.prompt", CASCADE, related_name="pairs"),
            first=ForeignKey("annotations.image", CASCADE, db_index=False, related_name="+"),
            second=ForeignKey("annotations.image", CASCADE, related_name="+"),
            key=CharField(max_length=200, help_text="The `pair_id` of files."),
            public_id=CharField(max_length=22, unique=True, default=new_public_id, editable=False),
            draw=ForeignKey(
                "annotations.pairdraw", SET_NULL, null=True, blank=True, related_name="pairs"
            ),
            chance=FloatField(
                null=True,
                blank=True,
                help_text="The probability it was drawn with; empty if unknown.",
            ),
            place=PositiveIntegerField(default=0),
            taken=PositiveSmallIntegerField(default=0),
        ),
        table(
            "PairAssignment",
            ["study", "pk"],
            Index(fields=["study", "state", "leased_until"], name="pair_lease_by_end"),
            Index(fields=["annotator", "state"], name="pair_given_by_person"),
            UniqueConstraint(
                fields=["pair", "annotator"], name="a_pair_is_given_once_to_one_person"
            ),
            UniqueConstraint(
                fields=["annotator"], condition=Q(state="leased"), name="one_pair_in_hand_at_a_time"
            ),
            CheckConstraint(
                condition=Q(leased_until__isnull=False, state="leased")
                | (~Q(state="leased") & Q(leased_until__isnull=True)),
                name="only_a_lease_of_a_pair_has_an_end",
            ),
            study=ForeignKey("annotations.study", CASCADE, db_index=False, related_name="+"),
            pair=ForeignKey(
                "annotations.pair", CASCADE, db_index=False, related_name="assignments"
            ),
            annotator=ForeignKey(
                "annotations.membership", CASCADE, db_index=False, related_name="pair_assignments"
            ),
            left=CharField(max_length=6, choices=SIDES),
            state=CharField(
                max_length=10,
                default="leased",
                choices=[
                    ("leased", "leased"),
                    ("answered", "answered"),
                    ("skipped", "skipped"),
                    ("returned", "handed back"),
                ],
            ),
            leased_until=DateTimeField(null=True, blank=True),
            created_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "PairVote",
            ["study", "pk"],
            Index(fields=["study", "question", "current"], name="vote_by_question"),
            Index(fields=["annotator", "submitted_at"], name="vote_by_person"),
            UniqueConstraint(
                fields=["submission", "question"], name="a_vote_is_sent_once_for_each_question"
            ),
            UniqueConstraint(
                fields=["pair", "annotator", "question", "revision"],
                name="revisions_of_a_vote_are_numbered_once",
            ),
            UniqueConstraint(
                fields=["pair", "annotator", "question"],
                condition=Q(current=True),
                name="one_vote_per_person_pair_and_question",
            ),
            CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0),
                name="a_vote_takes_no_negative_time",
            ),
            study=ForeignKey(
                "annotations.study", CASCADE, db_index=False, related_name="pair_votes"
            ),
            pair=ForeignKey("annotations.pair", CASCADE, db_index=False, related_name="votes"),
            annotator=ForeignKey(
                "annotations.membership", RESTRICT, db_index=False, related_name="pair_votes"
            ),
            question=CharField(max_length=80),
            value=CharField(
                max_length=11,
                choices=[
                    ("first", "the first"),
                    ("second", "the second"),
                    ("both", "both equally"),
                    ("neither", "neither"),
                    ("cannot_tell", "cannot tell"),
                ],
            ),
            left=CharField(
                max_length=6,
                blank=True,
                choices=SIDES,
                help_text="Which image stood left; empty: unknown.",
            ),
            seconds=FloatField(null=True, blank=True),
            revision=PositiveSmallIntegerField(default=1),
            current=BooleanField(default=True),
            submission=UUIDField(default=uuid4),
            submitted_at=DateTimeField(),
        ),
        table(
            "KnownAnswer",
            ["pk"],
            image=OneToOneField("annotations.image", CASCADE, related_name="known"),
            set_by=account(),
            set_at=DateTimeField(auto_now=True),
            explanation=TextField(blank=True, help_text="Shown in a practice round."),
        ),
        table(
            "PracticeTry",
            ["pk"],
            UniqueConstraint(
                fields=["annotator", "round", "number"], name="tries_of_a_round_are_numbered_once"
            ),
            UniqueConstraint(
                fields=["annotator"],
                condition=Q(ended_at__isnull=True),
                name="one_practice_try_at_a_time",
            ),
            CheckConstraint(
                condition=Q(ended_at__isnull=True, passed__isnull=True)
                | Q(ended_at__isnull=False, passed__isnull=False),
                name="a_try_that_ended_was_passed_or_not",
            ),
            plural="practice tries",
            annotator=ForeignKey("annotations.membership", CASCADE, related_name="practice"),
            round=PositiveSmallIntegerField(),
            number=PositiveSmallIntegerField(),
            images=JSONField(help_text="The images of this try, in their order."),
            passed=BooleanField(null=True, blank=True),
            started_at=DateTimeField(auto_now_add=True),
            ended_at=DateTimeField(null=True, blank=True),
        ),
        table(
            "PracticeAnswer",
            ["pk"],
            UniqueConstraint(
                fields=["attempt", "image"], name="an_image_is_practised_once_in_a_try"
            ),
            CheckConstraint(condition=Q(right__lte=F("of")), name="no_more_right_than_there_were"),
            attempt=ForeignKey("annotations.practicetry", CASCADE, related_name="answers"),
            image=ForeignKey("annotations.image", CASCADE, related_name="+"),
            form=ForeignKey("annotations.formversion", PROTECT, related_name="+"),
            answers=JSONField(),
            expected=JSONField(),
            explanation=TextField(blank=True),
            right=PositiveSmallIntegerField(),
            of=PositiveSmallIntegerField(),
            seen=BooleanField(default=False),
            answered_at=DateTimeField(auto_now_add=True),
        ),
        table(
            "RateCount",
            ["key"],
            key=CharField(max_length=64, primary_key=True, serialize=False),
            used_until=FloatField(db_index=True),
        ),
        table(
            "Retention",
            ["study"],
            CheckConstraint(
                condition=Q(rule="keep") | Q(decided_at__isnull=False),
                name="a_rule_was_decided_some_day",
            ),
            CheckConstraint(condition=Q(days__gte=1), name="a_day_at_least"),
            study=OneToOneField("annotations.study", CASCADE, related_name="retention"),
            rule=CharField(
                max_length=12,
                default="keep",
                choices=[
                    ("keep", "keep everything"),
                    ("pseudonymise", "names become pseudonyms"),
                    ("forget", "delete who people were"),
                    ("delete", "delete the study"),
                ],
            ),
            days=PositiveIntegerField(
                default=365, validators=[MinValueValidator(1), MaxValueValidator(36500)]
            ),
            decided_at=DateTimeField(null=True, blank=True),
            closed_at=DateTimeField(null=True, blank=True),
            done_at=DateTimeField(null=True, blank=True),
        ),
        AddField(
            "study",
            "first",
            ForeignKey(
                "annotations.selection",
                SET_NULL,
                null=True,
                blank=True,
                related_name="+",
                help_text="The images that people are given before all others.",
            ),
        ),
    ]
    operations = [CreateTables(tables)]
