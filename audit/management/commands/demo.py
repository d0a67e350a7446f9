"""`manage.py demo`: the whole product with one command, embedded, on the built-in bench."""

import signal
import time

from django.conf import settings
from django.core.management import CommandError, call_command

from annotations.management.command import PlainCommand
from annotations.models import Study
from audit import demo
from audit.installation import processes, vega_script
from audit.reports import make as reports
from judges import tasks
from judges.runs import score_chunk
from jurybox_formats.sets.builtin.study import SEED


class Command(PlainCommand):
    help = "Build the demo study, start the web server and a worker, run the built-in judges."

    def arguments(self, add) -> None:
        add("--prompts", type=int, default=demo.PROMPTS)
        add("--generators", type=int, default=demo.GENERATORS, choices=range(1, 7))
        add("--size", "pixels, 128 to 1024", type=int, default=demo.SIZE)
        add("--seed", type=int, default=SEED)
        add("--signs", "signs of each generator in the second study", type=int, default=demo.SIGNS)
        add("--edits", "scenes to edit in the third study", type=int, default=demo.EDITS)
        here = "run the judges here and return, without starting web server and worker"
        add.flag("--no-serve", here)

    def handle(self, *, prompts, generators, size, seed, signs, edits, no_serve, **options) -> None:
        if prompts < 1 or not 128 <= size <= 1024:
            raise CommandError("Ask for at least 1 prompt, and 128 to 1024 pixels.")
        if not no_serve:
            processes.check_port(settings.PORT)
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        study = Study.objects.filter(slug=demo.SLUG).first()
        if study is None or not study.images.exists():
            self.stdout.write("Drawing the demo study …")
            study = demo.build_demo(prompts=prompts, generators=generators, size=size, seed=seed)
        else:
            self.stdout.write("The demo study is there already and is kept as it is.")
        logins = demo.demo_logins(study)
        runs = demo.start_judges(study)
        studies = [study]
        if signs and (second := demo.build_signs(prompts=signs)):
            studies.append(second)
            demo.demo_logins(second)
            runs += demo.start_readers(second)
        if edits and (third := demo.build_edits(prompts=edits)):
            studies.append(third)
            demo.demo_logins(third)
            runs += demo.start_comparing(third)
        if not no_serve:
            self._serve(runs, logins)
            return
        for run in runs:
            score_chunk.work_off(run=run)
        for one in studies:
            reports.make_report(study=one)
        self.stdout.write("The judges are done: manage.py report demo")

    def _serve(self, runs, logins: dict[str, str]) -> None:
        # SIGTERM ends the demo like Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        web = processes.web_command(settings.PORT)
        address = f"http://127.0.0.1:{settings.PORT}/"
        workers = processes.workers_command(seconds_to_end=8)
        with processes.running(web, workers) as children:
            try:
                processes.wait_for(f"{address}healthz", children)
                for run in runs:
                    tasks.wake(run)
                vega_script.bundle()
                self._greet(address, logins)
                while all(child.poll() is None for child in children):
                    time.sleep(0.5)
                raise CommandError("The web server or the worker ended by itself; see above.")
            except KeyboardInterrupt:
                self.stdout.write("\nStopping web server and worker; the data is kept.")

    def _greet(self, address: str, logins: dict[str, str]) -> None:
        self.stdout.write(f"Jurybox is at {address}studies/{demo.SLUG}/audit/")
        for name, password in logins.items():
            self.stdout.write(f"  log in as {name:<12} password {password}")
        self.stdout.write("The judges are running and the page updates by itself. Ctrl-C stops.")
        self.stdout.flush()
