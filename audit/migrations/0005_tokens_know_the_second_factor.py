from django.db import migrations, models


def keep_tokens_of_accounts_with_one(apps, schema_editor):
    """Their tokens were asked for the code, or made in a session that was."""
    users = apps.get_model("audit", "SecondFactor").objects.exclude(confirmed_at=None)
    tokens = apps.get_model("audit", "ApiToken").objects
    tokens.filter(user__in=users.values("user")).update(second_factor_shown=True)


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_counts_are_answers")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="second_factor_shown",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Made by somebody who had shown one.",
            ),
        ),
        migrations.RunPython(keep_tokens_of_accounts_with_one, migrations.RunPython.noop),
    ]
