from django.apps import AppConfig
from django.db.models.signals import post_save
from django.dispatch import Signal

from annotations.signals import answer_requested, connect_later, people_renamed
from judges.signals import scores_changed


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        from audit.accounts import personal_data
        from audit.installation import checks, server_errors, tables  # noqa: F401

        personal_data.listen()
        tables.listen(self)
        server_errors.listen()
        for signal, place in later_listeners():
            connect_later(signal, place)
        connect_later(post_save, "audit.accounts.trail:note_changed_account", sender="auth.User")


def later_listeners() -> list[tuple[Signal, str]]:
    """Their modules load the workers' tasks, and half the project with them."""
    from django.contrib.auth.signals import user_logged_in

    return [
        (people_renamed, "audit.tasks:forget_names_in_reports"),
        (scores_changed, "audit.questions.jury.adopt:follow_members"),
        (scores_changed, "audit.tasks:call_for_report"),
        (answer_requested, "audit.tasks:call_for_answer"),
        (user_logged_in, "audit.accounts.trail:note_log_in"),
    ]
