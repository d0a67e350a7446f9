from django.apps import AppConfig
from django.conf import settings

from jurybox_formats import plugins


class AnnotationsConfig(AppConfig):
    name = "annotations"

    def ready(self) -> None:
        plugins.read_names_from(lambda: settings.JUDGE_PLUGINS)
