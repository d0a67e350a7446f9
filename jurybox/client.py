"""Every operation of the REST API as a function with types: `Client(address=…, token=…).list_images("demo")`.

Written from the API's schema by `make client`; a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any, TypedDict

from jurybox.connection import Connection, part


class AddRecipe(TypedDict, total=False):
    text: str


class Annotation(TypedDict, total=False):
    """One person's answers about one image; `rater` is a pseudonym."""

    id: int
    image_id: str
    rater: str
    state: str
    form: str
    language: str
    seconds: float | None
    submitted_at: str
    answers: list[Answered]


class Answered(TypedDict, total=False):
    question: str
    atom: int | None
    value: float | None
    text: str


class Atom(TypedDict, total=False):
    index: int
    kind: str
    text: str
    question: str
    expected: str
    parents: list[int]


class Disagreement(TypedDict, total=False):
    image_id: str
    generator: str
    prompt: str
    address: str
    difference: float
    score: float | None
    verdict: str
    reason: str
    people: list[Vote]


class Disagreements(TypedDict, total=False):
    report: int
    judge: str
    images: int
    rows: list[Disagreement]


class Fit(TypedDict, total=False):
    """How many images the judge can score. Of many prompts some are looked at, evenly drawn."""

    images: int
    scorable: int
    obstacles: list[Obstacle]
    prompts: int
    prompts_in_all: int


class Image(TypedDict, total=False):
    image_id: str
    prompt_id: str
    generator: str
    variant: str
    sample: int
    address: str
    sha256: str
    width: int | None
    height: int | None
    metadata: dict[str, Any]


class Judge(TypedDict, total=False):
    name: str
    fingerprint: str
    method: str
    method_version: str
    engine: str
    engine_version: str
    checkpoint: str
    revision: str
    template: str
    precision: str
    options: Any
    release_date: str | None


class Jury(TypedDict, total=False):
    members: str
    way: str


class Label(TypedDict, total=False):
    image: str
    form: int
    submission: str
    answers: dict[str, Any]
    seconds: float | None
    language: str


class Made(TypedDict, total=False):
    token: str
    id: int
    name: str
    scope: str
    study: str | None
    created_at: str
    expires_at: str
    last_used_at: str | None


class Measure(TypedDict, total=False):
    count: int


class Measurement(TypedDict, total=False):
    id: int
    judge: str
    state: str
    reason: str
    done: int


class Message(TypedDict, total=False):
    """What was begun, in a sentence."""

    message: str


class NewToken(TypedDict, total=False):
    name: str
    scope: str
    study: str
    days: int


class NextImage(TypedDict, total=False):
    """What an annotator may know about an image: its picture, its prompt and the questions."""

    image: str
    address: str
    prompt: str
    form: int
    questions: list[dict[str, Any]]
    language: str
    done: int
    left: int


class Obstacle(TypedDict, total=False):
    """Why some images cannot be scored, and what their prompts lack."""

    reason: str
    lacks: str
    images: int


class Offer(TypedDict, total=False):
    """A judge that can be started, or why it cannot; those that fit the study first."""

    name: str
    title: str
    why_not: str
    started: bool
    state: str
    needs: str
    fit: Fit


class OneStudy(TypedDict, total=False):
    slug: str
    title: str
    status: str
    simulated: bool
    role: str
    form: int
    questions: list[dict[str, Any]]
    counts: StudyCounts | None


class Option(TypedDict, total=False):
    """What an option of a judge is for, and what it takes."""

    name: str
    type: str
    default: Any
    wanted: str
    minimum: float | None
    maximum: float | None
    choices: list[str]
    longest: int | None
    help: str


class PairVote(TypedDict, total=False):
    """One person's vote on two images, as it stands now; `rater` is a pseudonym."""

    pair_id: str
    prompt_id: str
    first: str
    second: str
    rater: str
    question: str
    value: str
    left: str
    language: str
    seconds: float | None
    submitted_at: str


class Password(TypedDict, total=False):
    name: str
    scope: str
    study: str
    days: int
    username: str
    password: str
    code: str


class Prompt(TypedDict, total=False):
    prompt_id: str
    prompt: str
    tags: list[str]
    family: str
    atomicity: int | None
    metadata: dict[str, Any]
    atoms: list[Atom]
    pictures: list[PromptPicture]


class PromptPicture(TypedDict, total=False):
    """What belongs to a prompt: the source of an edit, a reference, a mask."""

    place: str
    address: str
    sha256: str
    width: int
    height: int


class Question(TypedDict, total=False):
    """A question that has an answer."""

    name: str
    title: str
    parameters: list[str]


class Recipe(TypedDict, total=False):
    """A judge of somebody's own."""

    name: str
    title: str
    text: str
    added_by: str
    added_at: str


class Report(TypedDict, total=False):
    id: int
    created_at: str
    options: dict[str, Any]
    data: str


class Run(TypedDict, total=False):
    id: int
    judge: str
    fingerprint: str
    state: str
    reason: str
    done: int
    failed: int
    assumed: int
    expected: int


class Saved(TypedDict, total=False):
    """The result for one of many labels; `message` says why it was refused."""

    submission: str
    status: str
    message: str


class Score(TypedDict, total=False):
    image_id: str
    judge: str
    fingerprint: str
    score: float | None
    correct: bool | None
    reason: str
    error: str
    evidence: dict[str, Any]


class Send(TypedDict, total=False):
    file: str
    kind: str
    format: str
    generator: str
    judge: str
    grid: int
    unit: str
    dry_run: bool
    strict: bool


class StartRun(TypedDict, total=False):
    judge: str
    options: dict[str, Any]


class Study(TypedDict, total=False):
    slug: str
    title: str
    status: str
    simulated: bool
    role: str


class StudyCounts(TypedDict, total=False):
    """For researchers."""

    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int


class TestJudge(TypedDict, total=False):
    file: str
    scores: str


class Token(TypedDict, total=False):
    id: int
    name: str
    scope: str
    study: str | None
    created_at: str
    expires_at: str
    last_used_at: str | None


class Upload(TypedDict, total=False):
    id: int
    name: str
    kind: str
    format: str
    state: str
    read: int
    dry_run: bool
    strict: bool
    reason: str
    outcome: Any
    created_at: str
    finished_at: str | None


class Vote(TypedDict, total=False):
    question: str
    answers: int
    yes: int | None
    mean: float


class WholeReport(TypedDict, total=False):
    id: int
    created_at: str
    options: dict[str, Any]
    data: str
    body: dict[str, Any]


class Client(Connection):
    def get_index(self) -> dict[str, Any]:
        """Every address, by name; parts in braces are to be filled in."""
        found: dict[str, Any] = self.call("GET", "")
        return found

    def get_problems(self) -> dict[str, Any]:
        """What each code of a refusal means."""
        found: dict[str, Any] = self.call("GET", "problems/")
        return found

    def list_studies(self, *, fields: str | None = None) -> Iterator[Study]:
        """The studies that you see, and as what."""
        found: Iterator[Study] = self.pages("studies/", {"fields": fields})
        return found

    def get_study(self, slug: str, *, fields: str | None = None) -> OneStudy:
        """A study, its questions and, for researchers, how much it holds. DELETE, for its
        owner, closes it at once; its rows go in the background."""
        found: OneStudy = self.call("GET", f"studies/{part(slug)}/", {"fields": fields})
        return found

    def delete_study(self, slug: str) -> Message:
        """A study, its questions and, for researchers, how much it holds. DELETE, for its
        owner, closes it at once; its rows go in the background."""
        found: Message = self.call("DELETE", f"studies/{part(slug)}/")
        return found

    def list_annotations(
        self,
        slug: str,
        *,
        fields: str | None = None,
        generator: str | None = None,
        image_id: str | None = None,
        question: str | None = None,
        state: str | None = None,
    ) -> Iterator[Annotation]:
        """Everybody's answers; for researchers only."""
        found: Iterator[Annotation] = self.pages(
            f"studies/{part(slug)}/annotations/",
            {
                "fields": fields,
                "generator": generator,
                "image_id": image_id,
                "question": question,
                "state": state,
            },
        )
        return found

    def list_disagreements(
        self,
        slug: str,
        *,
        consensus: str | None = None,
        judge: str | None = None,
        limit: int | None = None,
        positive_at: float | None = None,
        question: str | None = None,
        side: str | None = None,
        threshold: float | None = None,
    ) -> Disagreements:
        """The images on which people and a judge differ most, by the newest report."""
        found: Disagreements = self.call(
            "GET",
            f"studies/{part(slug)}/disagreements/",
            {
                "consensus": consensus,
                "judge": judge,
                "limit": limit,
                "positive_at": positive_at,
                "question": question,
                "side": side,
                "threshold": threshold,
            },
        )
        return found

    def export_table(
        self,
        slug: str,
        what: str,
        *,
        answer: str | None = None,
        consensus: str | None = None,
        flag: str | None = None,
        format: str | None = None,
        generator: str | None = None,
        judge: str | None = None,
        known: str | None = None,
        labels: str | None = None,
        least: float | None = None,
        most: float | None = None,
        of: str | None = None,
        per: str | None = None,
        pictures: bool | None = None,
        prompt: str | None = None,
        q: str | None = None,
        rate: str | None = None,
        ratings: str | None = None,
        selection: int | None = None,
        split: str | None = None,
        tag: str | None = None,
        variant: str | None = None,
    ) -> HTTPResponse:
        """A table of the study as `manage.py export` writes it; people by pseudonym."""
        found: HTTPResponse = self.open(
            "GET",
            f"studies/{part(slug)}/exports/{part(what)}/",
            {
                "answer": answer,
                "consensus": consensus,
                "flag": flag,
                "format": format,
                "generator": generator,
                "judge": judge,
                "known": known,
                "labels": labels,
                "least": least,
                "most": most,
                "of": of,
                "per": per,
                "pictures": pictures,
                "prompt": prompt,
                "q": q,
                "rate": rate,
                "ratings": ratings,
                "selection": selection,
                "split": split,
                "tag": tag,
                "variant": variant,
            },
        )
        return found

    def list_images(
        self,
        slug: str,
        *,
        fields: str | None = None,
        generator: str | None = None,
        prompt_id: str | None = None,
        variant: str | None = None,
    ) -> Iterator[Image]:
        """The images of a study and who made them; for researchers only."""
        found: Iterator[Image] = self.pages(
            f"studies/{part(slug)}/images/",
            {"fields": fields, "generator": generator, "prompt_id": prompt_id, "variant": variant},
        )
        return found

    def get_image(self, slug: str, image_id: str, *, fields: str | None = None) -> Image:
        """One image by its `image_id`; for researchers only."""
        found: Image = self.call(
            "GET", f"studies/{part(slug)}/images/{part(image_id)}/", {"fields": fields}
        )
        return found

    def list_imports(self, slug: str, *, fields: str | None = None) -> Iterator[Upload]:
        """Files that were sent; POST sends one, and a worker imports it."""
        found: Iterator[Upload] = self.pages(f"studies/{part(slug)}/imports/", {"fields": fields})
        return found

    def send_import(self, slug: str, body: dict[str, Any], file: tuple[str, bytes]) -> Upload:
        """Files that were sent; POST sends one, and a worker imports it."""
        found: Upload = self.call(
            "POST", f"studies/{part(slug)}/imports/", body=body, file=file, once=True
        )
        return found

    def get_import(self, slug: str, upload_id: int, *, fields: str | None = None) -> Upload:
        """The progress of an import, then its outcome: the object of `import_* --json`."""
        found: Upload = self.call(
            "GET", f"studies/{part(slug)}/imports/{part(upload_id)}/", {"fields": fields}
        )
        return found

    def try_import_again(self, slug: str, upload_id: int) -> Upload:
        """Have a file read again that was given up."""
        found: Upload = self.call("POST", f"studies/{part(slug)}/imports/{part(upload_id)}/again/")
        return found

    def list_judges(self, slug: str, *, fields: str | None = None) -> Iterator[Judge]:
        """The judges that have a run in this study, frozen as they ran."""
        found: Iterator[Judge] = self.pages(f"studies/{part(slug)}/judges/", {"fields": fields})
        return found

    def list_judge_offers(self, slug: str, *, fields: str | None = None) -> Iterator[Offer]:
        """The judges that can be started on this study."""
        found: Iterator[Offer] = self.pages(
            f"studies/{part(slug)}/judges/offers/", {"fields": fields}
        )
        return found

    def list_judge_options(
        self, slug: str, judge: str, *, fields: str | None = None
    ) -> Iterator[Option]:
        """The options that this judge takes: type, range, choices and default of each."""
        found: Iterator[Option] = self.pages(
            f"studies/{part(slug)}/judges/offers/{part(judge)}/", {"fields": fields}
        )
        return found

    def use_jury(self, slug: str, body: Jury) -> Run:
        """Use a jury of this study's judges as a judge of it; its gain is
        studies/{slug}/questions/jury/."""
        found: Run = self.call("POST", f"studies/{part(slug)}/jury/", body=body, once=True)
        return found

    def save_label(self, slug: str, body: Label) -> Label:
        """Save one person's answers about one image; the same submission twice is saved
        once."""
        found: Label = self.call("POST", f"studies/{part(slug)}/labels/", body=body, once=True)
        return found

    def save_labels(self, slug: str, body: list[Label]) -> list[Saved]:
        """Up to 1,000 labels of one person in one request, each saved or refused by itself."""
        found: list[Saved] = self.call(
            "POST", f"studies/{part(slug)}/labels/bulk/", body=body, once=True
        )
        return found

    def get_leaderboard(
        self,
        slug: str,
        *,
        made_from: str | None = None,
        question: str | None = None,
        slice: str | None = None,
        ties: str | None = None,
    ) -> dict[str, Any]:
        """The generators by people and by each judge, as `manage.py leaderboard STUDY --json`
        prints them. Of a large study a worker counts them first: ask again."""
        found: dict[str, Any] = self.call(
            "GET",
            f"studies/{part(slug)}/leaderboard/",
            {"made_from": made_from, "question": question, "slice": slice, "ties": ties},
        )
        return found

    def next_image(self, slug: str) -> NextImage:
        """Lease the next image, its questions in the language of the request; 204 when nothing
        is left for this person."""
        found: NextImage = self.call("POST", f"studies/{part(slug)}/next/")
        return found

    def list_prompts(
        self, slug: str, *, fields: str | None = None, prompt_id: str | None = None
    ) -> Iterator[Prompt]:
        """The prompts of a study, with their atoms."""
        found: Iterator[Prompt] = self.pages(
            f"studies/{part(slug)}/prompts/", {"fields": fields, "prompt_id": prompt_id}
        )
        return found

    def list_questions(self, slug: str, *, fields: str | None = None) -> Iterator[Question]:
        """The questions that have an answer in JSON, and the parameters of each."""
        found: Iterator[Question] = self.pages(
            f"studies/{part(slug)}/questions/", {"fields": fields}
        )
        return found

    def get_question(
        self,
        slug: str,
        name: str,
        *,
        after: str | None = None,
        as_coded: str | None = None,
        before: str | None = None,
        count: str | None = None,
        edition: str | None = None,
        family: str | None = None,
        from_: str | None = None,
        judge: str | None = None,
        judge_now: str | None = None,
        made_from: str | None = None,
        members: str | None = None,
        per: str | None = None,
        prices: str | None = None,
        question: str | None = None,
        risk: str | None = None,
        since: str | None = None,
        slice: str | None = None,
        ties: str | None = None,
        to: str | None = None,
        way: str | None = None,
    ) -> dict[str, Any]:
        """The answer of a question, as `manage.py answer QUESTION --study STUDY --json` prints
        it. Of a large study a worker computes it first: ask again."""
        found: dict[str, Any] = self.call(
            "GET",
            f"studies/{part(slug)}/questions/{part(name)}/",
            {
                "after": after,
                "as_coded": as_coded,
                "before": before,
                "count": count,
                "edition": edition,
                "family": family,
                "from": from_,
                "judge": judge,
                "judge_now": judge_now,
                "made_from": made_from,
                "members": members,
                "per": per,
                "prices": prices,
                "question": question,
                "risk": risk,
                "since": since,
                "slice": slice,
                "ties": ties,
                "to": to,
                "way": way,
            },
        )
        return found

    def list_recipes(self, slug: str, *, fields: str | None = None) -> Iterator[Recipe]:
        """The recipes of this installation; POST adds one, for all studies."""
        found: Iterator[Recipe] = self.pages(f"studies/{part(slug)}/recipes/", {"fields": fields})
        return found

    def add_recipe(self, slug: str, body: AddRecipe) -> Recipe:
        """The recipes of this installation; POST adds one, for all studies."""
        found: Recipe = self.call("POST", f"studies/{part(slug)}/recipes/", body=body, once=True)
        return found

    def remove_recipe(self, slug: str, judge: str) -> Any:
        """Remove a recipe that one has added oneself and that no run rests on."""
        found: Any = self.call("DELETE", f"studies/{part(slug)}/recipes/{part(judge)}/")
        return found

    def export_records(self, slug: str) -> HTTPResponse:
        """The newest report as records of Every Eval Ever 0.3, in one ZIP, as `manage.py
        eval_records` writes them."""
        found: HTTPResponse = self.open("GET", f"studies/{part(slug)}/records/", {})
        return found

    def get_newest_report(
        self,
        slug: str,
        *,
        consensus: str | None = None,
        positive_at: float | None = None,
        question: str | None = None,
        threshold: float | None = None,
    ) -> dict[str, Any]:
        """The newest report, as `manage.py report STUDY --json` prints it."""
        found: dict[str, Any] = self.call(
            "GET",
            f"studies/{part(slug)}/report/",
            {
                "consensus": consensus,
                "positive_at": positive_at,
                "question": question,
                "threshold": threshold,
            },
        )
        return found

    def list_reports(self, slug: str, *, fields: str | None = None) -> Iterator[Report]:
        """The stored reports; POST has a worker make a new one."""
        found: Iterator[Report] = self.pages(f"studies/{part(slug)}/reports/", {"fields": fields})
        return found

    def make_report(
        self,
        slug: str,
        *,
        consensus: str | None = None,
        positive_at: float | None = None,
        question: str | None = None,
        threshold: float | None = None,
    ) -> Message:
        """The stored reports; POST has a worker make a new one."""
        found: Message = self.call(
            "POST",
            f"studies/{part(slug)}/reports/",
            {
                "consensus": consensus,
                "positive_at": positive_at,
                "question": question,
                "threshold": threshold,
            },
            once=True,
        )
        return found

    def get_report(self, slug: str, report_id: int, *, fields: str | None = None) -> WholeReport:
        """One of the stored reports, by its id."""
        found: WholeReport = self.call(
            "GET", f"studies/{part(slug)}/reports/{part(report_id)}/", {"fields": fields}
        )
        return found

    def list_runs(self, slug: str, *, fields: str | None = None) -> Iterator[Run]:
        """The runs of a study; POST starts one, or continues it where it stopped."""
        found: Iterator[Run] = self.pages(f"studies/{part(slug)}/runs/", {"fields": fields})
        return found

    def start_run(self, slug: str, body: StartRun) -> Run:
        """The runs of a study; POST starts one, or continues it where it stopped."""
        found: Run = self.call("POST", f"studies/{part(slug)}/runs/", body=body, once=True)
        return found

    def get_run(self, slug: str, run_id: int, *, fields: str | None = None) -> Run:
        """One run and how far it is."""
        found: Run = self.call(
            "GET", f"studies/{part(slug)}/runs/{part(run_id)}/", {"fields": fields}
        )
        return found

    def cancel_run(self, slug: str, run_id: int) -> Run:
        """Stop after the current images; all scores are kept."""
        found: Run = self.call("POST", f"studies/{part(slug)}/runs/{part(run_id)}/cancel/")
        return found

    def plan_card(self, slug: str, run_id: int) -> dict[str, Any]:
        """What a card of this run's judge will take: pictures, seconds and price."""
        found: dict[str, Any] = self.call("GET", f"studies/{part(slug)}/runs/{part(run_id)}/card/")
        return found

    def measure_card(self, slug: str, run_id: int, body: Measure) -> Measurement:
        """Asks a worker to show the judge the pictures of its card. What has a score is not
        asked again. The card is studies/{slug}/questions/card/?judge=NAME."""
        found: Measurement = self.call(
            "POST", f"studies/{part(slug)}/runs/{part(run_id)}/card/", body=body, once=True
        )
        return found

    def resume_run(self, slug: str, run_id: int) -> Run:
        """Go on where the run was stopped."""
        found: Run = self.call("POST", f"studies/{part(slug)}/runs/{part(run_id)}/resume/")
        return found

    def list_scores(
        self,
        slug: str,
        *,
        failed: bool | None | None = None,
        fields: str | None = None,
        generator: str | None = None,
        image_id: str | None = None,
        judge: str | None = None,
    ) -> Iterator[Score]:
        """Scores of all judges, run by run; `failed=true` lists the images that could not be
        scored."""
        found: Iterator[Score] = self.pages(
            f"studies/{part(slug)}/scores/",
            {
                "failed": failed,
                "fields": fields,
                "generator": generator,
                "image_id": image_id,
                "judge": judge,
            },
        )
        return found

    def list_votes(self, slug: str, *, fields: str | None = None) -> Iterator[PairVote]:
        """Everybody's votes on pairs, without those that were corrected or taken back; for
        researchers only."""
        found: Iterator[PairVote] = self.pages(f"studies/{part(slug)}/votes/", {"fields": fields})
        return found

    def test_judge(self, body: dict[str, Any], file: tuple[str, bytes]) -> dict[str, Any]:
        """A judge's scores or votes on a published set beside people's, and its place among
        published judges, as `manage.py test_judge --json` prints them. Nothing is kept."""
        found: dict[str, Any] = self.call("POST", "test-judge/", body=body, file=file)
        return found

    def list_tokens(self, *, fields: str | None = None) -> Iterator[Token]:
        """Your tokens; POST makes one, in a session only: a token must not outlive itself."""
        found: Iterator[Token] = self.pages("tokens/", {"fields": fields})
        return found

    def make_token(self, body: NewToken) -> Made:
        """Your tokens; POST makes one, in a session only: a token must not outlive itself."""
        found: Made = self.call("POST", "tokens/", body=body)
        return found

    def revoke_token(self, token_id: int) -> Any:
        """Revoke a token."""
        found: Any = self.call("DELETE", f"tokens/{part(token_id)}/")
        return found
