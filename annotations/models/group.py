from django.db import models

from annotations.models.selection import Selection
from annotations.models.study import Study


class Group(models.Model):
    """People of a study who get a part of its images: those of a selection, or all but those.

    Who is in no group gets all images.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=80)
    selection = models.ForeignKey(Selection, on_delete=models.CASCADE, related_name="groups")
    inside = models.BooleanField(
        default=True, help_text="They get the images of the selection; else all but these."
    )

    class Meta:
        ordering = ["study", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_group_of_a_study"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def images_in_words(self) -> str:
        name = f"“{self.selection.name}”"
        return f"the images of {name}" if self.inside else f"all images but those of {name}"
