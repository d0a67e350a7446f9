"""Judges, their runs and their scores.

The state of a run is rows in the database: a chunk has a lease, a score is written once, and the
broker only wakes workers. Whatever is killed when, work that is missing is a waiting chunk or one
whose lease has run out.
"""

from datetime import date
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy, gettext_noop

from annotations.imports import so_far
from annotations.imports.outcome import sentences
from annotations.models import (
    Atom,
    Image,
    Job,
    Leased,
    Prompt,
    Study,
    in_outcome,
    in_payload,
    optional_account,
    row_in_payload,
)
from annotations.random_keys import new_key


class Recipe(models.Model):
    """A judge of somebody's own, as text; it never changes, and is offered like those of the
    catalogue."""

    name = models.CharField(max_length=80, unique=True)
    title = models.CharField(max_length=120)
    text = models.TextField()
    added_by = optional_account()
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


# The method and the engine of a judge whose scores came from a file.
IMPORTED = "imported"
# Those of a judge whose scores are made of other judges' scores.
JURY, STORED = "Jury", "stored scores"
WHY_NO_LOOK = {
    IMPORTED: gettext_noop("its scores came from a file"),
    STORED: gettext_noop("its scores are made of other judges’ scores"),
}


class Judge(models.Model):
    """Method + engine + options, frozen. Everything that can change a score is in the fingerprint."""

    name = models.SlugField(max_length=120)
    method = models.CharField(max_length=80)
    method_version = models.CharField(max_length=40)
    engine = models.CharField(max_length=80)
    engine_version = models.CharField(max_length=80)
    checkpoint = models.CharField(max_length=300, blank=True)
    revision = models.CharField(max_length=80, blank=True)
    template = models.TextField(blank=True)
    precision = models.CharField(max_length=20, blank=True)
    options = models.JSONField(default=dict, blank=True)
    facts = models.JSONField(
        default=dict, blank=True, help_text="Of each engine: weights, libraries, its key to looks."
    )
    fingerprint = models.CharField(max_length=16, unique=True)
    release_date = models.DateField(
        null=True, blank=True, help_text="When people could first use this judge."
    )
    recipe = models.ForeignKey(
        Recipe, null=True, blank=True, on_delete=models.PROTECT, related_name="judges"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "fingerprint"]

    def __str__(self) -> str:
        return f"{self.name} · {self.fingerprint}"

    @property
    def is_jury(self) -> bool:
        return self.method == JURY

    @property
    def why_no_look(self) -> str:
        """Why no picture can be shown to it; empty where one can."""
        return WHY_NO_LOOK.get(self.engine, "")


class Run(models.Model):
    """A judge over the images of a study."""

    class State(models.TextChoices):
        RUNNING = "running", gettext_noop("running")
        FINISHED = "finished", gettext_noop("finished")
        CANCELLED = "cancelled", gettext_noop("cancelled")
        STOPPED = "stopped", gettext_noop("stopped by a failure")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    reason = models.TextField(blank=True, help_text="Why it stopped, in a sentence.")
    expected = models.PositiveIntegerField(default=0)
    # Of its scores, kept by `judges.runs.counts`: all of them, those that failed, and answers that were
    # not given and count 0.
    scored = models.PositiveIntegerField(default=0, db_default=0)
    failed = models.PositiveIntegerField(default=0, db_default=0)
    assumed = models.PositiveIntegerField(default=0, db_default=0)
    started_by = optional_account()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    judge_released = models.DateField(
        null=True,
        blank=True,
        help_text="When people could first use the judge, as the study's owner knows it.",
    )

    in_peoples_unit = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether a score is a share of yes, as a recipe or the person who imported it says.",
    )

    class Meta:
        ordering = ["-started_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "judge"], name="a_judge_has_one_run_in_a_study"
            ),
            models.CheckConstraint(
                condition=~Q(state="stopped") | ~Q(reason=""), name="a_stopped_run_says_why"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge.name} on {self.study}"

    @property
    def release_date(self) -> date | None:
        """The judge's, as reports take it: what the code knows, else the owner's own."""
        return self.judge.release_date or self.judge_released

    @property
    def is_running(self) -> bool:
        return self.state == self.State.RUNNING


class Chunk(Leased):
    """Some images of a run, given to one worker at a time."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        LEASED = "leased", "leased"
        DONE = "done", "done"
        GIVEN_UP = "given up", "given up"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="chunks")
    images = models.JSONField(help_text="Primary keys of the images.")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    woken_at = models.DateTimeField(null=True, blank=True)
    # The image that was being scored, and how many workers died on it: an image that kills its
    # worker must not do so for ever.
    in_hand = models.BigIntegerField(null=True, blank=True)
    deaths = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["run", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="leased", leased_until__isnull=False)
                | ~Q(state="leased") & Q(leased_until__isnull=True),
                name="only_a_leased_chunk_has_an_end",
            )
        ]
        indexes = [models.Index(fields=["state", "leased_until"], name="chunk_by_lease")]

    def __str__(self) -> str:
        return f"{self.run}, {len(self.images)} images ({self.state})"


class Score(models.Model):
    """A judge's score of an image, or the reason why there is none."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="scores")
    value = models.FloatField(null=True, blank=True)
    correct = models.BooleanField(null=True, blank=True)
    reason = models.TextField(blank=True)
    error = models.TextField(blank=True)
    evidence = models.JSONField(default=dict, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    assumed = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Answers that were not told and count 0, as coded."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["run", "image"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "image"], name="an_image_is_scored_once_by_a_run"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, error="") | Q(value__isnull=True) & ~Q(error=""),
                name="a_score_or_the_reason_why_not",
            ),
        ]
        indexes = [
            models.Index("run", F("created_at").desc(), name="score_by_time"),
            models.Index("run", "value", "image", name="score_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.error or self.value}"


class AtomScore(models.Model):
    score = models.ForeignKey(Score, on_delete=models.CASCADE, related_name="atoms")
    atom = models.ForeignKey(Atom, on_delete=models.RESTRICT, related_name="scores")
    value = models.FloatField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["score", "atom"]
        constraints = [
            models.UniqueConstraint(
                fields=["score", "atom"], name="an_atom_is_scored_once_by_a_score"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, error="") | Q(value__isnull=True) & ~Q(error=""),
                name="an_atom_score_or_the_reason_why_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.atom}: {self.error or self.value}"


class Look(models.Model):
    """What an engine answered about an image: stored, so that no call is made twice."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="looks")
    engine = models.CharField(max_length=16, help_text="Hash of engine, weights and libraries.")
    want = models.CharField(max_length=16, help_text="Hash of what was asked.")
    asked = models.JSONField()
    told = models.JSONField(null=True)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["image", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "engine", "want"], name="an_engine_is_asked_once_about_a_picture"
            )
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.asked.get('kind', '')}"


class Preview(Job):
    """A worker looks at what is in the files of a delivery, whose key is that of the job."""

    KIND, WORKING_WORDS = "preview", gettext_noop("being looked at")

    class Meta:
        proxy = True


class Delivery(models.Model):
    """What one person is sending for a new study, or for one that exists: files in pieces, what was
    typed beside them, and what was found in them. Of the study, nothing is written before it is
    imported. Nobody else sees it; what nobody goes on with is removed after a day."""

    class State(models.TextChoices):
        OPEN = "open", "being sent"
        LOOKED = "looked", "looked at"
        SENT = "sent", "given to an import"

    # Names its folder; nobody can guess it.
    key = models.CharField(max_length=22, unique=True, default=new_key, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.CASCADE, related_name="deliveries"
    )
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    typed = models.JSONField(default=dict, blank=True)
    found = models.JSONField(default=dict, blank=True)
    touched_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-touched_at", "-pk"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["by", "study"],
                condition=~Q(state="sent"),
                name="one_delivery_per_person_and_study",
            ),
            models.UniqueConstraint(
                fields=["by"],
                condition=~Q(state="sent") & Q(study=None),
                name="one_new_study_per_person_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} ({self.state})"

    @property
    def previews(self) -> models.QuerySet[Preview]:
        return Preview.objects.filter(key=self.key)

    @cached_property
    def preview(self) -> Preview | None:
        """Under way, or given up."""
        return self.previews.first()


class Batch(models.Model):
    """Files that were chosen together, sent as one stream that is cut into pieces of equal size."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="batches")
    files = models.JSONField(help_text="Path and size of each file, in the order of the stream.")
    digest = models.CharField(max_length=64, help_text="The same files again are this batch.")
    size = models.PositiveBigIntegerField()
    piece = models.PositiveIntegerField(help_text="Bytes of a piece; the last one has fewer.")

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["delivery", "digest"], name="the_same_files_are_sent_once"
            )
        ]

    def __str__(self) -> str:
        return f"{len(self.files)} files of {self.delivery}"

    @property
    def pieces_in_all(self) -> int:
        return -(-self.size // self.piece)


class Piece(models.Model):
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    file = models.CharField(max_length=200)

    class Meta:
        ordering = ["batch", "number"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "number"], name="a_piece_is_stored_once")
        ]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.batch}"


class Upload(Job):
    """A file that somebody sent: waiting for a worker, then the outcome of its import. `done` rows of
    about `total` are read so far."""

    class Brings(models.TextChoices):
        STUDY = "study", gettext_lazy("prompts, images and the files beside them")
        LABELS = "labels", gettext_lazy("labels")
        SCORES = "scores", gettext_lazy("scores")

    KIND, WORKING_WORDS = "upload", gettext_noop("importing")
    brings = in_payload(lambda: "study")
    format = in_payload()
    # What the file was called, and where it waits.
    name = in_payload()
    file = in_payload()
    # The files, where they came in pieces.
    delivery = row_in_payload("judges.Delivery")
    # What a person stated of columns, folders, names and questions.
    choices = in_payload(dict)
    generator = in_payload()
    judge = in_payload()
    dry_run = in_payload(bool)
    strict = in_payload(bool)
    # Until it is done: where it goes on, and whether some rows after that place may be written.
    turn = in_outcome(dict)
    is_begun = in_outcome(bool)

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"

    @property
    def result(self) -> dict[str, Any]:
        """What came of it; nothing before it is done."""
        return self.outcome if self.state == self.State.DONE else {}

    @property
    def so_far(self) -> str:
        began = self.began_at
        seconds = (timezone.now() - began).total_seconds() if began is not None else 0.0
        return so_far.in_words(read=self.done, expected=self.total, seconds=seconds)

    @property
    def refused(self) -> int:
        return self.outcome.get("rejected_in_all", len(self.outcome.get("rejected", ())))

    @property
    def missing(self) -> int:
        return self.outcome.get("missing_in_all", len(self.outcome.get("missing", ())))

    @property
    def outcome_sentence(self) -> str:
        return " ".join(sentences(self.outcome))


class KnownWeights(models.Model):
    """What a worker read in a file or folder of weights: the web process does not open them."""

    path = models.CharField(max_length=300, unique=True)
    stamp = models.CharField(max_length=64, help_text="Hash of the files' names, sizes and times.")
    content = models.CharField(max_length=16)

    class Meta:
        ordering = ["path"]
        verbose_name_plural = "known weights"

    def __str__(self) -> str:
        return f"{self.path}: {self.content}"


class WeightCheck(Job):
    """A look at a judge's weights before it is started."""

    KIND, WORKING_WORDS = "weight check", gettext_noop("being checked")
    judge = in_payload()
    options = in_payload(dict)
    # The weights are loaded and tested too.
    measure = in_payload(bool)
    # What was found, by engine.
    parts = in_outcome(list)

    class Meta:
        proxy = True


class SelfCheck(Job):
    """A judge's scores of the same images before and after a change whose effect is known: no label
    is needed to see where the judge contradicts itself. `done` is the step that a worker is at."""

    KIND, WORKING_WORDS = "self-check", gettext_noop("being checked")
    judge = in_payload()
    options = in_payload(dict)
    # Images to draw for each kind of check.
    count = in_payload(int)
    seed = in_payload(int)
    # Of the judge that was found.
    fingerprint = in_outcome()
    # Scores before and after.
    pairs = in_outcome(list)
    # By check: why images could not be used, and how many.
    left_out = in_outcome(dict)

    class Meta:
        proxy = True


class AnchorScoring(Job):
    """The judge of a run scores all anchors of a set once more, without the stored looks. `done`
    images are scored so far."""

    KIND, WORKING_WORDS = "anchor scoring", gettext_noop("being checked")
    judge = in_payload()
    options = in_payload(dict)
    run = row_in_payload("judges.Run")
    anchors = row_in_payload("annotations.AnchorSet")
    # Of each image: its score or why there is none, and the model that the server names in every reply.
    scores = in_outcome(list)
    # Images whose picture is not the one of the set.
    changed_pictures = in_outcome(list)

    class Meta:
        proxy = True


class MadePicture(models.Model):
    """A picture made from one of the study's to measure a judge (`judges.cards`): known by its hash and by
    what was done, so that the same one can be made again. It is no image of the study."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="made_pictures")
    change = models.CharField(max_length=40)
    maker = models.CharField(max_length=40, help_text="Version of the code that made it.")
    sha256 = models.CharField(max_length=64, help_text="Of its size and pixels.")

    class Meta:
        ordering = ["image", "change", "maker"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "change", "maker"], name="a_picture_is_made_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.image}, {self.change}"


class MadeLook(models.Model):
    """What an engine answered about a made picture, as `Look` is about an image."""

    picture = models.ForeignKey(MadePicture, on_delete=models.CASCADE, related_name="looks")
    engine = models.CharField(max_length=16)
    want = models.CharField(max_length=16)
    asked = models.JSONField()
    told = models.JSONField(null=True)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["picture", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["picture", "engine", "want"],
                name="an_engine_is_asked_once_about_a_made_picture",
            )
        ]

    def __str__(self) -> str:
        return f"{self.picture}: {self.asked.get('kind', '')}"


class MadeScore(models.Model):
    """A judge's score of a made picture, or the reason why there is none."""

    picture = models.ForeignKey(MadePicture, on_delete=models.CASCADE, related_name="scores")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="made_scores")
    value = models.FloatField(null=True, blank=True)
    correct = models.BooleanField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["picture", "judge"]
        constraints = [
            models.UniqueConstraint(
                fields=["picture", "judge"], name="a_made_picture_is_scored_once_by_a_judge"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, error="") | Q(value__isnull=True) & ~Q(error=""),
                name="a_score_of_a_made_picture_or_why_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.picture}: {self.error or self.value}"


class Measurement(Job):
    """The judge of a run scores pictures made for its card. `done` pictures are scored so far; where
    it stops, the scores stay, and the next one goes on there."""

    KIND, WORKING_WORDS = "card", gettext_noop("being measured")
    judge = in_payload()
    options = in_payload(dict)
    run = row_in_payload("judges.Run")
    # Images to make pictures from.
    count = in_payload(int)
    # Pictures in all, and those that were scored anew.
    pictures = in_outcome(int)
    asked = in_outcome(int)

    class Meta:
        proxy = True


class PartsVersion(models.Model):
    """The parts of a study's prompts: drafted, checked by people, then frozen. One draft at a time."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="parts_versions")
    number = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=200, help_text="The grammar, or a server's model.")
    by = optional_account()
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "number"], name="versions_of_parts_are_numbered_once"
            ),
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(frozen_at__isnull=True),
                name="one_draft_of_parts_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"parts of {self.study}, version {self.number}"


class PromptParts(models.Model):
    """The parts of one prompt in a version, in the order in which they become its atoms."""

    version = models.ForeignKey(PartsVersion, on_delete=models.CASCADE, related_name="prompts")
    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="parts")
    parts = models.JSONField(default=list)
    hints = models.PositiveSmallIntegerField(default=0, help_text="Things that a person may mend.")
    is_checked = models.BooleanField(default=False)

    class Meta:
        ordering = ["version", "prompt"]
        verbose_name_plural = "parts of prompts"
        constraints = [
            models.UniqueConstraint(
                fields=["version", "prompt"], name="a_prompt_stands_once_in_a_version_of_parts"
            )
        ]

    def __str__(self) -> str:
        return f"{len(self.parts)} parts of {self.prompt}"


class ModelServer(models.Model):
    """A model of a server that an administrator has named on a page. The key is encrypted with one made
    from SECRET_KEY (`judges.servers`), and no page shows it again."""

    address = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    locked_key = models.TextField(blank=True)
    price_in = models.FloatField(null=True, blank=True, help_text="For a million tokens asked.")
    price_out = models.FloatField(null=True, blank=True, help_text="For a million tokens told.")
    daily_budget = models.FloatField(null=True, blank=True)
    added_by = optional_account()
    added_at = models.DateTimeField(auto_now_add=True)
    trial = models.JSONField(
        default=dict, blank=True, help_text="What came of asking it about a drawn picture."
    )

    class Meta:
        ordering = ["address", "model"]
        constraints = [
            models.UniqueConstraint(
                fields=["address", "model"], name="a_model_of_a_server_is_named_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.address}"


class ServerUse(models.Model):
    """Requests of judges to a server's model on one day, all workers of all machines together."""

    day = models.DateField()
    server = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    requests = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0, help_text="By the price that was known when it was asked.")

    class Meta:
        ordering = ["-day", "server", "model"]
        constraints = [
            models.UniqueConstraint(
                fields=["day", "server", "model"], name="one_count_per_day_server_and_model"
            )
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.server} on {self.day}: {self.requests} requests"
