import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
application = get_wsgi_application()
# Views, statistics and charts are imported now, not while the first visitor waits.
_ = get_resolver().url_patterns
