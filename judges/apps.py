from django.apps import AppConfig


class JudgesConfig(AppConfig):
    name = "judges"

    def ready(self) -> None:
        from judges.intake import personal_data

        personal_data.listen()
