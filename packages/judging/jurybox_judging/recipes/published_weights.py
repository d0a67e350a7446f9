"""What is known of published weights before any of it is fetched: how many parameters, how large the files
are, and under which licence, as their pages tell. Rounded: enough to know whether they fit.
"""

from __future__ import annotations

from dataclasses import dataclass

HUB = "https://huggingface.co"
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1}


@dataclass(frozen=True, slots=True)
class Published:
    """`parameters` in thousands of millions; `licence` is empty where none is stated."""

    parameters: float
    download_gb: float
    licence: str
    repository: str = ""

    def memory_gb(self, precision: str) -> float:
        """Of the weights alone; pictures and texts come on top of it."""
        return self.parameters * BYTES.get(precision, 4)


def _on_hub(name: str, parameters: float, download_gb: float, licence: str) -> dict[str, Published]:
    return {name: Published(parameters, download_gb, licence, name)}


APACHE, MIT, BSD = "Apache-2.0", "MIT", "BSD-3-Clause"
# By the name of the repository; open_clip's by model and tag; a file's by the engine that reads it.
PUBLISHED: dict[str, Published] = {
    **_on_hub("Qwen/Qwen2-VL-7B-Instruct", 8.29, 16.6, APACHE),
    **_on_hub("Qwen/Qwen2.5-VL-7B-Instruct", 8.29, 16.6, APACHE),
    **_on_hub("Qwen/Qwen3-VL-8B-Instruct", 8.77, 17.5, APACHE),
    **_on_hub("Qwen/Qwen3.5-27B", 27, 54, APACHE),
    **_on_hub("Qwen/Qwen3-VL-8B-Thinking", 8.77, 17.5, APACHE),
    **_on_hub("MizzenAI/HPSv3", 8.29, 16.6, MIT),
    **_on_hub("CodeGoat24/UnifiedReward-qwen-7b", 8.29, 16.6, MIT),
    **_on_hub("CodeGoat24/UnifiedReward-2.0-qwen-7b", 8.29, 16.6, MIT),
    **_on_hub("google/siglip2-so400m-patch14-384", 1.14, 4.54, APACHE),
    **_on_hub("zhiqiulin/clip-flant5-xxl", 11.2, 22.4, APACHE),
    **_on_hub("llava-hf/llava-1.5-13b-hf", 13.4, 26.7, "Llama 2"),
    **_on_hub("google/gemma-3-12b-it", 12.2, 24.4, "Gemma; to be agreed to on its page"),
    **_on_hub("Salesforce/instructblip-flan-t5-xxl", 12.3, 49, MIT),
    **_on_hub("Salesforce/blip2-flan-t5-xxl", 12.2, 49, MIT),
    **_on_hub("OpenGVLab/InternVL3-8B-hf", 7.94, 15.9, "MIT, with Qwen’s"),
    **_on_hub("Salesforce/blip-vqa-capfilt-large", 0.385, 1.54, BSD),
    **_on_hub("Salesforce/blip-itm-large-coco", 0.447, 1.79, BSD),
    **_on_hub("Salesforce/blip2-itm-vit-g", 1.17, 4.7, MIT),
    **_on_hub("Intel/dpt-hybrid-midas", 0.123, 0.49, APACHE),
    **_on_hub("IDEA-Research/grounding-dino-base", 0.233, 0.93, APACHE),
    **_on_hub("facebook/mask2former-swin-small-coco-instance", 0.069, 0.28, MIT),
    **_on_hub("google/owlv2-base-patch16-ensemble", 0.155, 0.62, APACHE),
    **_on_hub("yuvalkirstain/PickScore_v1", 0.986, 3.94, ""),
    **_on_hub("openai/clip-vit-large-patch14", 0.428, 1.71, MIT),
    "ViT-L-14 openai": Published(0.428, 1.71, MIT, "timm/vit_large_patch14_clip_224.openai"),
    "ViT-B-32 openai": Published(0.151, 0.61, MIT, "timm/vit_base_patch32_clip_224.openai"),
    "ViT-H-14 laion2b_s32b_b79k": Published(
        0.986, 3.94, MIT, "laion/CLIP-ViT-H-14-laion2B-s32B-b79K"
    ),
    "MMDetection": Published(0.069, 0.28, APACHE),
    "BlipVqa": Published(0.385, 1.54, BSD),
    "HPSv2": Published(0.986, 1.97, APACHE),
    "ImageReward": Published(0.447, 1.79, APACHE),
}


def find(engine: str, checkpoint: str, model: str = "") -> Published | None:
    """`engine`: the name of its class, for those whose weights are an author's file."""
    names = (checkpoint.removeprefix("hf-hub:").partition(":")[0], f"{model} {checkpoint}".strip())
    if not checkpoint:
        return PUBLISHED.get(engine)
    return next((PUBLISHED[name] for name in names if name in PUBLISHED), None)
