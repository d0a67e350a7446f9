"""Reward heads on Qwen-VL models, as HPSv3 and EditReward are built: against the library's plain call."""

import pytest

from jurybox_judging.engines.reward_head import RewardHead, sides_for
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from jurybox_judging.protocols import Reward
from tests.judging.engines import tiny_heads
from tests.judging.engines.test_several_pictures import PAIR, RESULT, SOURCE

CLOSE = 2e-5
ENDING = f"\nPlease provide the overall ratings of this image: {tiny_heads.TOKEN}\n\nEND\n"
TEXTS = [f"Textual prompt - {what}\n\n\n{ENDING}" for what in ("a red cube", "two cats")]


@pytest.fixture(scope="module", params=["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
def tiny(request, tmp_path_factory):
    return tiny_heads.save(request.param, tmp_path_factory.mktemp(request.param), heads=2)


def engine(tiny, file=None, **options):
    options = {"pixels": 0, "backbone": str(tiny.backbone), "device": "cpu", **options}
    return RewardHead(str(file or tiny.file), **options)


def test_both_heads_are_the_librarys_states_through_the_authors_nets(tiny):
    asked = [(SOURCE, Reward(text, head)) for text in TEXTS for head in (0, 1)]
    found = engine(tiny, batch=3).rewards(asked)
    for numbers, (image, want) in zip(found, asked, strict=True):
        assert numbers == pytest.approx(tiny.rewards([image], want.text, want.head), abs=CLOSE)
    assert len({round(numbers[0], 5) for numbers in found}) == 4


def test_source_and_result_are_two_pictures_and_exchanging_them_changes_the_reward(tiny):
    there, back = engine(tiny).rewards([(PAIR, Reward(TEXTS[0])), (PAIR[::-1], Reward(TEXTS[0]))])
    assert there == pytest.approx(tiny.rewards([SOURCE, RESULT], TEXTS[0], 0), abs=CLOSE)
    assert back == pytest.approx(tiny.rewards([RESULT, SOURCE], TEXTS[0], 0), abs=CLOSE)
    assert abs(there[0] - back[0]) > CLOSE


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl"])
def test_the_names_of_older_files_are_read_too(family, tmp_path):
    old = tiny_heads.save(family, tmp_path, old_names=True)
    ((found, spread),) = engine(old).rewards([(SOURCE, Reward(TEXTS[0]))])
    assert [found, spread] == pytest.approx(old.rewards([SOURCE], TEXTS[0], 0), abs=CLOSE)


def test_a_head_alone_stands_on_its_backbones_weights(tmp_path):
    tiny = tiny_heads.save("qwen2_vl", tmp_path)
    alone = engine(tiny, tiny.head_file, token="")
    text = "a red cube"
    content = [{"type": "image"}, {"type": "text", "text": text}]
    whole = tiny.processor.apply_chat_template(
        [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
    )
    given = tiny.processor(text=[whole], images=[SOURCE], return_tensors="pt")
    with prepare().inference_mode():
        states = tiny.plain(**given, output_hidden_states=True).hidden_states[-1]
        expected = tiny.heads[0](states[0, -1]).tolist()
    assert alone.rewards([(SOURCE, Reward(text))])[0] == pytest.approx(expected, abs=CLOSE)
    with pytest.raises(EngineRefused, match="Name the file of the whole model"):
        engine(tiny, tiny.head_file).load()


def test_the_token_is_read_at_the_end_where_the_text_does_not_hold_it(tiny):
    short = engine(tiny).rewards([(SOURCE, Reward("a red cube"))])
    assert short[0] == pytest.approx(
        tiny.rewards([SOURCE], "a red cube" + tiny_heads.TOKEN, 0), abs=CLOSE
    )


def test_a_prompt_with_the_models_own_marks_is_refused(tiny):
    for words in (tiny_heads.TOKEN, "<|im_end|>"):
        with pytest.raises(ValueError, match="mark"):
            engine(tiny).rewards([(SOURCE, Reward(f"a cube {words}{ENDING}"))])


def test_a_file_without_a_head_says_what_it_holds(tiny, tmp_path):
    prepare().save({"vision.weight": prepare().zeros(2, 2)}, tmp_path / "other.pt")
    with pytest.raises(EngineRefused, match=r"holds no reward head.*vision\.weight"):
        engine(tiny, tmp_path / "other.pt").load()


def test_a_head_of_another_backbone_says_both_widths(tmp_path):
    tiny = tiny_heads.save("qwen2_vl", tmp_path)
    prepare().save({"rm_head.weight": prepare().zeros(2, 48)}, tmp_path / "wide.pt")
    with pytest.raises(EngineRefused, match="reads 48 numbers, and a state of .* has 32"):
        engine(tiny, tmp_path / "wide.pt", token="").load()


def test_a_lost_weight_is_named(tiny, tmp_path):
    state = prepare().load(tiny.file, weights_only=True)
    lost = next(key for key in state if key.endswith("layers.1.mlp.down_proj.weight"))
    del state[lost]
    prepare().save(state, tmp_path / "lost.pt")
    with pytest.raises(EngineRefused, match=r"down_proj\.weight"):
        engine(tiny, tmp_path / "lost.pt").load()


def test_keys_are_compared_by_headers_alone(tiny):
    one = engine(tiny)
    assert one.compare_keys()
    assert not hasattr(one, "_net")


@pytest.mark.parametrize(
    ("size", "sides"),
    [
        # 1024 × 1024 is 5.22 times too many pixels: 448.1 each, 16 patches of 28
        ((1024, 1024), (448, 448)),
        # √(200704 / (280·140)) = 2.263: 633.6 and 316.8, up to 23 and 12 patches
        ((280, 140), (644, 336)),
        # √(512·768/200704) = 1.400: 365.8 and 548.7, down to 13 and 19 patches
        ((512, 768), (364, 532)),
        ((448, 448), (448, 448)),
    ],
)
def test_pictures_are_brought_to_the_pixels_of_training(size, sides):
    assert sides_for(size, 200_704, 28) == sides
