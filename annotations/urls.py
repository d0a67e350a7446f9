"""The addresses of the label pages and of the owner's pages."""

from django.urls import path

from annotations.pages import (
    answers,
    crowd,
    deletion,
    disagreements,
    events,
    flags,
    images,
    join,
    label,
    people,
    study,
    study_settings,
)
from annotations.pages.form import form_edit

study_pages = [
    path("", study.study, name="study"),
    path("form/", form_edit, name="form-edit"),
    path("label/", label.label, name="label"),
    path("label/undo/", label.undo, name="label-undo"),
    path("label/skip/", label.skip, name="label-skip"),
    path("label/flag/", label.flag, name="label-flag"),
    path("label/answers/", answers.answers, name="label-answers"),
    path("label/answers/<slug:public_id>/", label.answered, name="label-answered"),
    path("label/release/", label.release, name="label-release"),
    path("label/alive/", label.alive, name="label-alive"),
    path("finished/", crowd.finished, name="finished"),
    path("manage/", study_settings.manage, name="manage"),
    path("manage/change/", study_settings.change, name="manage-change"),
    path("manage/retention/", study_settings.retain, name="retention"),
    path("manage/delete/", deletion.delete, name="study-delete"),
    path("events/", events.events, name="events"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path(
        "people/invitations/<int:invitation_id>/close/",
        people.close_invitation,
        name="invitation-close",
    ),
    path(
        "people/invitations/<int:invitation_id>/places/",
        people.set_places,
        name="invitation-places",
    ),
    path("people/<int:member_id>/", people.person, name="person"),
    path("flags/", flags.flags, name="flags"),
    path("flags/<int:flag_id>/", flags.flag_change, name="flag-change"),
    path("disagreements/", disagreements.disagreements, name="disagreements"),
    path("disagreements/<slug:public_id>/", disagreements.disagreement, name="disagreement"),
    path("disagreements/<slug:public_id>/gold/", disagreements.gold, name="gold"),
]

pages = [
    path("join/<str:token>/", join.join, name="join"),
    path("crowd/<str:token>/", crowd.crowd, name="crowd"),
    path("images/<slug:public_id>/", images.image_file, name="image"),
    path("deletions/<int:deletion_id>/again/", deletion.try_again, name="deletion-again"),
]
