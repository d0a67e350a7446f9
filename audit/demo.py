"""Makes the demo study: images of the built-in bench, labelled by simulated people."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from annotations.benchmarks.builtin import study as builtin
from annotations.forms.papers import geneval_audit
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Membership, Study

SLUG = "demo"
JUDGES = ("geneval-builtin", "soft-tifa-gm-builtin")
# Three simulated people have answered; two more people can label every image.
RATERS = 3
OVERLAP = 5
PEOPLE = {
    "owner": Membership.Role.OWNER,
    "researcher": Membership.Role.RESEARCHER,
    "annotator": Membership.Role.ANNOTATOR,
}


def build_demo(*, prompts: int, generators: int, size: int, seed: int) -> Study:
    """Make what is missing of the demo study and keep what is there."""
    form = publish_form(geneval_audit.FORM)
    study, _ = Study.objects.get_or_create(
        slug=SLUG,
        defaults={
            "title": "Demo: shapes and colours",
            "description": (
                "Simulated: programs drew the images and gave the answers. Six imaginary "
                "generators, each released later and drawing less plainly than the one before."
            ),
            "form": form,
            "overlap": OVERLAP,
            "simulated": True,
        },
    )
    records = builtin.study(
        prompts=prompts, generators=generators, size=size, seed=seed, raters=RATERS
    )
    write_study.import_records(study=study, records=records, outcome=Outcome(), simulated=True)
    return study


@transaction.atomic
def demo_logins(study: Study) -> dict[str, str]:
    """Names and passwords of three people, made once and kept beside the data."""
    file = Path(settings.VAR_DIR) / "demo_logins.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    logins = {}
    for name, role in PEOPLE.items():
        user, created = get_user_model().objects.get_or_create(username=name)
        password = known.get(name) or secrets.token_urlsafe(9)
        if created or not user.check_password(password):
            user.set_password(password)
            user.save()
        Membership.objects.get_or_create(
            study=study, user=user, defaults={"name": name, "role": role}
        )
        logins[name] = password
    if logins != known:
        file.touch(mode=0o600)
        file.write_text(json.dumps(logins))
    return logins
