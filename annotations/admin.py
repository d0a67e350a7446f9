"""Django's administration, for what the pages have no button for. Each change leaves an event.

Studies are made by imports and removed by `manage.py delete_study`; people are removed on the study's
page, which keeps their answers. So neither is added or deleted here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest

from annotations import event_log, models


def changes_in_words(form: ModelForm, *, unsaid: set[str]) -> str:
    """Which fields changed, from what to what; of those in `unsaid`, only that they did."""
    words = []
    for name in form.changed_data:
        label = name.replace("_", " ")
        before, after = form.initial.get(name), form.cleaned_data.get(name)
        if name in unsaid or isinstance(before, list):
            words.append(label)
        elif (old := _short(before)) != (new := _short(getattr(after, "pk", after))):
            words.append(f"{label} from {old} to {new}")
    return ", ".join(words)


def _short(value: Any) -> str:
    if isinstance(value, datetime):
        value = value.replace(microsecond=0)  # forms know no smaller parts
    text = "nothing" if value in (None, "") else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


@admin.register(models.Study)
class StudyAdmin(admin.ModelAdmin):
    list_display = ["title", "slug", "form", "status", "overlap"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        words = changes_in_words(form, unsaid={"title", "description"})
        if words:
            event_log.note(obj, "administration", f"changed in the administration: {words}")


@admin.register(models.Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["name", "study", "role", "simulated"]
    list_filter = ["role", "study"]
    raw_id_fields = ["user"]
    # What the program keeps for itself.
    exclude = ["walk", "session_key"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        # Events hold no names of people; whom it is about is a key.
        words = changes_in_words(form, unsaid={"name", "worker", "user"})
        if not change:
            words = f"added in the administration as {obj.role}"
        elif words:
            words = f"changed in the administration: {words}"
        if words:
            event_log.note(obj.study_id, "administration", words, about=obj)
