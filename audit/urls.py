from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from annotations import managing_views as managing
from annotations.pages import join as inviting
from annotations.pages import label as annotations
from annotations.pages.form import form_edit
from audit import api
from audit.installation import pages as views
from audit.installation.lockout import LogInForm
from audit.pages.urls import audit_pages
from judges.pages import imports as upload_views
from judges.pages import runs as judges

study_pages = [
    path("", annotations.study, name="study"),
    path("form/", form_edit, name="form-edit"),
    path("label/", annotations.label, name="label"),
    path("label/undo/", annotations.undo, name="label-undo"),
    path("label/skip/", annotations.skip, name="label-skip"),
    path("label/flag/", annotations.flag, name="label-flag"),
    path("label/answers/", annotations.answers, name="label-answers"),
    path("label/answers/<slug:public_id>/", annotations.answered, name="label-answered"),
    path("label/release/", annotations.release, name="label-release"),
    path("label/alive/", annotations.alive, name="label-alive"),
    path("finished/", inviting.finished, name="finished"),
    path("manage/", managing.manage, name="manage"),
    path("manage/change/", managing.change, name="manage-change"),
    path("events/", managing.events, name="events"),
    path("people/", managing.people, name="people"),
    path("people/invite/", managing.invite, name="invite"),
    path(
        "people/invitations/<int:invitation_id>/close/",
        managing.close_invitation,
        name="invitation-close",
    ),
    path("people/<int:member_id>/", managing.person, name="person"),
    path("flags/", managing.flags, name="flags"),
    path("flags/<int:flag_id>/", managing.flag_change, name="flag-change"),
    path("disagreements/", managing.disagreements, name="disagreements"),
    path("disagreements/<slug:public_id>/", managing.disagreement, name="disagreement"),
    path("disagreements/<slug:public_id>/gold/", managing.gold, name="gold"),
    path("imports/", upload_views.imports, name="imports"),
    path("runs/", judges.runs, name="runs"),
    path("runs/start/", judges.start, name="run-start"),
    path("runs/judges/", judges.judges, name="run-judges"),
    path("runs/start/<str:judge>/", judges.options, name="run-options"),
    path("looks/<slug:public_id>/", judges.look, name="look"),
    path("runs/<int:run_id>/cancel/", judges.cancel, name="run-cancel"),
    path("runs/<int:run_id>/resume/", judges.resume, name="run-resume"),
    path("runs/<int:run_id>/failures/", judges.failures, name="run-failures"),
    *audit_pages,
]

urlpatterns = [
    path("", views.home, name="home"),
    path(
        "login/",
        auth.LoginView.as_view(redirect_authenticated_user=True, authentication_form=LogInForm),
        name="login",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("join/<str:token>/", inviting.join, name="join"),
    path("crowd/<str:token>/", inviting.crowd, name="crowd"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("images/<slug:public_id>/", annotations.image_file, name="image"),
    path("studies/<slug:slug>/", include(study_pages)),
    path("charts/vega-embed.js", views.vega_embed, name="vega"),
    path("api/v1/", include(api.urlpatterns)),
    path("admin/", admin.site.urls),
]
