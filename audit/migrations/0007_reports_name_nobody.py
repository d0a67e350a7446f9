from django.db import migrations

from annotations.exports.pseudonyms import pseudonym

OF_PEOPLE = ("each_rater", "by_person")


def _renamed(value, study):
    if isinstance(value, list):
        return [_renamed(item, study) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {pseudonym(study, name): told for name, told in item.items()}
        if key in OF_PEOPLE and isinstance(item, dict)
        else _renamed(item, study)
        for key, item in value.items()
    }


def name_nobody(apps, schema_editor):
    """Reports that are kept call people as the exports do; their parts are made anew."""
    reports = apps.get_model("audit", "Report").objects
    for pk, study in list(reports.order_by("pk").values_list("pk", "study__slug")):
        before = reports.values_list("body", flat=True).get(pk=pk)
        after = _renamed(before, study)
        if after != before:
            reports.filter(pk=pk).update(body=after)
    apps.get_model("audit", "ReportPart").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("audit", "0006_confirmed_addresses")]
    operations = [migrations.RunPython(name_nobody, migrations.RunPython.noop)]
