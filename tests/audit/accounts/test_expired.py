"""What has run out is deleted by the worker's regular round; what is valid stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations.models import RateCount
from audit import celery, tasks
from audit.models import ApiToken, WrongPassword
from tests import making

pytestmark = pytest.mark.django_db


def test_expired_sessions_tokens_and_counts_are_deleted_and_nothing_else(client):
    user = get_user_model().objects.create_user("dora")
    now = timezone.now()
    client.force_login(user)
    Session.objects.create(session_key="old", expire_date=now - timedelta(days=1))
    making.token(user)
    making.token(user)
    ApiToken.objects.filter(pk=ApiToken.objects.first().pk).update(expires_at=now)
    WrongPassword.objects.create(key="old", wait_until=now - timedelta(days=2))
    WrongPassword.objects.create(key="new", wait_until=now)
    RateCount.objects.create(key="old", used_until=now.timestamp() - 1)
    RateCount.objects.create(key="new", used_until=now.timestamp() + 60)
    tasks.delete_expired_task()
    assert Session.objects.count() == ApiToken.objects.count() == 1
    assert WrongPassword.objects.get().key == RateCount.objects.get().key == "new"
    assert client.get("/").status_code == 200


def test_the_worker_does_it_regularly():
    assert celery.PERIODIC["audit.tasks.delete_expired_task"] <= 3600
