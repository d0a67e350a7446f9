from django.db import models


class FormVersion(models.Model):
    """The questions as people saw them. Never changed: other words are a new version.

    `definition` is a `Form` as plain data; `digest` is its hash.
    """

    slug = models.SlugField(max_length=80)
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=200)
    definition = models.JSONField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug", "version"], name="one_form_per_slug_and_version"
            ),
            models.UniqueConstraint(
                fields=["slug", "digest"], name="the_same_words_are_the_same_version"
            ),
        ]

    def __str__(self) -> str:
        # One that labels from elsewhere name has no version.
        return f"{self.slug} v{self.version}" if self.version else self.title

    @property
    def questions(self) -> list[dict]:
        return self.definition["questions"]
