from django.contrib import admin
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path

import annotations.urls
import audit.pages.urls
import judges.pages.urls
from audit import api, languages
from audit.account_pages import account, first_start, log_in, reset, search, words
from audit.doors import page as doors
from audit.installation import pages
from audit.pages import overview
from audit.pages.one_question import (
    anchors,
    assisted,
    jury,
    pairs,
    papers,
    plan,
    published_sets,
    repairs,
    self_checks,
    training,
)

study_pages = [
    *annotations.urls.study_pages,
    *judges.pages.urls.study_pages,
    *audit.pages.urls.study_pages,
    path("reports/papers/", papers.papers_page, name="papers"),
    path("labels/assisted/", assisted.assisted, name="assisted"),
    path("assisted.csv", assisted.table, name="assisted-table"),
    path("leaderboard/", doors.question, {"name": "leaderboard"}, name="leaderboard"),
    path(
        "leaderboard/<slug:chart>.<slug:kind>",
        doors.chart,
        {"name": "leaderboard"},
        name="leaderboard-chart",
    ),
    path("leaderboard.csv", doors.table, {"name": "leaderboard"}, name="leaderboard-table"),
    path(
        "leaderboard.html",
        doors.document,
        {"name": "leaderboard", "kind": "html"},
        name="leaderboard-file",
    ),
    path("agreement/", doors.question, {"name": "agreement"}, name="agreement"),
    path("agreement/people.csv", doors.table, {"name": "agreement"}, name="people-table"),
    path(
        "agreement/<slug:chart>.<slug:kind>",
        doors.chart,
        {"name": "agreement"},
        name="people-chart",
    ),
    path("labels/", plan.plan_page, name="plan"),
    path("questions/", doors.questions, name="questions"),
    path("questions/<slug:name>/", doors.question, name="question"),
    path("questions/<slug:name>.csv", doors.table, name="question-table"),
    path("questions/<slug:name>/report.<slug:kind>", doors.document, name="question-document"),
    path(
        "questions/<slug:name>/charts/<slug:chart>.<slug:kind>", doors.chart, name="question-chart"
    ),
    path("pairs/", doors.question, {"name": "pairs", "actions": pairs.show_forms}, name="pairs"),
    path("pairs/expected/", pairs.pairs_expected, name="pairs-expected"),
    path("pairs/draw/", pairs.pairs_draw, name="pairs-draw"),
    path("pairs/import/", pairs.pairs_import, name="pairs-import"),
    path("pairs/<slug:name>.csv", pairs.pairs_file, name="pairs-file"),
    path(
        "audit/judge/why/",
        doors.question,
        {"name": "why", "actions": anchors.show_anchors},
        name="why",
    ),
    path(
        "why/chart.<slug:kind>", doors.chart, {"name": "why", "chart": "causes"}, name="why-chart"
    ),
    path("why/causes.csv", doors.table, {"name": "why"}, name="why-table"),
    path("why/anchors/", anchors.make, name="anchors-make"),
    path("why/anchors/score/", anchors.score, name="anchors-score"),
    path("training-set/", training.training, name="training"),
    path("training-set/choose/", training.choose, name="training-choose"),
    path("training-set/<int:set_id>/confirm/", training.confirm, name="training-confirm"),
    path("training-set/<int:set_id>.csv", training.table, name="training-table"),
    path("why/anchors/ask/", anchors.ask, name="anchors-ask"),
    path("jury/", doors.question, {"name": "jury", "actions": jury.show_use}, name="jury"),
    path("cascade/", doors.question, {"name": "cascade"}, name="cascade"),
    path("jury/choose/", jury.choose, name="jury-choose"),
    path("jury/use/", jury.use, name="jury-use"),
    path(
        "repairs/",
        doors.question,
        {"name": "gains", "actions": repairs.show_findings},
        name="repairs",
    ),
    path("repairs/gains.csv", doors.table, {"name": "gains"}, name="repairs-table"),
    path("repairs/look/", repairs.look, name="repairs-look"),
    path("repairs/make/", repairs.make, name="repairs-make"),
    path("repairs/<int:finding_id>/", repairs.say, name="repairs-say"),
    path("runs/self-checks/", self_checks.ask, name="self-check-ask"),
    path("runs/self-checks/<int:self_check_id>/", self_checks.check, name="self-check"),
    path(
        "runs/self-checks/<int:self_check_id>.json", self_checks.check_file, name="self-check-file"
    ),
    path("people/<int:member_id>/reset-link/", reset.make, name="reset-link"),
]

handler500 = "audit.installation.pages.server_error"

urlpatterns = [
    path("", pages.home, name="home"),
    path("language/", languages.choose_language, name="language"),
    path("search/", search.search, name="search"),
    path("demo/", pages.make_demo, name="demo-make"),
    path("first-start/", first_start.first_start, name="first-start"),
    path("login/", log_in.LogIn.as_view(), name="login"),
    path("forgot/", reset.forgot, name="forgot"),
    path(
        "reset/<slug:uidb64>/<slug:token>/",
        login_not_required(reset.Reset.as_view()),
        name="password-reset",
    ),
    path("login/code/", log_in.code, name="login-code"),
    path("single-sign-on/", log_in.sign_on, name="single-sign-on"),
    path("single-sign-on/back/", log_in.signed_on, name="single-sign-on-back"),
    path("account/", account.account, name="account"),
    path("account/email/", account.email, name="account-email"),
    path("account/email/letter/", account.email_letter, name="account-email-letter"),
    path("account/email/<str:key>/", account.email_confirm, name="account-email-confirm"),
    path("account/password/", account.password, name="account-password"),
    path("account/tokens/", account.token_make, name="account-token-make"),
    path("account/tokens/<int:token_id>/end/", account.token_end, name="account-token-end"),
    path("account/second-factor/", account.factor_begin, name="account-factor-begin"),
    path("account/second-factor/on/", account.factor_on, name="account-factor-on"),
    path("account/second-factor/off/", account.factor_off, name="account-factor-off"),
    path(
        "account/log-out-everywhere/",
        account.log_out_everywhere,
        name="account-log-out-everywhere",
    ),
    path("test-judge/", published_sets.published_sets, name="test-judge"),
    path("words/", words.show_words, name="words"),
    path("tour/", overview.tour, name="tour"),
    path("tour/close/", overview.close_tour, name="tour-close"),
    path("events/", account.events, name="installation-events"),
    path("logout/", login_not_required(auth.LogoutView.as_view()), name="logout"),
    *annotations.urls.pages,
    path("healthz", pages.healthz, name="healthz"),
    path("readyz", pages.readyz, name="readyz"),
    path("metrics", pages.metrics, name="metrics"),
    *judges.pages.urls.pages,
    path("studies/<slug:slug>/", include(study_pages)),
    path("charts/vega-embed.js", pages.vega_embed, name="vega"),
    path("api/v1/", include(api.urlpatterns)),
    path("admin/login/", log_in.AdminLogIn.as_view(), name="admin-login"),
    path("admin/", admin.site.urls),
]
