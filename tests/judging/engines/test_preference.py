"""PickScore, HPSv2 and ImageReward: the authors' arithmetic over the towers of our libraries."""

from __future__ import annotations

import re

import pytest
from PIL import Image

from jurybox_judging.engines.preference import HPSv2, ImageReward, PickScore
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_clip, tiny_reward
from tests.judging.engines.tiny_detectors import picture

PICTURES = [picture(1, 96, 64), picture(2, 64, 96)]
PAIRS = [(PICTURES[0], "a red cat"), (PICTURES[1], "two dogs"), (PICTURES[0], "a bus")]


def test_pickscore_is_a_cosine_without_the_scale_of_training(tmp_path):
    torch = prepare()
    folder = str(tiny_clip.save_transformers_clip(tmp_path))
    from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizer

    model = CLIPModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        seen = model(
            **CLIPImageProcessor.from_pretrained(folder)(images=PICTURES[0], return_tensors="pt"),
            **CLIPTokenizer.from_pretrained(folder)(["a red cat"], return_tensors="pt"),
        )
    found = PickScore(folder, device="cpu", processor=folder).similarities(PAIRS)
    scaled = float(seen.logits_per_image[0, 0])
    assert found[0] == pytest.approx(scaled / model.logit_scale.exp().item(), abs=1e-5)


def test_hpsv2_sees_the_whole_picture_with_bars_beside_it(tmp_path):
    checkpoint = f"local-dir:{tiny_clip.save_open_clip(tmp_path)}"
    wide = PICTURES[0]  # 96 × 64 becomes 32 × 21 between bars of 5 and 6 rows
    barred = Image.new("RGB", (32, 32))
    barred.paste(wide.resize((32, 21), Image.Resampling.BICUBIC), (0, 5))
    whole = HPSv2(checkpoint, device="cpu").similarities([(wide, "a red cat")])
    by_hand = HPSv2(checkpoint, device="cpu").similarities([(barred, "a red cat")])
    cut = HPSv2(checkpoint, device="cpu", resize="shortest").similarities([(wide, "a red cat")])
    assert whole == pytest.approx(by_hand, abs=1e-3)
    assert abs(whole[0] - cut[0]) > 0.01


@pytest.fixture(scope="module")
def reward(tmp_path_factory):
    return tiny_reward.save(tmp_path_factory.mktemp("reward"))


def _engine(reward, checkpoint=None):
    return ImageReward(str(checkpoint or reward.file), device="cpu", tokenizer=str(reward.words))


def test_image_reward_is_the_authors_arithmetic(reward):
    found = _engine(reward).similarities(PAIRS)
    expected = [reward.score(image, text) for image, text in PAIRS]
    assert found == pytest.approx(expected, abs=1e-4)
    assert len(set(found)) == 3


def test_image_reward_without_a_weight_stops_with_its_name(reward, tmp_path):
    state = dict(prepare().load(reward.file, weights_only=True))
    del state["blip.visual_encoder.blocks.1.mlp.fc2.bias"]
    prepare().save(state, tmp_path / "lost.pt")
    with pytest.raises(EngineRefused, match=re.escape("encoder.layers.1.mlp.fc2.bias")):
        _engine(reward, tmp_path / "lost.pt").load()


def test_another_models_file_is_refused(reward, tmp_path):
    prepare().save({"linear.weight": prepare().zeros(2, 2)}, tmp_path / "other.pt")
    with pytest.raises(EngineRefused, match="do not fit"):
        _engine(reward, tmp_path / "other.pt").load()
