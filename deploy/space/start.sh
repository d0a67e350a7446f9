#!/bin/sh
# What a Space runs: to label on a disk that lasts, or with READ_ONLY=True a demo to look at.
set -eu
export ALLOWED_HOSTS="${ALLOWED_HOSTS:-${SPACE_HOST:?this is no Space: set ALLOWED_HOSTS}}"
export TRUSTED_PROXIES="${TRUSTED_PROXIES:-10.0.0.0/8}"
if [ "${READ_ONLY:-}" = True ]; then
    # All of it goes with the container, the key as well.
    export SECRET_KEY="${SECRET_KEY:-$(python -c 'import secrets; print(secrets.token_urlsafe(64))')}"
    jurybox demo --no-serve
    cat "$JURYBOX_VAR/demo_logins.json"
else
    # A server's database and a bucket are backed up by their own tools.
    jurybox upgrade ${DATABASE_URL:+--no-backup} ${MEDIA_BUCKET:+--no-backup}
    jurybox worker &
fi
exec jurybox serve --host 0.0.0.0 --port "${PORT:-8000}"
