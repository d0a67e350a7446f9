import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
application = get_wsgi_application()
# Here people wait: a statement that takes long is an error, not a page that never comes.
connections.settings["default"]["OPTIONS"] |= settings.WEB_DATABASE_OPTIONS
# Views, statistics and charts are imported now, not while the first visitor waits.
_ = get_resolver().url_patterns
for name in ("altair", "audit.celery", "audit.tasks"):
    import_module(name)
