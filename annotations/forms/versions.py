"""Forms become rows here: the same words are the same version, changed words are the next one."""

from django.db import transaction
from django.db.models import Max

from annotations.forms.question import Form
from annotations.models import FormVersion


@transaction.atomic
def publish_form(form: Form) -> FormVersion:
    known = FormVersion.objects.filter(slug=form.slug, digest=form.digest).first()
    if known:
        return known
    latest = FormVersion.objects.filter(slug=form.slug).aggregate(Max("version"))["version__max"]
    return FormVersion.objects.create(
        slug=form.slug,
        version=(latest or 0) + 1,
        title=form.title,
        definition=form.definition(),
        digest=form.digest,
    )
