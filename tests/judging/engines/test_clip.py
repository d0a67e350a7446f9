"""CLIP through both libraries: cosines and colors as their plain calls give them, one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from jurybox_judging.engines.clip import OpenClip, TransformersClip, cut_out, texts_of_color
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from jurybox_judging.protocols import ColorOf, Objects
from tests.judging.engines import tiny_clip
from tests.judging.engines.tiny_detectors import picture

COLORS = ("red", "green", "blue")
TEMPLATES = ("a photo of a {color} {noun}", "a photo of a {color}-colored {noun}", "a {color} one")
PICTURES = [picture(seed, 90 + 10 * seed, 80) for seed in range(4)]
TEXTS = ["a cat", "a red bus on a long road", "a cat", "a dog"]


@pytest.fixture(scope="module")
def transformers_checkpoint(tmp_path_factory):
    return str(tiny_clip.save_transformers_clip(tmp_path_factory.mktemp("transformers")))


@pytest.fixture(scope="module")
def open_clip_checkpoint(tmp_path_factory):
    return f"local-dir:{tiny_clip.save_open_clip(tmp_path_factory.mktemp('open_clip'))}"


@pytest.fixture(scope="module", params=["transformers", "open_clip"])
def pair(request, transformers_checkpoint, open_clip_checkpoint):
    """The engine, and the library's own way from one picture and one text to their embeddings."""
    torch = prepare()
    if request.param == "transformers":
        from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizer

        model = CLIPModel.from_pretrained(transformers_checkpoint).eval()
        look = CLIPImageProcessor.from_pretrained(transformers_checkpoint)
        words = CLIPTokenizer.from_pretrained(transformers_checkpoint)

        def plain(image, text):
            seen = model(
                **look(images=image, return_tensors="pt"),
                **words([text], padding="max_length", max_length=40, return_tensors="pt"),
            )
            return seen.image_embeds, seen.text_embeds

        engine = TransformersClip(transformers_checkpoint, device="cpu", batch=3)
    else:
        import open_clip

        model, look = open_clip.create_model_from_pretrained(open_clip_checkpoint)
        model.eval()
        words = open_clip.get_tokenizer(open_clip_checkpoint)

        def plain(image, text):
            seen = model.encode_image(look(image)[None], normalize=True)
            return seen, model.encode_text(words([text]), normalize=True)

        engine = OpenClip(open_clip_checkpoint, device="cpu", batch=3)

    def called(image, text):
        with torch.inference_mode():
            return plain(image, text)

    return engine, called


def test_similarities_are_the_cosines_of_the_library(pair):
    engine, plain = pair
    expected = []
    for image, text in zip(PICTURES, TEXTS, strict=True):
        seen, said = plain(image, text)
        expected.append(float(seen[0] @ said[0]))
    found = engine.similarities(list(zip(PICTURES, TEXTS, strict=True)))
    assert found == pytest.approx(expected, abs=1e-5)
    assert np.ptp(found) > 0.01


def test_colors_in_half_precision_are_those_of_genevals_own_steps(open_clip_checkpoint):
    """clip_benchmark's run_classification, as GenEval calls it: autocast, then 100 · features @ rows."""
    torch = prepare()
    import open_clip

    engine = OpenClip(open_clip_checkpoint, device="cpu", half_colors=True)
    model, look = open_clip.create_model_from_pretrained(open_clip_checkpoint)
    words = open_clip.get_tokenizer(open_clip_checkpoint)
    normal = torch.nn.functional.normalize
    crops = [_crop(image, at) for at, image in enumerate(PICTURES)]
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.float16):
        for (image, thing, want), found in zip(crops, engine.colors(crops), strict=True):
            rows = []
            for name in want.colors:
                texts = words(texts_of_color(want.noun, name, want.templates))
                row = normal(model.eval().encode_text(texts), dim=-1).mean(dim=0)
                rows.append(row / row.norm())
            seen = normal(model.encode_image(look(cut_out(image, thing, want))[None]), dim=-1)
            logits = 100.0 * seen @ torch.stack(rows, dim=1)
            assert logits.dtype == torch.float16
            assert found == want.colors[int(logits.argmax(1))]


def test_colors_are_those_of_one_call_per_crop_and_class(pair):
    torch = prepare()
    engine, plain = pair
    crops = [_crop(image, at) for at, image in enumerate(PICTURES)]
    found = engine.colors(crops)
    for (image, thing, want), color in zip(crops, found, strict=True):
        rows = []
        for name in COLORS:
            said = [plain(image, text)[1][0] for text in texts_of_color(want.noun, name, TEMPLATES)]
            mean = torch.stack(said).mean(0)
            rows.append(mean / mean.norm())
        seen, _ = plain(_officially_cut(image, thing, want), "x")
        assert color == COLORS[int((torch.stack(rows) @ seen[0]).argmax())]
    assert len(set(found)) > 1


def _crop(image, at, **options):
    width, height = image.size
    mask = np.zeros((height, width), dtype=bool)
    mask[10 : 40 + at, 5 : 50 + at] = True
    mask[12, 7] = False
    thing = {
        "class": "cat",
        "score": 0.9,
        "box": [5.0, 10.0, 50.0 + at, 40.0 + at],
        "mask": run_lengths.encode(prepare().from_numpy(mask[None]))[0],
    }
    noun = ("cat", "dog", "bus", "zebra")[at]
    return image, thing, ColorOf(Objects(), 0, noun, COLORS, TEMPLATES, **options)


def _officially_cut(image, thing, want):
    """Paint over the whole picture, then cut."""
    blank = Image.new("RGB", image.size, color=want.background)
    mask = Image.fromarray(run_lengths.decode(thing["mask"]))
    return Image.composite(image, blank, mask).crop(thing["box"])


@pytest.mark.parametrize("box", [[5, 10, 50, 40], [5.5, 9.5, 50.49, 40.51], [-3, -2, 200, 100]])
def test_cutting_first_and_painting_then_gives_the_same_pixels(box):
    image, thing, want = _crop(PICTURES[0], 0)
    thing["box"] = box
    cut = cut_out(image, thing, want)
    assert np.array_equal(np.array(cut), np.array(_officially_cut(image, thing, want)))


def test_the_original_background_is_left_alone():
    image, thing, want = _crop(PICTURES[0], 0, background="original")
    assert np.array_equal(np.array(cut_out(image, thing, want)), np.array(image.crop(thing["box"])))


def test_without_a_crop_the_whole_picture_is_painted_over():
    image, thing, want = _crop(PICTURES[0], 0, crop=False)
    whole = cut_out(image, thing, want)
    assert whole.size == image.size
    assert whole.getpixel((0, 0)) == (153, 153, 153)
    assert whole.getpixel((20, 20)) == image.getpixel((20, 20))


def test_a_thing_without_a_mask_is_only_cut_out():
    image, thing, want = _crop(PICTURES[0], 0)
    del thing["mask"]
    assert cut_out(image, thing, want).getpixel((2, 2)) == image.getpixel((7, 12))


def test_a_box_without_pixels_is_a_sentence():
    image, thing, want = _crop(PICTURES[0], 0)
    thing["box"] = [5.0, 10.0, 5.2, 40.0]
    with pytest.raises(ValueError, match="holds no pixel"):
        cut_out(image, thing, want)


def test_a_picture_turned_by_exif_no_longer_fits_its_mask(transformers_checkpoint, tmp_path):
    image, thing, want = _crop(PICTURES[0], 0)
    turn = Image.Exif()
    turn[0x0112] = 6
    image.save(tmp_path / "turned.png", exif=turn)
    engine = TransformersClip(transformers_checkpoint, device="cpu")
    with Image.open(tmp_path / "turned.png") as turned, pytest.raises(ValueError, match="EXIF"):
        engine.colors([(turned, thing, want)])


def test_a_text_goes_through_the_model_once(transformers_checkpoint):
    engine = TransformersClip(transformers_checkpoint, device="cpu")
    engine.load()
    asked = []
    embed = engine._embed_texts
    engine._embed_texts = lambda texts: asked.extend(texts) or embed(texts)
    engine.colors([_crop(image, 0) for image in PICTURES])
    engine.colors([_crop(PICTURES[0], 1)])
    # Two nouns: two templates name them, the third one does not and is shared.
    assert len(asked) == len(set(asked)) == len(COLORS) * (2 * 2 + 1)
    engine.similarities([(PICTURES[0], asked[0])])
    assert len(asked) == len(set(asked))


def test_a_lower_precision_is_nearly_the_same(open_clip_checkpoint):
    pairs = list(zip(PICTURES, TEXTS, strict=True))
    exact, rough = (
        OpenClip(open_clip_checkpoint, device="cpu", precision=precision).similarities(pairs)
        for precision in ("float32", "bfloat16")
    )
    assert exact != rough
    assert exact == pytest.approx(rough, abs=0.05)


def test_an_open_clip_file_lacking_a_weight_stops_with_its_name(tmp_path):
    from safetensors.torch import load_file, save_file

    tiny_clip.save_open_clip(tmp_path)
    file = tmp_path / "open_clip_model.safetensors"
    state = load_file(file)
    del state["visual.proj"]
    state["visual.stranger"] = prepare().zeros(1)
    save_file(state, file)
    with pytest.raises(EngineRefused) as refused:
        OpenClip(f"local-dir:{tmp_path}", device="cpu").load()
    assert "it lacks: visual.proj" in str(refused.value)
    assert "does not know: visual.stranger" in str(refused.value)


def test_a_transformers_clip_lacking_a_weight_stops_with_its_name(tmp_path):
    from safetensors.torch import load_file, save_file

    tiny_clip.save_transformers_clip(tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    del state["visual_projection.weight"]
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineRefused, match=r"it lacks: visual_projection\.weight"):
        TransformersClip(str(tmp_path), device="cpu").load()


def test_a_folder_is_known_by_its_content_with_or_without_the_word_before_it(open_clip_checkpoint):
    folder = open_clip_checkpoint.removeprefix("local-dir:")
    named, plain = OpenClip(open_clip_checkpoint), OpenClip(folder, device="cpu")
    assert named.facts["content"] == plain.facts["content"]
    assert "/" not in named.facts["checkpoint"]
    plain.load()


@pytest.mark.parametrize("checkpoint", ["local-dir:/nowhere", "no-such-tag"])
def test_weights_that_are_not_there_are_a_sentence(checkpoint):
    with pytest.raises(EngineRefused, match=f"“{checkpoint}” cannot be loaded"):
        OpenClip(checkpoint, model="ViT-B-32").load()
