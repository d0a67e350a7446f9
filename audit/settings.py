"""All settings, and the only reader of the environment.

Without any variable Jurybox runs embedded: SQLite, messages in files instead of a broker, a secret
key of its own under `var/` (installed from a wheel: in the user's data folder), reachable from this
machine only. Once ALLOWED_HOSTS names another host it is in production, and refuses to start with
anything unsafe or missing.
"""

import os
import re
import secrets
import sys
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
# In a clone the pages' files lie beside the apps; a wheel carries them in `jurybox/`.
IN_CLONE = (BASE_DIR / "manage.py").exists()
PAGES_DIR = BASE_DIR if IN_CLONE else BASE_DIR / "jurybox"
LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}


def _flag(name: str) -> bool:
    text = os.environ.get(name, "")
    if text not in {"True", "False", ""}:
        raise ImproperlyConfigured(f"{name} is {text!r}; write True or False, or leave it out.")
    return text == "True"


def _list(name: str, default: str) -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "") or str(default)
    if not text.isdigit():
        raise ImproperlyConfigured(f"{name} is {text!r}; write a whole number.")
    return int(text)


def _network(entry: str, name: str = "TRUSTED_PROXIES") -> IPv4Network | IPv6Network:
    try:
        network = ip_network(entry)
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} holds {entry!r}; write addresses or networks like 127.0.0.1 or "
            "10.0.3.0/24, with commas between them."
        ) from None
    if network.prefixlen == 0:
        raise ImproperlyConfigured(
            f"{name} holds {entry!r}, which is everybody; name those that are meant."
        )
    return network


def _amount(text: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise ValueError(text)
    return float(text)


def _money(name: str) -> float | None:
    text = os.environ.get(name, "").strip()
    try:
        return _amount(text) if text else None
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {text!r}; write an amount like 20.50.") from None


def _price(entry: str) -> tuple[str, tuple[float, float]]:
    model, _, prices = entry.rpartition("=")
    try:
        asked, answered = prices.split("/")
        return model.strip(), (_amount(asked.strip()), _amount(answered.strip()))
    except ValueError:
        raise ImproperlyConfigured(
            f"JUDGE_PRICES holds {entry!r}; write model=in/out, each for a million tokens, "
            "like gpt-4o=2.50/10."
        ) from None


def _limits(own: str, *, statement: str, lock: str) -> str:
    """Time limits of a PostgreSQL session; what DATABASE_URL says itself comes last and wins."""
    limits = {
        "statement_timeout": statement,
        "lock_timeout": lock,
        "idle_in_transaction_session_timeout": "10min",
    }
    return " ".join([*(f"-c {name}={value}" for name, value in limits.items()), own]).strip()


def _plugin(entry: str) -> tuple[str, str]:
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}=[A-Za-z_][\w.]*:[A-Za-z_]\w*", entry):
        raise ImproperlyConfigured(
            f"JUDGE_PLUGINS holds {entry!r}; write name=module:function, with commas between them."
        )
    name, _, path = entry.partition("=")
    return name, path


# How many seconds the signed address of an image in a bucket is valid.
ADDRESS_SECONDS = 300


def _bucket(text: str) -> dict[str, object]:
    """The options of the bucket; empty without one."""
    if not text:
        return {}
    parts = urlsplit(text)
    query = dict(parse_qsl(parts.query))
    if parts.scheme != "s3" or not parts.hostname or not query.keys() <= {"endpoint", "region"}:
        raise ImproperlyConfigured(
            "MEDIA_BUCKET cannot be read; write s3://bucket?endpoint=https://host&region=name, "
            "where both words after the question mark may be left out."
        )
    options: dict[str, object] = {"bucket_name": parts.hostname, "location": parts.path.strip("/")}
    options |= {"querystring_expire": ADDRESS_SECONDS, "default_acl": None, "file_overwrite": True}
    options |= {"signature_version": "s3v4", "region_name": query.get("region", "us-east-1")}
    if "endpoint" in query:
        options |= {"endpoint_url": query["endpoint"], "addressing_style": "path"}
    return options


def _storage(bucket: dict[str, object]) -> dict[str, object]:
    """Where images and uploads are kept: the bucket, or without one the folder MEDIA_ROOT."""
    if bucket:
        return {"BACKEND": "annotations.storage.bucket.Bucket", "OPTIONS": bucket}
    return {"BACKEND": "annotations.storage.folder.Folder"}


def _origin(bucket: dict[str, object]) -> str:
    """Where browsers load images from, for the Content-Security-Policy."""
    if "endpoint_url" in bucket:
        parts = urlsplit(str(bucket["endpoint_url"]))
        return f"{parts.scheme}://{parts.netloc}"
    return f"https://{bucket['bucket_name']}.s3.{bucket['region_name']}.amazonaws.com"


def _provider(text: str) -> dict[str, str]:
    """Issuer, client and secret of single sign-on; empty without it."""
    if not text:
        return {}
    parts = urlsplit(text)
    near = parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost", "::1"}
    usable = parts.hostname and parts.username and parts.password
    if not (usable and (parts.scheme == "https" or near)) or parts.query or parts.fragment:
        # The text holds the secret, so it is not shown.
        raise ImproperlyConfigured(
            "OIDC_PROVIDER cannot be read; write https://client:secret@issuer, the issuer with its "
            "path, and characters like / or @ of client and secret as %2F or %40."
        )
    return {
        "issuer": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}",
        "client_id": unquote(parts.username or ""),
        "secret": unquote(parts.password or ""),
    }


def _mail(text: str) -> dict[str, object]:
    """Host, port, log-in, encryption and sender of mail; empty without it."""
    if not text:
        return {}
    parts = urlsplit(text)
    sender = dict(parse_qsl(parts.query)).get("from", "")
    kinds = {
        "smtp": (25, False, False),
        "smtp+tls": (587, True, False),
        "smtps": (465, False, True),
    }
    try:
        usual, starts_tls, is_tls = kinds[parts.scheme]
        port = parts.port or usual
    except (KeyError, ValueError):
        port = 0
    if not port or not parts.hostname or not re.fullmatch(r"[^@\s]+@[^@\s]+", sender):
        # The text holds the password, so it is not shown.
        raise ImproperlyConfigured(
            "EMAIL_URL cannot be read; write smtp+tls://user:password@host:587?from=jury@lab.example "
            "(or smtps://, or smtp:// without encryption). Write characters like / or @ of user and "
            "password as %2F or %40."
        )
    return {
        "host": parts.hostname,
        "port": port,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "starts_tls": starts_tls,
        "is_tls": is_tls,
        "from": sender,
    }


def _own_folder() -> Path:
    """Where an installed Jurybox keeps its data: the folder that the system has for such things."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "jurybox"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "") or home / "AppData" / "Local") / "jurybox"
    # The rule of XDG: a path that is not absolute does not count.
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else home / ".local" / "share") / "jurybox"


_kept = os.environ.get("JURYBOX_VAR", "")
VAR_DIR = Path(_kept) if _kept else BASE_DIR / "var" if IN_CLONE else _own_folder()
DEBUG = _flag("DEBUG")
ALLOWED_HOSTS = _list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
PORT = _number("PORT", 8000)
IN_PRODUCTION = not set(ALLOWED_HOSTS) <= LOOPBACK

if IN_PRODUCTION and DEBUG:
    raise ImproperlyConfigured(
        "DEBUG is True while ALLOWED_HOSTS names a host that others can reach. "
        "Set DEBUG to False, or ALLOWED_HOSTS to 127.0.0.1."
    )
if IN_PRODUCTION and "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is '*'; name the hosts that Jurybox answers for.")
# Probes (healthz, readyz, metrics) go by these names, whatever address they called.
ALLOWED_HOSTS += sorted(LOOPBACK - set(ALLOWED_HOSTS))

# Only these say truly who asks and over which scheme; without one, nothing forwarded is believed.
TRUSTED_PROXIES = [_network(entry) for entry in _list("TRUSTED_PROXIES", "")]
# Networks behind the firewall that webhooks may be sent to; public addresses always may.
WEBHOOK_NETWORKS = [_network(entry, "WEBHOOK_NETWORKS") for entry in _list("WEBHOOK_NETWORKS", "")]
# How long and how far browsers insist on https, once they have seen it: a name of this table.
_HSTS = {"no": (0, False, False), "host": (365, False, False)}
_HSTS |= {"subdomains": (365, True, False), "preload": (365, True, True)}
HSTS = os.environ.get("HSTS", "") or "host"
if HSTS not in _HSTS:
    raise ImproperlyConfigured(f"HSTS is {HSTS!r}; write no, host, subdomains or preload.")


def _secret_key() -> str:
    given = os.environ.get("SECRET_KEY", "")
    if given and len(given) < 50:
        raise ImproperlyConfigured("SECRET_KEY has fewer than 50 characters; choose a longer one.")
    if given:
        return given
    if IN_PRODUCTION:
        raise ImproperlyConfigured(
            "SECRET_KEY is missing. ALLOWED_HOSTS names a host that others can reach, "
            "so set SECRET_KEY to at least 50 random characters."
        )
    # Embedded: each installation makes its own key once, readable only by its owner.
    file = VAR_DIR / "secret_key"
    try:
        return file.read_text()
    except FileNotFoundError:
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"secret_key.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            # A link never overwrites: of two processes that start together, the first one wins.
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return file.read_text()


SECRET_KEY = _secret_key()
# Where the key is kept; None where the environment gives it.
SECRET_KEY_FILE = None if os.environ.get("SECRET_KEY") else VAR_DIR / "secret_key"

# Locks the keys of model servers; without it SECRET_KEY does. Judges on a machine of their own know this one alone.
MODEL_SERVER_KEY = os.environ.get("MODEL_SERVER_KEY", "")
if MODEL_SERVER_KEY and len(MODEL_SERVER_KEY) < 50:
    raise ImproperlyConfigured(
        "MODEL_SERVER_KEY has fewer than 50 characters; choose a longer one."
    )

# With which cards are signed: it stays when SECRET_KEY changes. The public keys of before stay ours.
CARD_KEY = os.environ.get("CARD_KEY", "")
CARD_KEYS_BEFORE = _list("CARD_KEYS_BEFORE", "")
for _key in filter(None, (CARD_KEY, *CARD_KEYS_BEFORE)):
    if not re.fullmatch("[0-9a-f]{64}", _key):
        raise ImproperlyConfigured(
            "CARD_KEY and each of CARD_KEYS_BEFORE have 64 characters, 0 to 9 and a to f."
        )

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "annotations",
    "judges",
    "audit",
]

MIDDLEWARE = [
    "audit.installation.proxies.BelievesNamedProxies",
    "audit.installation.request_log.RequestLog",
    "audit.installation.proxies.SaysWhatIsMissing",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "audit.installation.compression.Compresses",
    "audit.installation.security.ContentSecurityPolicy",
    "audit.installation.security.KeptNowhere",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "audit.languages.SpeaksLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "audit.accounts.lockout.RemembersBrowsers",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "audit.accounts.second_factor.AsksForIt",
    "django_htmx.middleware.HtmxMiddleware",
    "audit.installation.read_only.ReadOnly",
    "audit.accounts.route_limits.RouteLimits",
    "annotations.middleware.RefusalsAsPages",
    "annotations.middleware.KnowsWhoAsks",
    "annotations.api.etags.SendsNothingTwice",
    "annotations.middleware.LoginRequired",
]

CSRF_FAILURE_VIEW = "audit.installation.pages.out_of_date"
ROOT_URLCONF = "audit.urls"
WSGI_APPLICATION = "audit.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PAGES_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "audit.template_words.LoadByLanguage",
                            [
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # The templates of every app get the navigation without importing it.
            "libraries": {
                "glossary": "audit.words.glossary",
                "languages": "audit.languages",
                "navigation": "audit.navigation",
                "prompt_pictures": "annotations.forms.prompt_pictures",
            },
            # `translate` and `blocktranslate` everywhere, without a line that loads them.
            "builtins": ["django.templatetags.i18n", "audit.template_words"],
        },
    }
]

# --- Storage ------------------------------------------------------------------------------------

# True: pages answer, nothing but a log-in is taken.
READ_ONLY = _flag("READ_ONLY")

DATABASE_URL = os.environ.get("DATABASE_URL", "") or f"sqlite:///{VAR_DIR / 'jurybox.sqlite3'}"
try:
    DATABASES = {"default": dj_database_url.parse(DATABASE_URL, conn_max_age=60)}
except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError):
    # For a password with a “/” in it, the parser's message contains half of the password.
    raise ImproperlyConfigured(
        "DATABASE_URL cannot be read; write postgres://user:password@host/name or sqlite:///path."
    ) from None
WEB_DATABASE_OPTIONS: dict[str, str] = {}
# True behind PgBouncer in transaction mode: nothing may rest on what a session remembers.
DATABASE_POOLED = _flag("DATABASE_POOLED")
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Django's own, with a queue for writers.
    DATABASES["default"]["ENGINE"] = "audit.installation.sqlite"
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    _mode = DATABASES["default"].get("OPTIONS", {}).get("mode", "")
    if _mode not in {"", "ro"} or (_mode and not READ_ONLY):
        raise ImproperlyConfigured(
            "DATABASE_URL ends with ?mode=; only mode=ro is known, and only with READ_ONLY=True."
        )
    if _mode:
        DATABASES["default"]["NAME"] = f"file:{quote(DATABASES['default']['NAME'])}?mode=ro"
    DATABASES["default"]["OPTIONS"] = {
        # A transaction that reads and then writes cannot wait for another writer once it holds an
        # old snapshot; taking the write lock at its start makes the busy timeout work.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # FULL: an acknowledged answer survives a power cut. FAST: what goes from a page that is
        # written anyway is overwritten, so that no old name stays in the file.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=FAST;",
    }
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"]["OPTIONS"] = {
        # A query that is repeated on a connection is planned once.
        "prepare_threshold": None if DATABASE_POOLED else 5,
        # A database that does not answer, or a network that is cut, is an error after seconds.
        "connect_timeout": 5,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
        **DATABASES["default"].get("OPTIONS", {}),
    }
    if DATABASE_POOLED:
        # The pooler takes no time limits at the start of a connection: the role has them.
        DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
    else:
        _own = DATABASES["default"]["OPTIONS"].get("options", "")
        DATABASES["default"]["OPTIONS"]["options"] = _limits(_own, statement="2h", lock="60s")
        # Where a person waits, `audit/wsgi.py` takes these instead.
        WEB_DATABASE_OPTIONS = {"options": _limits(_own, statement="30s", lock="10s")}
# True where a container's own disk would lose what people do: `serve` then refuses to start.
REQUIRE_LASTING_DISK = _flag("REQUIRE_LASTING_DISK")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = Path(os.environ.get("MEDIA_ROOT", "") or VAR_DIR / "media")
# For several machines without a shared disk: s3://bucket?endpoint=https://…&region=…; the S3 client
# reads its keys itself, from its usual variables.
MEDIA_BUCKET = _bucket(os.environ.get("MEDIA_BUCKET", ""))
MEDIA_ORIGINS = [_origin(MEDIA_BUCKET)] if MEDIA_BUCKET else []
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [PAGES_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "audit.installation.page_scripts.PageScripts",
]
# Also those that came after `collectstatic` has run.
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": _storage(MEDIA_BUCKET),
    "staticfiles": {"BACKEND": "audit.installation.static_files.HashedOnceCollected"},
}
# Largest image, in bytes and in pixels: checked before anything is decoded.
IMAGE_MAX_BYTES = 50 * 1024 * 1024
IMAGE_MAX_PIXELS = 50_000_000

# --- Work in the background ---------------------------------------------------------------------

# The module that makes the app which sends and takes messages.
TASK_APP = "audit.celery"
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "") or "filesystem://"
_BROKERS = {"filesystem", "redis", "rediss", "amqp", "amqps", "memory"}
if urlsplit(CELERY_BROKER_URL).scheme not in _BROKERS:
    raise ImproperlyConfigured(
        "CELERY_BROKER_URL must begin with redis://, amqp:// or filesystem://."
    )
if CELERY_BROKER_URL == "filesystem://":
    _folder = VAR_DIR / "broker"
    for _name in ("messages", "control"):
        (_folder / _name).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_folder / "messages"),
        "data_folder_out": str(_folder / "messages"),
        "control_folder": str(_folder / "control"),
        "polling_interval": 0.2,
    }
elif CELERY_BROKER_URL.startswith("redis"):
    # A Redis that hangs, or a network that is cut, is an error after seconds.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
    }
elif CELERY_BROKER_URL.startswith("amqp"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"write_timeout": 5}
    CELERY_BROKER_HEARTBEAT = 20
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Without a broker, sending fails quickly: the work is in the database, and is found later.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_max": 0.2}
# A queue for each kind of work: mail and what looks after leases, which is short; imports, which may take
# hours; whatever reads weights, to which a machine with a GPU can listen alone; reports and the rest.
# A worker that is started for the last one alone hears the first two, too (`audit.celery`). Of a job its
# kind says in which it waits (`annotations.jobs`).
CELERY_TASK_ROUTES = {
    "audit.tasks.mail_reset_task": {"queue": "mail"},
    "audit.tasks.mail_address_task": {"queue": "mail"},
    "audit.tasks.delete_expired_task": {"queue": "mail"},
    "judges.tasks.reap_task": {"queue": "mail"},
    "judges.tasks.score_chunk_task": {"queue": "judges"},
}
CELERY_TASK_DEFAULT_QUEUE = "jurybox"
# A worker process that uses more megabytes than this after a task is replaced by a new one.
WORKER_MEMORY = _number("WORKER_MEMORY", 0)
if WORKER_MEMORY:
    CELERY_WORKER_MAX_MEMORY_PER_CHILD = WORKER_MEMORY * 1024

# --- Labelling -----------------------------------------------------------------------------------

# How many images after the one in hand a browser has ready, for when its connection is gone.
LABEL_RESERVE = _number("LABEL_RESERVE", 20)

# --- Judges that ask a server -------------------------------------------------------------------

# A judge's options can be set in a browser, but only these servers are reached. "loopback" is any
# port of this machine, "loopback:8001" one of them; neither is ever sent the API key. Other servers
# are given by address.
JUDGE_SERVERS = _list("JUDGE_SERVERS", "" if IN_PRODUCTION else "loopback")
OPENAI_API_KEY = os.environ.get("OPENAI_API_KEY", "").strip()
if not OPENAI_API_KEY.isascii() or not OPENAI_API_KEY.isprintable():
    raise ImproperlyConfigured("OPENAI_API_KEY holds characters that no key has.")
# What all requests of a day may cost, and the price of a million tokens by model: "name=in/out".
JUDGE_BUDGET = _money("JUDGE_BUDGET")
JUDGE_PRICES = dict(_price(entry) for entry in _list("JUDGE_PRICES", ""))

for _entry in JUDGE_SERVERS:
    if not re.fullmatch(r"loopback(:[1-9][0-9]{0,4})?|https?://[^/@?#\s]+/?", _entry):
        _shown = re.sub(r"//[^/]*@", "//…@", _entry)
        raise ImproperlyConfigured(
            f"JUDGE_SERVERS holds {_shown!r}; write loopback, loopback:8001 or addresses like "
            "https://api.openai.com, with commas between them."
        )
if IN_PRODUCTION and "loopback" in JUDGE_SERVERS:
    # Behind them listen the database, the broker and whatever else trusts this machine.
    raise ImproperlyConfigured(
        "JUDGE_SERVERS holds 'loopback', which is every port of this machine. In production name "
        "the ports that judges may ask, like loopback:8001."
    )

# How many gigabytes the machine has that runs the judges' weights, where it is another one than this.
JUDGE_MEMORY = _number("JUDGE_MEMORY", 0)

# --- What judges may read and load --------------------------------------------------------------

# Folders, and names on a hub ("owner/name", "owner/*"), that an option may name as weights; the
# names of the catalogue are always allowed.
JUDGE_WEIGHTS = [
    str(Path(entry).expanduser()) if entry.startswith(("/", "~")) else entry
    for entry in _list("JUDGE_WEIGHTS", "") or [str(VAR_DIR.resolve() / "weights")]
]
for _entry in JUDGE_WEIGHTS:
    if not re.fullmatch(r"/.+|[A-Za-z0-9][\w.\-]*(/([\w.\-]+|\*))?", _entry):
        raise ImproperlyConfigured(
            f"JUDGE_WEIGHTS holds {_entry!r}; write folders like /srv/weights and names on a hub "
            "like owner/name or owner/*, with commas between them."
        )
JUDGE_PLUGINS = dict(_plugin(entry) for entry in _list("JUDGE_PLUGINS", ""))

# --- People -------------------------------------------------------------------------------------

SESSION_ENGINE = "audit.installation.sessions"
AUTHENTICATION_BACKENDS = ["audit.installation.accounts.Accounts"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
# Single sign-on: https://client:secret@issuer. People come back at /single-sign-on/back/.
OIDC = _provider(os.environ.get("OIDC_PROVIDER", "").strip())
# An address that the provider has verified opens the account that has it here.
OIDC_LINK_BY_EMAIL = _flag("OIDC_LINK_BY_EMAIL")
# No passwords: neither on the log-in page nor in the administration nor for tokens.
OIDC_ONLY = _flag("OIDC_ONLY")
if OIDC_ONLY and not OIDC:
    raise ImproperlyConfigured("OIDC_ONLY is True without OIDC_PROVIDER: nobody could log in.")
# Who must have a second factor: superusers, owners (of a study), or both; nobody without it.
SECOND_FACTOR_FOR = _list("SECOND_FACTOR_FOR", "")
if not set(SECOND_FACTOR_FOR) <= {"superusers", "owners"}:
    raise ImproperlyConfigured("SECOND_FACTOR_FOR may name superusers, owners, or both.")
# Links to set a new password work for a day.
PASSWORD_RESET_TIMEOUT = 60 * 60 * 24
# Mail, for such links alone: smtp+tls://user:password@host:587?from=jury@lab.example
_MAIL = _mail(os.environ.get("EMAIL_URL", "").strip())
SENDS_MAIL = bool(_MAIL)
if _MAIL:
    EMAIL_HOST, EMAIL_PORT, EMAIL_TIMEOUT = _MAIL["host"], _MAIL["port"], 10
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL["user"], _MAIL["password"]
    EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL["starts_tls"], _MAIL["is_tls"]
    DEFAULT_FROM_EMAIL = SERVER_EMAIL = _MAIL["from"]
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
X_FRAME_OPTIONS = "DENY"
DEFAULT_EXCEPTION_REPORTER_FILTER = "audit.installation.security.SettingsWithoutSecrets"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
if IN_PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    _days, SECURE_HSTS_INCLUDE_SUBDOMAINS, SECURE_HSTS_PRELOAD = _HSTS[HSTS]
    SECURE_HSTS_SECONDS = 60 * 60 * 24 * _days
    # Whether other hosts of the domain speak https, the operator knows, not `check --deploy`.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W005", "security.W021"]
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    CSRF_TRUSTED_ORIGINS = [
        f"https://{host.removeprefix('.')}" for host in ALLOWED_HOSTS if host not in LOOPBACK
    ]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # The first says what a request without any is answered: 401, and how to log in.
        "audit.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "audit.accounts.tokens.WithinScope",
        "annotations.api.declared.AsksWhatIsDeclared",
    ],
    # JSON for programs; a page for people who look at the same address in a browser.
    "DEFAULT_RENDERER_CLASSES": [
        "rest_framework.renderers.JSONRenderer",
        "rest_framework.renderers.BrowsableAPIRenderer",
    ],
    "DEFAULT_PARSER_CLASSES": ["annotations.api.sent.SoundJSON"],
    "DEFAULT_SCHEMA_CLASS": "annotations.api.schema.Operations",
    "EXCEPTION_HANDLER": "annotations.api.refusals.problem_response",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Jurybox",
    "DESCRIPTION": "Label generated images, run judges, read where judges left people behind.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "audit.accounts.api.name_scopes",
    ],
    # The list of what could be attacked is only for people with an account.
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文"), ("de", "Deutsch")]
LOCALE_PATHS = [PAGES_DIR / "locale"]
TUTORIAL_DIR = BASE_DIR / ("docs/tutorial" if IN_CLONE else "jurybox/tutorial")
# Digits are the same in every language: a point, and nothing between thousands. They stand in inputs,
# drawings and files, too.
FORMAT_MODULE_PATH = "audit.installation.formats"
LANGUAGE_COOKIE_NAME = "language"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

# One JSON object a line for log collectors, or lines for people.
LOG_FORMAT = os.environ.get("LOG_FORMAT", "") or "line"
LOG_LEVEL = os.environ.get("LOG_LEVEL", "") or "WARNING"
if LOG_FORMAT not in {"line", "json"}:
    raise ImproperlyConfigured(f"LOG_FORMAT is {LOG_FORMAT!r}; write line or json.")
if LOG_LEVEL not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
    raise ImproperlyConfigured(f"LOG_LEVEL is {LOG_LEVEL!r}; write DEBUG, INFO, WARNING or ERROR.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "who_writes": {"()": "audit.installation.request_log.WhoWrites"},
        "route_only": {"()": "audit.installation.request_log.RouteOnly"},
    },
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {
            "()": "audit.installation.request_log.JsonLines",
            "fmt": ["levelname", "name", "message"],
            "rename_fields": {"levelname": "level", "name": "logger", "exc_info": "exception"},
            "timestamp": "time",
            "json_ensure_ascii": False,
        },
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["who_writes", "route_only"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # Messages in files have no host; kombu warns about that at every start.
    "loggers": {
        "kombu.connection": {"level": "ERROR"},
    },
}

# Prometheus reads /metrics with this token; without one, the page does not exist and costs nothing.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
METRICS_DIR = VAR_DIR / "metrics"
if METRICS_TOKEN:
    if len(METRICS_TOKEN) < 20:
        raise ImproperlyConfigured("METRICS_TOKEN has fewer than 20 characters; choose a longer.")
    MIDDLEWARE.insert(0, "audit.installation.metrics.RequestTimes")
    METRICS_DIR.mkdir(parents=True, exist_ok=True)
    # On import, the client library reads this to decide whether processes share their numbers.
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(METRICS_DIR))

# Ray tells its makers about every cluster that is started, unless it is told not to.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
