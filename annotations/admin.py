from django.contrib import admin

from annotations import models


@admin.register(models.Study)
class StudyAdmin(admin.ModelAdmin):
    list_display = ["title", "slug", "form", "status", "overlap"]


@admin.register(models.Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["name", "study", "role", "simulated"]
    list_filter = ["role", "study"]
    raw_id_fields = ["user"]
