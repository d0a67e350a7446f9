"""Accounts and groups in Django's administration: each change leaves an event for superusers."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from annotations import event_log
from annotations.admin import changes_in_words
from audit.models import SecondFactor

# What says who somebody is.
UNSAID = {"username", "first_name", "last_name", "email", "password"}

admin.site.unregister([User, Group])


class Tells(admin.ModelAdmin):
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        words = changes_in_words(form, unsaid=UNSAID) if change else "made"
        if words:
            self.tell(
                f"changed {self.what(obj)}: {words}" if change else f"made {self.what(obj)}", obj
            )

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.tell(f"deleted {self.what(obj)}", None)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        for obj in queryset:
            self.tell(f"deleted {self.what(obj)}", None)
        super().delete_queryset(request, queryset)

    def what(self, obj: Any) -> str:
        return f"the {obj._meta.verbose_name} #{obj.pk}"

    def tell(self, words: str, obj: Any) -> None:
        account = obj if isinstance(obj, User) else None
        event_log.note_account("administration", f"in the administration: {words}", account=account)


@admin.register(User)
class AccountAdmin(Tells, UserAdmin):
    pass


@admin.register(Group)
class TellingGroupAdmin(Tells, GroupAdmin):
    pass


@admin.register(SecondFactor)
class SecondFactorAdmin(Tells):
    """For somebody who has lost the phone and the recovery codes: it can be taken off here."""

    list_display = ["user", "confirmed_at"]
    fields = ["user", "confirmed_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def what(self, obj: Any) -> str:
        return f"the second factor of the user #{obj.user_id}"
