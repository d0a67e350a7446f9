from django.db import models

from annotations.models.study import Study


class Prompt(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="prompts")
    key = models.CharField(max_length=200)
    text = models.TextField()
    tags = models.JSONField(default=list, blank=True)
    atomicity = models.PositiveSmallIntegerField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["study", "key"]
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
