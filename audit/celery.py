"""The worker: `celery -A audit worker -B` with every broker.

Messages only wake it. What has to be done, and who holds it until when, are rows in the database.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
app = Celery("jurybox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
