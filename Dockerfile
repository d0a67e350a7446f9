# One image for web, workers and judges: a run belongs to the libraries it was started with, so all
# have the same. `--build-arg REQUIREMENTS=requirements-core.txt` leaves the neural engines out.
FROM python:3.11-slim-bookworm

ARG REQUIREMENTS=requirements.txt
WORKDIR /jurybox

COPY requirements-core.txt requirements.txt ./
# opencv, which MMDetection imports, wants these two; the core needs neither.
RUN if [ "$REQUIREMENTS" = requirements.txt ]; then \
        apt-get update && apt-get install --yes --no-install-recommends libgl1 libglib2.0-0 \
        && rm -rf /var/lib/apt/lists/*; \
    fi \
    && pip install --no-cache-dir -r "$REQUIREMENTS"

COPY manage.py ./
COPY annotations annotations
COPY audit audit
COPY judges judges
COPY static static
COPY templates templates

RUN useradd --create-home jurybox && mkdir /data && chown jurybox /data
USER jurybox
ENV JURYBOX_VAR=/data PYTHONUNBUFFERED=1 LOG_FORMAT=json
VOLUME /data
EXPOSE 8000

CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8000"]
HEALTHCHECK CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz')"]
