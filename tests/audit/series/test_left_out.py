"""What nobody has labelled stays on the disk, and every digit is that of the database."""

import gc
from functools import partial

import numpy as np
import pytest

from annotations.models import Annotation, Answer, Atom, Image, Prompt, Study
from audit.reports.make import Computation
from audit.reports.options import Options
from audit.reports.pairing import Database
from audit.reports.progress import Progress
from audit.series import lake as read
from audit.series import lake_columns as columns
from audit.series.lake import LakeStudy
from audit.series.lake_files import LakeRefused
from audit.series.write_lake import write_study
from judges.intake import bring_in
from judges.models import AtomScore, Score
from jurybox_formats.registry import Source
from tests.audit.series import tables as made_tables

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def once(make_once, tmp_path_factory):
    return make_once(partial(build_study, tmp_path_factory.mktemp("once"))).pk


def build_study(folder):
    """200 images, of which three people have labelled 150: of gen-4 none, of one tag, number of atoms and
    variant none either. Judgements are missing or have failed on both sides; one judge gives verdicts."""
    tables = made_tables.write(folder / "tables", images=200, judges=2)
    head, *rows = (tables / "labels.csv").read_text().splitlines()
    labels = [head, *(row for row in rows if _is_labelled(row.partition(",")[0]))]
    (tables / "labels.csv").write_text("\n".join(labels))
    bring_in.import_study(slug="audited", format="tidy", source=Source(tables))
    study = Study.objects.get(slug="audited")
    for place, prompt in enumerate(Prompt.objects.filter(study=study).order_by("key")):
        prompt.tags = ["all", f"tag {place % 3}"] if place % 7 else []
        prompt.atomicity = place % 4 or None
        prompt.save()
    Image.objects.filter(study=study, key__regex="[02468]$").update(variant="rewritten")
    silent = Image.objects.filter(study=study, generator__name="gen-4")
    silent.filter(key__in=["im-4", "im-9"]).update(variant="seldom")
    prompts = Prompt.objects.filter(images__in=Image.objects.filter(study=study, variant="seldom"))
    Image.objects.filter(prompt__in=prompts).exclude(generator__name="gen-4").delete()
    prompts.update(tags=["nobody's"], atomicity=9)
    for score in Score.objects.filter(run__study=study, run__judge__name="judge-1"):
        score.correct = score.value >= 0.5
        score.save()
    spoil_scores(study)
    return study


def _is_labelled(image):
    return int(image.removeprefix("im-")) % 5 != 4 and int(image.removeprefix("im-")) % 16


def spoil_scores(study):
    scores = Score.objects.filter(run__study=study).order_by("run", "image__key")
    for place, score in enumerate(scores):
        if place % 13 == 0:
            Score.objects.filter(pk=score.pk).update(value=None, error="broken", correct=None)
        elif place % 17 == 0:
            score.delete()
        elif place % 19 == 0:
            Score.objects.filter(pk=score.pk).update(assumed=2)


@pytest.fixture
def study(db, once):
    return Study.objects.get(pk=once)


@pytest.fixture
def lake(study, tmp_path):
    return partial(_lake_of, study, tmp_path / "lake")


def _lake_of(study, folder):
    write_study(study, folder, people="nobody")
    return LakeStudy(folder / "audited")


def body_of(source, **options):
    return Computation(source, Options(resamples=50, **options), Progress()).body


def test_a_report_of_a_lake_in_which_little_is_labelled_is_the_databases(study, lake):
    expected = body_of(Database(study))
    assert expected["missing"]["labels"] > 40
    assert expected["people"]["by_tag"]["nobody's"]["krippendorff_alpha"]["nominal"] == {
        "undefined": "no unit has two ratings",
        "n": 2,
    }
    judged = expected["judges"]["judge-0"]
    assert judged["by_variant"]["seldom"]["n"] == judged["by_atomicity"]["9"]["n"] == 0
    trusted = expected["judges"]["judge-0"]["overall"]["trusted_share"]
    assert trusted["to_people"] > expected["people"]["images"]
    assert body_of(lake()) == expected


@pytest.mark.parametrize("consensus", ["unanimous", "dawid-skene"])
def test_so_it_is_by_another_consensus(study, lake, consensus):
    expected = body_of(Database(study), consensus=consensus)
    assert body_of(lake(), consensus=consensus) == expected


def test_so_it_is_at_a_threshold_that_is_given(study, lake):
    expected = body_of(Database(study), threshold=0.6)
    assert body_of(lake(), threshold=0.6) == expected


def test_so_it_is_where_scores_lie_outside_of_nought_and_one_on_an_unlabelled_image(study, lake):
    silent = Score.objects.filter(run__study=study, image__generator__name="gen-4")
    Score.objects.filter(pk=silent.first().pk).update(value=7.5)
    expected = body_of(Database(study))
    assert "do not lie between" in str(expected)
    assert body_of(lake()) == expected


def test_so_it_is_where_each_image_has_one_answer(study, lake):
    Annotation.objects.filter(study=study).exclude(annotator__name="rater-1").delete()
    expected = body_of(Database(study))
    assert expected["people"]["unanimous"]["n"] == Image.objects.filter(study=study).count()
    assert body_of(lake()) == expected


def test_so_it_is_where_people_rate_in_steps(study, lake):
    for answer in Answer.objects.filter(annotation__study=study):
        answer.question, answer.value = "looks", 1 + (answer.pk * 7919) % 5
        answer.save()
    expected = body_of(Database(study))
    assert expected["scale"] == "rating"
    assert body_of(lake()) == expected


def test_so_it_is_where_nobody_has_answered(study, lake):
    Annotation.objects.filter(study=study).delete()
    assert body_of(lake()) == body_of(Database(study))


def test_so_it_is_with_atoms_that_were_labelled_on_some_images(study, lake):
    forms = Annotation.objects.filter(study=study).order_by("pk")
    for number, form in enumerate(forms):
        atom, _ = Atom.objects.get_or_create(
            prompt=form.image.prompt, index=1 + number % 2, defaults={"kind": "count", "text": "2"}
        )
        Answer.objects.create(annotation=form, question="atom", atom=atom, value=number % 3 > 0)
    for score in Score.objects.filter(run__study=study, value__isnull=False):
        for atom in score.image.prompt.atoms.all():
            AtomScore.objects.create(score=score, atom=atom, value=(atom.pk * 37 % 10) / 10)
    expected = body_of(Database(study))
    assert expected["judges"]["judge-0"]["by_atom_kind"]["count"]["n"] > 30
    assert body_of(lake()) == expected


def test_only_what_people_have_labelled_comes_into_memory(study, lake):
    paired = lake().pair("aligned")
    everything = paired.everything.people
    labelled = Image.objects.filter(study=study, annotations__isnull=False).distinct()
    assert list(paired.people.images[:]) == sorted(labelled.values_list("key", flat=True))
    assert list(everything.images[:]) == sorted(study.images.values_list("key", flat=True))
    assert len(paired.people.images) < len(everything.images) - 40
    assert _longest_array(paired) == len(paired.people.images)


def _longest_array(paired):
    held = [paired.people, paired.everything.people, *paired.judges, *paired.everything.judges]
    arrays = [
        value for one in held for value in vars(one).values() if isinstance(value, np.ndarray)
    ]
    return max(array.shape[-1] for array in arrays)


def test_the_columns_on_the_disk_go_with_the_study(lake):
    source = lake()
    folder = source.columns.folder
    assert source.pair("aligned").everything.people.prompts.size
    assert folder.exists()
    del source
    gc.collect()
    assert not folder.exists()


def test_a_full_disk_is_named_and_not_the_lake(lake, monkeypatch):
    source = lake()

    def save(path, values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(columns.np, "save", save)
    with pytest.raises(LakeRefused, match="jurybox-lake-.* cannot be written: No space left"):
        source.pair("aligned")


def test_an_image_of_a_prompt_that_the_lake_does_not_hold_is_refused(lake, monkeypatch):
    source = lake()
    source.base.execute("UPDATE places SET prompt_id = 'gone' WHERE place = 3")
    with pytest.raises(LakeRefused, match="images of prompts or generators that it does not hold"):
        source.pair("aligned")


def test_the_order_in_which_parts_are_read_changes_nothing(study, lake, monkeypatch):
    monkeypatch.setattr(read, "ROWS", 7)
    assert body_of(lake()) == body_of(Database(study))
