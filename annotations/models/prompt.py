from django.db import models
from django.db.models import Q

from annotations.models.study import Study
from annotations.random_keys import new_public_id


class Prompt(models.Model):
    # The index of its own below serves this, too.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="prompts", db_index=False
    )
    key = models.CharField(max_length=200)
    text = models.TextField()
    tags = models.JSONField(default=list, blank=True)
    # Of prompts made alike, by one template: their images are no independent evidence.
    family = models.CharField(max_length=200, blank=True, default="", db_default="")
    atomicity = models.PositiveSmallIntegerField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    # How many pictures it has: most prompts have none, and nobody looks for them.
    picture_count = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        ordering = ["study", "key"]
        # The newest of a study is found without reading the others.
        indexes = [models.Index(fields=["study", "id"], name="prompts_of_a_study")]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], name="a_key_stands_for_one_prompt_of_a_study"
            )
        ]

    def __str__(self) -> str:
        return self.text


class Atom(models.Model):
    """One checkable part of a prompt: object, attribute, count, position, verb, …"""

    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="atoms")
    index = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=40)
    text = models.TextField(blank=True)
    question = models.TextField(blank=True)
    expected = models.CharField(max_length=200, default="Yes")
    parents = models.JSONField(
        default=list, blank=True, help_text="Indices of the atoms that this one rests on."
    )

    class Meta:
        ordering = ["prompt", "index"]
        constraints = [
            models.UniqueConstraint(
                fields=["prompt", "index"], name="an_index_stands_for_one_atom_of_a_prompt"
            )
        ]

    def __str__(self) -> str:
        return self.text or self.question


class PromptPicture(models.Model):
    """A picture that belongs to a prompt: what an edit begins with, a subject to be drawn, a mask.

    An image is still one result. `place` is source, reference or mask; further pictures of the same kind are
    numbered: `reference-2`.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="prompt_pictures")
    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="pictures")
    place = models.CharField(max_length=40)
    public_id = models.CharField(max_length=22, unique=True, default=new_public_id, editable=False)
    file = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    class Meta:
        ordering = ["prompt", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["prompt", "place"], name="a_place_holds_one_picture_of_a_prompt"
            ),
            models.CheckConstraint(
                condition=~Q(file="") & Q(width__gt=0) & Q(height__gt=0),
                name="a_prompt_picture_has_a_file_and_a_size",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.place} of {self.prompt_id}"

    @property
    def kind(self) -> str:
        """Of several references each is a reference."""
        return self.place.partition("-")[0]
