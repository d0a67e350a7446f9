"""Training by weighted images: the loss against the official expression, and a tiny pipeline that learns."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from annotations.errors import Refused
from annotations.storage.written_files import WrittenFolder
from judges.generating import train
from judges.generating.train import Settings, Training, examples_in
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.methods.gors import loss
from tests import making
from tests.judges.generating import tiny_pipelines

if find_spec("diffusers") is None or find_spec("peft") is None:
    pytest.skip("diffusers and peft are not installed", allow_module_level=True)

torch = prepare()
pytestmark = pytest.mark.neural
QUICK = Settings(steps=4, batch=2, size=16, rate=1e-2, text_rate=1e-3, dropout=0.0, save_every=2)


def latents(batch: int):
    torch.manual_seed(batch)
    said, wanted = torch.randn(2, batch, 4, 8, 8).unbind()
    return said.requires_grad_(), wanted, torch.rand(batch)


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_the_loss_is_the_official_expression(batch):
    said, wanted, reward = latents(batch)
    official = torch.nn.functional.mse_loss(said, wanted, reduction="none")
    official = (reward * official.mean([1, 2, 3])).mean()
    assert abs(float((loss(said, wanted, reward) - official).detach())) <= 1e-6
    ones = torch.ones(batch)
    plain = torch.nn.functional.mse_loss(said, wanted)
    assert abs(float((loss(said, wanted, ones) - plain).detach())) <= 1e-6
    normalised = loss(said, wanted, reward, normalised=True).detach()
    assert abs(float(normalised - (official / reward.mean()).detach())) <= 1e-6


def test_the_gradient_is_that_of_each_image_times_its_weight_over_the_batch():
    said, wanted, reward = latents(5)
    reward[3] = 0
    (together,) = torch.autograd.grad(loss(said, wanted, reward), said)
    for place in range(5):
        alone = torch.nn.functional.mse_loss(said[place], wanted[place])
        (gradient,) = torch.autograd.grad(alone, said)
        expected = reward[place] / 5 * gradient[place]
        assert torch.allclose(together[place], expected, atol=1e-8)
    assert not together[3].any()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set")
    (folder / "train").mkdir()
    lines = []
    for number, weight in enumerate((1.0, 0.5, 0.25)):
        (folder / "train" / f"{number}.png").write_bytes(making.png((80 * number, 30, 200), 20))
        lines.append({"file_name": f"{number}.png", "text": "a red cat", "weight": weight})
    (folder / "train" / "metadata.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def training(data, folder, kind="first", settings=QUICK):
    return Training(getattr(tiny_pipelines, kind)(folder), examples_in(data), settings)


def mean_loss(made: Training) -> float:
    made._train_mode(False)
    with torch.no_grad():
        return sum(float(made.loss_of(made.examples, 10**6 + seed)) for seed in range(8)) / 8


@pytest.mark.parametrize("kind", ["first", "third"])
def test_training_lowers_the_weighted_loss_of_the_rewarded_images(data, tmp_path, kind):
    made = training(data, tmp_path, kind)
    before = mean_loss(made)
    for _ in range(30):
        made.take_step()
    assert mean_loss(made) < 0.99 * before


def test_v_is_learned_where_the_scheduler_predicts_it(data, tmp_path):
    made = training(data, tmp_path)
    made.pipeline.scheduler.register_to_config(prediction_type="v_prediction")
    clean, noise = torch.randn(2, 2, 4, 8, 8).unbind()
    noisy, times, target = made.noised(clean, noise, torch.Generator().manual_seed(0))
    kept = made.pipeline.scheduler.alphas_cumprod[times].reshape(-1, 1, 1, 1)
    assert torch.allclose(noisy, kept**0.5 * clean + (1 - kept) ** 0.5 * noise, atol=1e-6)
    assert torch.allclose(target, kept**0.5 * noise - (1 - kept) ** 0.5 * clean, atol=1e-6)
    before = mean_loss(made)
    for _ in range(20):
        made.take_step()
    assert mean_loss(made) < before


def test_a_run_that_was_cut_off_goes_on_as_if_nothing_had_happened(data, tmp_path):
    whole = training(data, tmp_path / "1")
    whole.run(tmp_path / "whole")
    first = training(data, tmp_path / "2")
    first.take_step()
    first.take_step()
    first.save(WrittenFolder(tmp_path / "cut", "training"))
    second = training(data, tmp_path / "3")
    second.run(tmp_path / "cut")
    assert second.step == 4
    for one, other in zip(
        train.trained(whole.denoiser), train.trained(second.denoiser), strict=True
    ):
        assert torch.equal(one, other)
    third = training(data, tmp_path / "4", settings=Settings(seed=1, size=16))
    with pytest.raises(Refused, match="another training"):
        third.resume(tmp_path / "cut")


def test_weights_of_somebody_else_are_not_written_over(data, tmp_path):
    weights = tmp_path / "out" / train.WEIGHTS
    weights.parent.mkdir()
    weights.write_bytes(b"mine")
    with pytest.raises(Refused, match="is not empty"):
        training(data, tmp_path / "1").run(weights.parent)
    assert weights.read_bytes() == b"mine"


def test_what_was_trained_is_loaded_by_the_pipeline_and_moves_its_images(data, tmp_path):
    from judges.generating.pipelines import How, Wish, make

    made = training(data, tmp_path / "1")
    made.run(tmp_path / "out")
    assert (tmp_path / "out" / "pytorch_lora_weights.safetensors").exists()
    plain = tiny_pipelines.first(tmp_path / "2")
    how, wish = How(steps=2, height=16, width=16), Wish("a red cat", 1)
    before = make(plain, wish, how, output="np")
    plain.load_lora_weights(str(tmp_path / "out"))
    assert abs(make(plain, wish, how, output="np") - before).max() > 1e-5
    names = dict(plain.text_encoder.named_parameters())
    assert any("lora" in name for name in names)


@pytest.mark.parametrize(
    ("given", "batch", "steps", "whose"),
    [
        ([], 2, 15_000, "the code's"),
        (["--like", "paper"], 5, 50_000, "the paper's"),
        (["--like", "paper", "--steps", "100000"], 5, 100_000, "the paper's"),
    ],
)
def test_the_numbers_are_the_codes_or_the_papers_and_say_whose(
    data, tmp_path, monkeypatch, capsys, given, batch, steps, whose
):
    taken = []
    monkeypatch.setattr(train, "load", lambda path, **where: "pipeline")

    class Training:
        def __init__(self, pipeline, examples, settings):
            taken.append(settings)

        def run(self, out):
            """Nothing is trained."""

    monkeypatch.setattr(train, "Training", Training)
    train.main(["--pipeline", "p", "--data", str(data), "--out", str(tmp_path), *given])
    (settings,) = taken
    assert (settings.batch, settings.steps, settings.rate) == (batch, steps, 1e-4)
    assert whose in capsys.readouterr().out


def test_the_script_trains_from_folders(data, tmp_path, capsys):
    tiny_pipelines.first(tmp_path / "words").save_pretrained(tmp_path / "pipeline")
    out = tmp_path / "out"
    given = ["--pipeline", str(tmp_path / "pipeline"), "--data", str(data), "--out", str(out)]
    train.main([*given, "--steps", "2", "--size", "16"])
    assert (out / "pytorch_lora_weights.safetensors").exists()
    with pytest.raises(SystemExit):
        train.main([*given[:2], "--data", str(tmp_path), "--out", str(out)])
    assert "has no train/metadata.jsonl" in capsys.readouterr().err
