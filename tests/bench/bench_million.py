"""Twenty people label a study of a million images: what an answer and a page cost, and who got what.

    python -m tests.bench.bench_million [--quick] [--postgres URL] [--images N] [--beside N]

All rows but theirs are made by bulk SQL. They label at the start, in the middle and until nothing is left, by turns,
beside the same people in a study of 1,000 images, or of as many as `--beside` says. Printed are the milliseconds of an answer with the next image, and
of pages; then what was counted: images given twice to one person, images with fewer or more answers than wanted,
answers that are not there, and how far apart the generators are in what one person saw. Exit status 1 when one of
these is not 0, generators are more than one image apart, or an answer takes more than 1.5 times what it takes at 1,000
images (and 1 ms more).
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import time
import uuid
from collections import Counter

from tests.bench import bench_dashboards as dashboards
from tests.bench.sizes import reached, sized

FEW, MANY = sized((1_000, 1_000_000), (300, 600))
PEOPLE, EARLIER, GENERATORS = 20, 2, 5
# Answers of each person at the start and in the middle, and images that are left for the end.
EACH, LEFT = sized((5, 100), (2, 2)), sized(100, 20)
RATIO, FLOOR = 1.5, 0.001
ROUNDS = sized(9, 1)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="100,000 images")
    arguments.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--images", type=int, default=MANY, help="on this database alone")
    arguments.add_argument("--beside", type=int, default=FEW, help="on this database alone")
    asked = arguments.parse_args()
    if asked.one or (asked.images, asked.beside) != (MANY, FEW):
        many = min(asked.images, 100_000) if asked.quick else asked.images
        measured = dashboards.in_test_database(lambda: measure(asked.beside, many))
        sys.exit(0 if measured else 1)
    sys.exit(0 if dashboards.on_each_database(asked, "tests.bench.bench_million") else 1)


def measure(few: int, many: int) -> bool:
    logging.disable(logging.WARNING)
    began = time.perf_counter()
    # In a small study so many answers would leave nothing for the end.
    each = EACH[few > 20 * PEOPLE * EACH[1]]
    crowds = [Crowd(few, each), Crowd(many, EACH[1])]
    dashboards.analyze()
    print(f"Built in {time.perf_counter() - began:.0f} s.", flush=True)
    print(f"{'milliseconds':<40}{few:>12,}{many:>12,}{'ratio':>8}  goal", flush=True)
    flat = [_row("an answer at the start", *(crowd.label() for crowd in crowds))]
    for crowd in crowds:
        crowd.finish(crowd.size // 2)
    dashboards.analyze()
    flat.append(_row("an answer in the middle", *(crowd.label() for crowd in crowds)))
    for page in PAGES:
        flat.append(_row(f"{page}, in the middle", *(crowd.open(page) for crowd in crowds)))
    apart = [crowd.generators_apart() for crowd in crowds]
    for crowd in crowds:
        crowd.finish(crowd.size - LEFT)
    dashboards.analyze()
    flat.append(_row("an answer at the end", *(crowd.label_all() for crowd in crowds)))
    right = True
    for crowd, far in zip(crowds, apart, strict=True):
        counts = crowd.counts()
        words = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        print(f"{crowd.size:,} images: {words}, generators apart {far}", flush=True)
        right &= not any(counts[name] for name in WRONG) and far <= 1
    return right and reached(all(flat))


PAGES = ("label", "study", "people", "flags")
WRONG = ("given twice", "with fewer", "with more", "lost")


class Crowd:
    def __init__(self, size: int, each: int) -> None:
        from django.test import Client

        from annotations.forms.versions import publish_form
        from annotations.models import Study
        from jurybox_formats.forms.papers import geneval_audit
        from tests import making

        self.size, self.each = size, each
        self.study = Study.objects.create(
            slug=f"bench-{size}",
            title="Bench",
            form=publish_form(geneval_audit.FORM),
            overlap=EARLIER,
        )
        self.people = [making.person(self.study, f"person-{size}-{n}") for n in range(PEOPLE)]
        self.earlier = [making.person(self.study, f"earlier-{size}-{n}") for n in range(EARLIER)]
        self.owner = Client()
        self.owner.force_login(making.person(self.study, f"owner-{size}", role="owner").user)
        self.annotator = Client()
        self.annotator.force_login(self.people[0].user)
        self.held: dict[int, object] = {}
        self.given: Counter[tuple[int, int]] = Counter()
        self.acknowledged: list[uuid.UUID] = []
        self._make_images()

    def _make_images(self) -> None:
        from annotations.models import Generator, Image, Prompt
        from annotations.models.image import count_images
        from tests.bench.sql_rows import insert

        prompts = self.size // GENERATORS
        Prompt.objects.bulk_create(
            (Prompt(study=self.study, key=f"p{n:06}", text=f"prompt {n}") for n in range(prompts)),
            batch_size=2000,
        )
        generators = Generator.objects.bulk_create(
            Generator(study=self.study, name=f"generator {n}") for n in range(GENERATORS)
        )
        insert(
            Image,
            "annotations_prompt AS prompt JOIN annotations_generator AS generator"
            f" ON generator.study_id = prompt.study_id WHERE prompt.study_id = {self.study.pk}",
            study_id=str(self.study.pk),
            prompt_id="prompt.id",
            generator_id="generator.id",
            key=f"prompt.key || '-' || (generator.id - {generators[0].pk})",
            public_id="'bench-' || prompt.id || '-' || generator.id",
            file="'bench.png'",
            sha256=f"'{'0' * 64}'",
            width="64",
            height="64",
            # Any order that has nothing to do with that of the rows.
            place="CAST(prompt.id AS bigint) * 2654435761 %% 2147483648",
        )
        count_images(dict.fromkeys((generator.pk for generator in generators), prompts))

    def finish(self, upto: int) -> None:
        """Answers of earlier people, until so many images are full; what was begun is left."""
        from django.db import connection

        from annotations.models import Annotation, Answer, Assignment, Image
        from tests.bench.sql_rows import insert

        wanted = upto - Image.objects.filter(study=self.study, taken=EARLIER).count()
        images = (
            f"(SELECT id FROM annotations_image WHERE study_id = {self.study.pk} AND taken = 0"
            f" ORDER BY place, id LIMIT {max(0, wanted)}) AS image"
        )
        people = ", ".join(str(person.pk) for person in self.earlier)
        both = f"{images}, annotations_membership AS person WHERE person.id IN ({people})"
        known = {
            "study_id": str(self.study.pk),
            "image_id": "image.id",
            "annotator_id": "person.id",
        }
        insert(Assignment, both, **known, state="'answered'", leased_until="NULL")
        form = str(self.study.form_id)
        insert(Annotation, both, **known, form_id=form, submitted_at="CURRENT_TIMESTAMP")
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE annotations_image SET taken = {EARLIER} WHERE taken = 0 AND id IN"
                f" (SELECT image_id FROM annotations_annotation WHERE annotator_id IN ({people}))"
            )
        for question in ("aligned", "quality"):
            insert(
                Answer,
                f"annotations_annotation AS annotation WHERE annotator_id IN ({people})"
                " AND NOT EXISTS (SELECT 1 FROM annotations_answer AS there"
                f" WHERE there.annotation_id = annotation.id AND there.question = '{question}')",
                annotation_id="annotation.id",
                question=f"'{question}'",
                value="1",
                text="''",
                atom_id="NULL",
            )

    def label(self) -> list[float]:
        return [self._answer(person) for _ in range(self.each) for person in self.people]

    def label_all(self) -> list[float]:
        """By turns, until nobody gets an image any more."""
        took = []
        working = list(self.people)
        while working:
            for person in list(working):
                took.append(self._answer(person))
                if self.held[person.pk] is None:
                    working.remove(person)
        return took

    def _answer(self, person) -> float:
        """Answers the image in hand; how long it takes until the next one is there."""
        from annotations.labelling import assign, record

        if self.held.get(person.pk) is None:
            self._hold(person, assign.next_image(annotator=person))
        lease = self.held[person.pk]
        if lease is None:
            return 0.0
        submission = uuid.uuid4()
        began = time.perf_counter()
        after = record.record_and_give_next(
            image=lease.image,
            annotator=person,
            form=self.study.form,
            answers={"aligned": 1, "quality": 1},
            submission=submission,
        )
        took = time.perf_counter() - began
        self.acknowledged.append(submission)
        self._hold(person, after)
        return took

    def _hold(self, person, lease) -> None:
        self.held[person.pk] = lease
        if lease is not None:
            self.given[person.pk, lease.image_id] += 1

    def open(self, page: str) -> list[float]:
        from django.urls import reverse

        client = self.annotator if page == "label" else self.owner
        took = []
        for _ in range(ROUNDS + 1):
            began = time.perf_counter()
            answer = client.get(reverse(page, args=[self.study.slug]))
            took.append(time.perf_counter() - began)
            assert answer.status_code == 200, (page, answer.status_code)
        # The machine may be busy with others; a page that grows does so in its best time, too.
        return [min(took[1:])]

    def generators_apart(self) -> int:
        """Of one person: the most and the fewest images of a generator that they were given."""
        from annotations.models import Generator, Image

        made_by = dict(
            Image.objects.filter(pk__in={image for _, image in self.given}).values_list(
                "pk", "generator"
            )
        )
        seen = {person.pk: Counter() for person in self.people}
        for person, image in self.given:
            seen[person][made_by[image]] += 1
        keys = list(Generator.objects.filter(study=self.study).values_list("pk", flat=True))
        return max(
            max(of[key] for key in keys) - min(of[key] for key in keys) for of in seen.values()
        )

    def counts(self) -> dict[str, int]:
        from django.db.models import Count

        from annotations.models import Annotation

        answers = Annotation.objects.filter(study=self.study, state=Annotation.State.COUNTED)
        by_count = Counter(
            answers.order_by().values("image").annotate(n=Count("pk")).values_list("n", flat=True)
        )
        full = by_count.pop(EARLIER, 0)
        kept = set(answers.filter(annotator__in=self.people).values_list("submission", flat=True))
        return {
            "answered": len(self.acknowledged),
            "full": full,
            "given twice": sum(count > 1 for count in self.given.values()),
            "with fewer": self.size - full - sum(n for c, n in by_count.items() if c > EARLIER),
            "with more": sum(n for c, n in by_count.items() if c > EARLIER),
            "lost": len(set(self.acknowledged) - kept),
        }


def _row(name: str, few: list[float], many: list[float]) -> bool:
    low, high = statistics.median(few), statistics.median(many)
    met = high <= RATIO * low + FLOOR
    print(
        f"{name:<40}{1000 * low:>12.2f}{1000 * high:>12.2f}{high / low:>8.2f}"
        f"  {'met' if met else 'MISSED'}",
        flush=True,
    )
    return met


if __name__ == "__main__":
    main()
