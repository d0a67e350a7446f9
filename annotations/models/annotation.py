import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotations.models.form import FormVersion
from annotations.models.image import Image
from annotations.models.people import Membership
from annotations.models.prompt import Atom
from annotations.models.study import Study, optional_account

# Longer than any code of a language that pages speak.
LANGUAGE_LENGTH = 12


class Annotation(models.Model):
    """One person's present answers about one image; earlier ones are `Revision` rows."""

    class State(models.TextChoices):
        COUNTED = "counted", gettext_lazy("counted")
        WITHDRAWN = "withdrawn", gettext_lazy("withdrawn by the annotator")
        SET_ASIDE = "set aside", gettext_lazy("set aside by the study owner")

    # No index of their own: those below begin with each of them.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="annotations", db_index=False
    )
    image = models.ForeignKey(
        Image, on_delete=models.CASCADE, related_name="annotations", db_index=False
    )
    annotator = models.ForeignKey(
        Membership, on_delete=models.RESTRICT, related_name="annotations", db_index=False
    )
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="annotations")
    # In which the questions were shown; empty for the form's own words.
    language = models.CharField(max_length=LANGUAGE_LENGTH, blank=True, default="", db_default="")
    # Made by the page before it sends, so that a second sending is recognised.
    submission = models.UUIDField(default=uuid.uuid4, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.COUNTED)
    revision = models.PositiveSmallIntegerField(default=1)
    seconds = models.FloatField(null=True, blank=True)
    submitted_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "annotator"], name="one_annotation_per_person_and_image"
            ),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0),
                name="an_answer_takes_no_negative_time",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "state", "id"], name="annotation_by_state"),
            models.Index(fields=["annotator", "submitted_at"], name="annotation_by_person"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.image}"


class Answers(models.QuerySet["Answer"]):
    def that_count(self) -> "Answers":
        """Neither withdrawn nor set aside."""
        return self.filter(annotation__state=Annotation.State.COUNTED)

    def numbers_of(self, study: Study, question: str) -> "Answers":
        """Those to a question about the whole image."""
        given = self.filter(annotation__study=study).that_count()
        return given.filter(question=question, atom__isnull=True, value__isnull=False)

    def atom_numbers(self, study: Study) -> "Answers":
        given = self.filter(annotation__study=study).that_count()
        return given.filter(question="atom", atom__isnull=False, value__isnull=False)


class Answer(models.Model):
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="answers")
    question = models.CharField(max_length=80)
    atom = models.ForeignKey(
        Atom,
        null=True,
        blank=True,
        on_delete=models.RESTRICT,
        related_name="answers",
        db_index=False,
    )
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)

    objects = Answers.as_manager()

    class Meta:
        ordering = ["annotation", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "question"],
                condition=Q(atom__isnull=True),
                name="one_answer_per_question",
            ),
            models.UniqueConstraint(
                fields=["annotation", "question", "atom"],
                condition=Q(atom__isnull=False),
                name="one_answer_per_question_and_atom",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""),
                name="an_answer_is_a_number_or_a_text",
            ),
        ]
        indexes = [
            # Most answers are about the whole image and are not in this index.
            models.Index(fields=["atom"], condition=Q(atom__isnull=False), name="answer_by_atom")
        ]

    def __str__(self) -> str:
        return f"{self.question} = {self.text or self.value}"


class Revision(models.Model):
    """The answers of an annotation before they were corrected or taken back."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveSmallIntegerField()
    submission = models.UUIDField(unique=True)
    answers = models.JSONField()
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    language = models.CharField(max_length=LANGUAGE_LENGTH, blank=True, default="", db_default="")
    seconds = models.FloatField(null=True, blank=True)
    submitted_at = models.DateTimeField()
    replaced_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["annotation", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "number"], name="revisions_are_numbered_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotation}, revision {self.number}"


class Flag(models.Model):
    """A person reports that something is wrong with an image. Answers are not affected."""

    class Reason(models.TextChoices):
        BROKEN = "broken", gettext_lazy("The image is broken or does not show")
        DISTURBING = "disturbing", gettext_lazy("The image is disturbing or not safe for work")
        PROMPT = "prompt", gettext_lazy("The prompt makes no sense")
        FORM = "form", gettext_lazy("The questions do not fit this image")
        OTHER = "other", gettext_lazy("Something else")

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="flags")
    annotator = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="flags")
    reason = models.CharField(max_length=12, choices=Reason)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Written by the owner when it is settled.
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = optional_account()
    remark = models.TextField(blank=True)

    class Meta:
        ordering = ["image", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "annotator"], name="one_flag_per_person_and_image"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.image}: {self.get_reason_display()}"


class Decision(models.Model):
    """The owner's decision about a question that people answered differently, with the reason. The
    people's own answers stay; the consensus "adjudicated" uses the decision instead."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="decisions")
    question = models.CharField(max_length=80)
    atom = models.ForeignKey(
        Atom, null=True, blank=True, on_delete=models.RESTRICT, related_name="decisions"
    )
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["image", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "question"],
                condition=Q(atom__isnull=True),
                name="one_decision_per_question",
            ),
            models.UniqueConstraint(
                fields=["image", "question", "atom"],
                condition=Q(atom__isnull=False),
                name="one_decision_per_question_and_atom",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""),
                name="a_decision_is_a_number_or_a_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.question} = {self.text or self.value}"
