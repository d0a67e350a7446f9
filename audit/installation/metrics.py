"""Numbers for Prometheus at /metrics, for whoever has METRICS_TOKEN.

Most are counted in the database on each request of /metrics, so they are right with any number of
processes and after any of them was killed. Only the duration of requests is measured in the web
processes, which share it through files (the client library's own way).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CollectorRegistry, Histogram, exposition
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from annotations.models import Annotation, Image, Study
from audit.installation.request_log import route_of
from judges.models import Chunk, Run, Score, Upload

_seconds = Histogram(
    "jurybox_request_seconds",
    "Time to answer a request, by route.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


class RequestTimes:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        _seconds.labels(request.method, route_of(request), response.status_code).observe(
            time.perf_counter() - began
        )
        return response


def text() -> tuple[bytes, str]:
    """All numbers in Prometheus' format, and its content type."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))
    registry.register(Rows())
    return exposition.generate_latest(registry), exposition.CONTENT_TYPE_LATEST


class Rows:
    """Counts from the database, as of now."""

    def collect(self) -> Iterator[Metric]:
        yield _number("jurybox_studies", "Studies.", Study.objects.count())
        yield _number("jurybox_images", "Images of all studies.", Image.objects.count())
        yield _number(
            "jurybox_annotations",
            "Annotations, withdrawn ones among them.",
            Annotation.objects.count(),
        )
        yield _family("jurybox_runs", "Runs by state.", "state", _tally(Run.objects, "state"))
        yield _family("jurybox_chunks", "Chunks of runs by state.", "state", _chunks())
        yield _family(
            "jurybox_uploads", "Uploads by state.", "state", _tally(Upload.objects, "state")
        )
        yield _number("jurybox_queue_age_seconds", "Age of the oldest waiting chunk's run.", _age())
        scores = list(
            Score.objects.values_list("run__judge__name").annotate(
                all=Count("pk"), failed=Count("pk", filter=Q(value__isnull=True))
            )
        )
        yield _family("jurybox_scores", "Images judged.", "judge", {n: a for n, a, _ in scores})
        failed = {name: failed for name, _, failed in scores}
        yield _family("jurybox_scores_failed", "Judgements that failed.", "judge", failed)


def _chunks() -> dict[str, int]:
    running = Chunk.objects.filter(run__state=Run.State.RUNNING)
    return dict.fromkeys(Chunk.State.values, 0) | _tally(running, "state")


def _age() -> float:
    waiting = Chunk.objects.filter(state=Chunk.State.WAITING, run__state=Run.State.RUNNING)
    since = waiting.aggregate(since=Min("run__started_at"))["since"]
    return (timezone.now() - since).total_seconds() if since else 0.0


def _tally(rows, field: str) -> dict[str, int]:
    return dict(rows.values_list(field).annotate(count=Count("pk")).order_by(field))


def _number(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=value)


def _family(name: str, words: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, words, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family
