from django.db import models
from django.db.models import Q

from annotations.models.study import Study, optional_account
from annotations.random_keys import new_public_id


class ExamplePicture(models.Model):
    """A picture that an owner brought for an example of the study's questions.

    A form names it by `public_id`, and versions are never changed: so a picture stays as long as
    its study, also when no version names it any more.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="example_pictures")
    public_id = models.CharField(max_length=22, unique=True, default=new_public_id, editable=False)
    file = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    added_by = optional_account()
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "sha256"], name="a_study_has_an_example_picture_once"
            ),
            models.CheckConstraint(
                condition=~Q(file="") & Q(width__gt=0) & Q(height__gt=0),
                name="an_example_picture_has_a_file_and_a_size",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
