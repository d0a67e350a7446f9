# One image for web, workers and judges: a run belongs to the libraries it was started with, so all
# have the same. `--build-arg LOCK=requirements-core.lock` leaves the neural engines out.
# `make digests` prints the digest of the base image for `--build-arg PYTHON_IMAGE=…`.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE}

ARG LOCK=requirements.lock
WORKDIR /jurybox

COPY requirements-core.lock requirements.lock ./
# opencv, which MMDetection imports, wants these two; the core needs neither.
RUN if [ "$LOCK" = requirements.lock ]; then \
        apt-get update && apt-get install --yes --no-install-recommends libgl1 libglib2.0-0 \
        && rm -rf /var/lib/apt/lists/*; \
    fi \
    && pip install --no-cache-dir --no-deps --require-hashes -r "$LOCK"

COPY manage.py ./
COPY annotations annotations
COPY audit audit
COPY judges judges
COPY jurybox jurybox
COPY packages packages
COPY static static
COPY templates templates
COPY locale locale

# Judges read pictures and weights from outside, so they run as somebody who may write neither the
# data nor another process's files: same group, other user.
RUN useradd --create-home --uid 10001 --user-group jurybox \
    && useradd --create-home --uid 10002 --gid jurybox judge \
    && mkdir /data /models && chown jurybox:jurybox /data && chmod 2750 /data && chown judge:jurybox /models
USER jurybox
ENV PYTHONPATH=/jurybox/packages/formats:/jurybox/packages/judging:/jurybox/packages/stats JURYBOX_VAR=/data HF_HOME=/models PYTHONUNBUFFERED=1 LOG_FORMAT=json
VOLUME /data /models
EXPOSE 8000

CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8000"]
HEALTHCHECK CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz')"]
