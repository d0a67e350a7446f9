from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        # The Celery app becomes the current one by being imported; without it, messages of this
        # process would go to Celery's own default broker instead of ours.
        from audit import celery, tasks  # noqa: F401
        from audit.accounts import personal_data, trail
        from audit.installation import checks, tables  # noqa: F401

        tasks.listen()
        trail.listen()
        personal_data.listen()
        tables.listen(self)
