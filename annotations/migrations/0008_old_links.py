"""Links and removals from before there were uses: what they may still do.

- A crowd's link has no number of uses.
- Links that make owners or researchers are closed: who holds them is not known.
- A link for annotators lets one more person in.
- Whoever was removed is found by the name of their account, so that no link lets them in again.
- Whoever was erased counts as removed: nobody else may answer under what is left of them.
"""

import re

from django.db import migrations
from django.db.models import Count
from django.utils import timezone

NUMBERED = re.compile(r" \(\d+\)$")


def decide(apps, editor):
    now = timezone.now()
    links = apps.get_model("annotations", "Invitation").objects
    links.filter(kind="crowd").update(uses=None)
    for link in links.filter(kind="person").annotate(came=Count("members")).order_by("pk"):
        link.used, link.uses = link.came, max(1, link.came)
        if link.role == "owner":
            link.used, link.uses = min(1, link.came), 1
        if link.closed_at is None and link.role == "annotator":
            link.uses = link.came + 1
        elif link.closed_at is None:
            link.closed_at = now
        link.save(update_fields=["used", "uses", "closed_at"])
    members = apps.get_model("annotations", "Membership").objects
    accounts = apps.get_model("auth", "User").objects
    for gone in members.filter(removed_at__isnull=False, user=None).order_by("pk"):
        name = gone.name
        account = (
            accounts.filter(username=name).first()
            or accounts.filter(username=NUMBERED.sub("", name)).first()
        )
        if account is not None:
            gone.removed_account = account
            gone.save(update_fields=["removed_account"])
    erased = members.filter(removed_at=None, user=None, name__regex="^erased-[0-9a-f]{8}$")
    erased.update(removed_at=now)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0007_people_links_and_retention"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunPython(decide, migrations.RunPython.noop)]
