"""The papers' forms in German and Simplified Chinese: Jurybox's translation, not the papers'.

The papers' English stays the source. Each text has one translation, wherever it stands; names of objects and
prompts stay in English, as an image's prompt does.
"""

from __future__ import annotations

from jurybox_formats.forms.definition import Form, Translation
from jurybox_formats.forms.translations import source_texts

JURYBOX = "Jurybox"
LANGUAGES = ("de", "zh-hans")


def suggest_texts(language: str, sources: list[str]) -> dict[str, str]:
    """Source -> Jurybox's translation, of those that it has."""
    if language not in LANGUAGES:
        return {}
    place = LANGUAGES.index(language)
    return {source: TEXTS[source][place] for source in sources if source in TEXTS}


def translation_of(form: Form, language: str) -> Translation:
    """Jurybox's translation of a paper's form."""
    texts = suggest_texts(language, source_texts(form))
    return Translation(language, tuple(texts.items()), JURYBOX)


# Source -> German, Simplified Chinese.
TEXTS: dict[str, tuple[str, str]] = {
    (
        "In this task, you will be given a text prompt and an image, followed by two yes/no "
        "questions. Answer the questions in accordance with the instructions below."
    ): (
        (
            "Sie sehen einen Prompt (Text) und ein Bild, danach zwei Ja/Nein-Fragen. Beantworten "
            "Sie die Fragen nach der Anleitung unten."
        ),
        "在本任务中，您会看到一段文本提示词和一张图片，随后是两个“是/否”问题。请按照以下说明回答。",
    ),
    "Does the image align with the prompt?": (
        "Stimmt das Bild mit dem Prompt überein?",
        "图片与提示词是否一致？",
    ),
    "Yes": (
        "Ja",
        "是",
    ),
    "No": (
        "Nein",
        "否",
    ),
    "Is the image of good quality? (i.e., are the objects well-formed?)": (
        "Ist die Qualität des Bildes gut? (Das heißt: Sind die Objekte richtig geformt?)",
        "图片质量好吗？（即：物体的形状是否完好？）",
    ),
    (
        "Make sure to answer the two questions separately and independently. The image could "
        "align well with the prompt but be of poor quality, or vice versa, as shown in "
        "Examples 2 and 3."
    ): (
        (
            "Beantworten Sie die beiden Fragen getrennt und unabhängig voneinander. Das Bild "
            "kann gut mit dem Prompt übereinstimmen, aber von schlechter Qualität sein, oder "
            "umgekehrt, wie die Beispiele 2 und 3 zeigen."
        ),
        "请分别、独立地回答这两个问题。图片可能与提示词很一致但质量差，也可能相反，如示例 2 和 3 所示。",
    ),
    (
        "If an object is only partially visible, consider it identifiable if you can "
        "clearly, unambiguously identify the object."
    ): (
        (
            "Ist ein Objekt nur teilweise zu sehen, gilt es als erkennbar, wenn Sie es klar und "
            "eindeutig erkennen können."
        ),
        "如果物体只有一部分可见，只要您能清楚、明确地认出它，就视为可辨认。",
    ),
    (
        "Some of the text prompts are unrealistic (e.g., “a toothbrush above a bus” in "
        "Example 1), so the image may look unrealistic, which is fine. Question Q2 is only "
        "about quality (are the objects well-formed?), not realism. For example: If a laptop "
        "is floating in the air above a dog, the image (while unrealistic) could still be of "
        "good quality; if the dog is small and made of plastic, the image could similarly "
        "still be of good quality; but if the dog has two faces (as in Example 2), it is not "
        "well-formed and the image is not of good quality."
    ): (
        (
            "Manche Prompts sind unrealistisch (z. B. „a toothbrush above a bus“, eine "
            "Zahnbürste über einem Bus, in Beispiel 1). Das Bild darf also unrealistisch "
            "aussehen. Frage Q2 betrifft nur die Qualität (sind die Objekte richtig geformt?), "
            "nicht den Realismus. Zum Beispiel: Schwebt ein Laptop über einem Hund in der Luft, "
            "kann das Bild (obwohl unrealistisch) trotzdem von guter Qualität sein; ist der Hund "
            "klein und aus Plastik, ebenso; hat der Hund aber zwei Gesichter (wie in Beispiel "
            "2), ist er nicht richtig geformt und das Bild nicht von guter Qualität."
        ),
        (
            "有些提示词本身不符合现实（例如示例 1 中的“a toothbrush above a "
            "bus”，即公交车上方有一把牙刷），因此图片看起来不真实也没有关系。问题 Q2 "
            "只涉及质量（物体的形状是否完好），不涉及真实感。例如：笔记本电脑悬浮在狗的上方，图片虽不"
            "真实，质量仍可能是好的；狗很小而且是塑料做的，同样仍可能质量好；但如果狗有两张脸（如示例"
            " 2），它的形状就不完好，图片质量也就不好。"
        ),
    ),
    (
        "For Position prompts (right of, left of, etc): Answer from your perspective as the "
        "viewer of the image, not from the perspective of the objects in the image."
    ): (
        (
            "Bei Prompts mit Positionen (right of, left of usw.): Antworten Sie aus Ihrer Sicht "
            "als Betrachter des Bildes, nicht aus der Sicht der Objekte im Bild."
        ),
        "对于涉及位置的提示词（right of、left of 等）：请从您观看图片的视角回答，而不是从图片中物体的视角。",
    ),
    (
        "If an object has multiple spatial relations with respect to another object (e.g., "
        "backpack behind and left of a sandwich in Example 3), that is fine, as long as the "
        "spatial relation in the text prompt is correct (e.g. if the text prompt in Example "
        "3 had been “A backpack left of a sandwich” instead of “right”, the answer to "
        "Question Q1 would have been Yes)."
    ): (
        (
            "Steht ein Objekt in mehreren räumlichen Beziehungen zu einem anderen (z. B. der "
            "Rucksack in Beispiel 3, der hinter und links von einem Sandwich steht), ist das in "
            "Ordnung, solange die Beziehung aus dem Prompt stimmt (hätte der Prompt in Beispiel "
            "3 „A backpack left of a sandwich“ statt „right“ gelautet, wäre die Antwort auf "
            "Frage Q1 Ja gewesen)."
        ),
        (
            "如果一个物体相对另一个物体同时具有多种空间关系（例如示例 3 "
            "中背包既在三明治后面又在其左边），只要提示词中的空间关系正确就可以（例如，假如示例 3 "
            "的提示词是“A backpack left of a "
            "sandwich”而不是“right”，问题 Q1 的答案就是“是”）。"
        ),
    ),
    (
        "For the preposition “above”, consider an object to be above another if it is above "
        "it in 3D space or in the 2D plane of the image."
    ): (
        (
            "Bei der Präposition „above“ (über) gilt ein Objekt als über einem anderen, wenn es "
            "im dreidimensionalen Raum oder in der Bildebene darüber liegt."
        ),
        "对于介词“above”（在……上方）：只要物体在三维空间中或在图片的二维平面上位于另一物体上方，即视为在其上方。",
    ),
    (
        "Q1: There is an identifiable toothbrush and bus, and the toothbrush is above the "
        "bus. Q2: The toothbrush and bus are both well-formed, so the image is of good "
        "quality (even if the prompt is unrealistic)."
    ): (
        (
            "Q1: Zahnbürste und Bus sind zu erkennen, und die Zahnbürste ist über dem Bus. Q2: "
            "Zahnbürste und Bus sind beide richtig geformt, also ist das Bild von guter Qualität "
            "(auch wenn der Prompt unrealistisch ist)."
        ),
        "Q1：可以辨认出牙刷和公交车，且牙刷在公交车上方。Q2：牙刷和公交车的形状都完好，因此图片质量好（即使提示词不符合现实）。",
    ),
    (
        "Q1: There are two identifiable dogs in the image. Q2: One of the dogs is not "
        "well-formed (it has two faces), so the image is not of good quality."
    ): (
        (
            "Q1: Im Bild sind zwei Hunde zu erkennen. Q2: Einer der Hunde ist nicht richtig "
            "geformt (er hat zwei Gesichter), also ist das Bild nicht von guter Qualität."
        ),
        "Q1：图片中可以辨认出两只狗。Q2：其中一只狗的形状不完好（它有两张脸），因此图片质量不好。",
    ),
    (
        "Q1: There is an identifiable backpack and sandwich (a burger is a type of "
        "sandwich), but the backpack is behind and left of the sandwich, not to its right. "
        "Q2: The backpack and sandwich are both well-formed, so the image is of good quality."
    ): (
        (
            "Q1: Rucksack und Sandwich sind zu erkennen (ein Burger ist eine Art Sandwich), aber "
            "der Rucksack steht hinter und links vom Sandwich, nicht rechts davon. Q2: Rucksack "
            "und Sandwich sind beide richtig geformt, also ist das Bild von guter Qualität."
        ),
        "Q1：可以辨认出背包和三明治（汉堡是三明治的一种），但背包在三明治的后面和左边，而不是右边。Q2：背包和三明治的形状都完好，因此图片质量好。",
    ),
    (
        "Q1: The image does not contain an identifiable baseball bat and bear. Q2: The "
        "objects are not well-formed, so the image is not of good quality."
    ): (
        (
            "Q1: Im Bild sind kein Baseballschläger und kein Bär zu erkennen. Q2: Die Objekte "
            "sind nicht richtig geformt, also ist das Bild nicht von guter Qualität."
        ),
        "Q1：图片中没有可以辨认的棒球棒和熊。Q2：物体的形状不完好，因此图片质量不好。",
    ),
    (
        "Ambiguous Positions. While the train could be classified as “above” the table, its "
        "angle makes it look more to the right of the table."
    ): (
        (
            "Mehrdeutige Positionen. Man könnte sagen, der Zug sei „über“ dem Tisch; durch "
            "seinen Winkel wirkt er aber eher rechts vom Tisch."
        ),
        "位置不明确。火车虽可视为在桌子“上方”，但从角度看它更像是在桌子右边。",
    ),
    (
        "Ambiguous Colors. While the apple could be seen as a very dark purple, it looks "
        "more like a black apple partially reflecting the purple environment."
    ): (
        (
            "Mehrdeutige Farben. Man könnte den Apfel als sehr dunkles Lila sehen; er wirkt aber "
            "eher wie ein schwarzer Apfel, in dem sich die lila Umgebung teilweise spiegelt."
        ),
        "颜色不明确。苹果虽可看作很深的紫色，但更像是部分映出紫色环境的黑苹果。",
    ),
    (
        "Ambiguous Perspectives. The couch is below the mug, as the image looks like it was "
        "taken from above. While the perspective is strange, the relative position requested "
        "in the prompt is still correct in the image."
    ): (
        (
            "Mehrdeutige Perspektiven. Das Sofa ist unter der Tasse, denn das Bild wirkt wie von "
            "oben aufgenommen. Die Perspektive ist seltsam, aber die im Prompt verlangte Lage "
            "zueinander stimmt im Bild trotzdem."
        ),
        "视角不明确。沙发在杯子下方，因为图片看起来是从上方拍摄的。虽然视角奇怪，但提示词所要求的相对位置在图片中仍然正确。",
    ),
    (
        "In this task, you will be given a text prompt and an image, followed by two "
        "questions. The first question must be answered part-by-part; the second question is "
        "a yes/no question. Answer the questions in accordance with the instructions below. "
        "(Note: the word “and” has no buttons, as it does not need to be annotated.)"
    ): (
        (
            "Sie sehen einen Prompt (Text) und ein Bild, danach zwei Fragen. Die erste Frage "
            "wird Teil für Teil beantwortet; die zweite ist eine Ja/Nein-Frage. Beantworten Sie "
            "die Fragen nach der Anleitung unten. (Das Wort „and“ hat keine Schaltflächen, denn "
            "es muss nicht beantwortet werden.)"
        ),
        (
            "在本任务中，您会看到一段文本提示词和一张图片，随后是两个问题。第一个问题需要逐部分回答；"
            "第二个是“是/否”问题。请按照以下说明回答。（注意：“and”一词没有按钮，因为不需要标"
            "注。）"
        ),
    ),
    (
        "In this task, you will be given a text prompt and an image, followed by two "
        "questions. The first question must be answered part-by-part; the second question is "
        "a yes/no question. Answer the questions in accordance with the instructions below. "
        "(Note: the word “and” has no dropdown, as it does not need to be annotated.)"
    ): (
        (
            "Sie sehen einen Prompt (Text) und ein Bild, danach zwei Fragen. Die erste Frage "
            "wird Teil für Teil beantwortet; die zweite ist eine Ja/Nein-Frage. Beantworten Sie "
            "die Fragen nach der Anleitung unten. (Das Wort „and“ hat keine Auswahlliste, denn "
            "es muss nicht beantwortet werden.)"
        ),
        (
            "在本任务中，您会看到一段文本提示词和一张图片，随后是两个问题。第一个问题需要逐部分回答；"
            "第二个是“是/否”问题。请按照以下说明回答。（注意：“and”一词没有下拉菜单，因为不需"
            "要标注。）"
        ),
    ),
    "A Yes": (
        "A Ja",
        "A 是",
    ),
    "toothbrush Yes": (
        "toothbrush Ja",
        "toothbrush 是",
    ),
    "above Yes": (
        "above Ja",
        "above 是",
    ),
    "a Yes": (
        "a Ja",
        "a 是",
    ),
    "bus Yes": (
        "bus Ja",
        "bus 是",
    ),
    "Two Yes": (
        "Two Ja",
        "Two 是",
    ),
    "dogs Yes": (
        "dogs Ja",
        "dogs 是",
    ),
    "backpack Yes": (
        "backpack Ja",
        "backpack 是",
    ),
    "right of No": (
        "right of Nein",
        "right of 否",
    ),
    "sandwich Yes": (
        "sandwich Ja",
        "sandwich 是",
    ),
    "A No": (
        "A Nein",
        "A 否",
    ),
    "baseball bat No": (
        "baseball bat Nein",
        "baseball bat 否",
    ),
    "a No": (
        "a Nein",
        "a 否",
    ),
    "bear No": (
        "bear Nein",
        "bear 否",
    ),
    "Three Yes": (
        "Three Ja",
        "Three 是",
    ),
    "green Yes": (
        "green Ja",
        "green 是",
    ),
    "candles, Yes": (
        "candles, Ja",
        "candles, 是",
    ),
    "six No": (
        "six Nein",
        "six 否",
    ),
    "red No": (
        "red Nein",
        "red 否",
    ),
    "kangaroos Yes": (
        "kangaroos Ja",
        "kangaroos 是",
    ),
    "to the right of No": (
        "to the right of Nein",
        "to the right of 否",
    ),
    "koala Yes": (
        "koala Ja",
        "koala 是",
    ),
    "and": (
        "and",
        "and",
    ),
    (
        "Is the image of good quality? Yes. The toothbrush and bus are both well-formed, so "
        "the image is of good quality (even if the prompt is unrealistic)."
    ): (
        (
            "Ist die Qualität des Bildes gut? Ja. Zahnbürste und Bus sind beide richtig geformt, "
            "also ist das Bild von guter Qualität (auch wenn der Prompt unrealistisch ist)."
        ),
        "图片质量好吗？是。牙刷和公交车的形状都完好，因此图片质量好（即使提示词不符合现实）。",
    ),
    "Is the image of good quality? No. One of the dogs is not well-formed (it has two faces).": (
        (
            "Ist die Qualität des Bildes gut? Nein. Einer der Hunde ist nicht richtig geformt "
            "(er hat zwei Gesichter)."
        ),
        "图片质量好吗？否。其中一只狗的形状不完好（它有两张脸）。",
    ),
    (
        "Is the image of good quality? Yes. A burger is a type of sandwich, but the backpack "
        "is behind and left of it, not to its right."
    ): (
        (
            "Ist die Qualität des Bildes gut? Ja. Ein Burger ist eine Art Sandwich, aber der "
            "Rucksack steht hinter und links davon, nicht rechts."
        ),
        "图片质量好吗？是。汉堡是三明治的一种，但背包在它的后面和左边，而不是右边。",
    ),
    (
        "Is the image of good quality? No. The image does not contain an identifiable "
        "baseball bat and bear."
    ): (
        (
            "Ist die Qualität des Bildes gut? Nein. Im Bild sind kein Baseballschläger und kein "
            "Bär zu erkennen."
        ),
        "图片质量好吗？否。图片中没有可以辨认的棒球棒和熊。",
    ),
    "Is the image of good quality? Yes": (
        "Ist die Qualität des Bildes gut? Ja",
        "图片质量好吗？是",
    ),
    (
        "You will view an image, potentially generated by an AI image generator. Please "
        "answer all of the following questions to the best of your abilities. For each image "
        "you may be asked about: List of objects: What objects are you able to discern in "
        "the image? Number of objects: How many objects of a particular type are visible, "
        "either fully or partially? Color of objects: What color(s) would you consider the "
        "object(s) to be? Realism: How realistic or structurally correct are the objects? "
        "Relative position: What is the relative position in the image of one object to "
        "another? Caption fit: How well does the image correspond to a provided caption?"
    ): (
        (
            "Sie sehen ein Bild, das möglicherweise von einem KI-Bildgenerator stammt. Bitte "
            "beantworten Sie alle folgenden Fragen, so gut Sie können. Zu jedem Bild können Sie "
            "gefragt werden nach: Liste der Objekte: Welche Objekte erkennen Sie im Bild? Anzahl "
            "der Objekte: Wie viele Objekte einer bestimmten Art sind ganz oder teilweise zu "
            "sehen? Farbe der Objekte: Welche Farbe(n) haben die Objekte Ihrer Ansicht nach? "
            "Realismus: Wie realistisch oder im Aufbau richtig sind die Objekte? Lage "
            "zueinander: Wie liegt ein Objekt im Bild zu einem anderen? Bildbeschreibung: Wie "
            "gut entspricht das Bild einer vorgegebenen Beschreibung?"
        ),
        (
            "您将看到一张图片，它可能由 AI "
            "图片生成器生成。请尽您所能回答以下所有问题。针对每张图片，可能会询问：物体列表：您能在图"
            "片中辨认出哪些物体？物体数量：某类物体有多少个完全或部分可见？物体颜色：您认为物体是什么"
            "颜色？真实感：物体有多真实，结构有多正确？相对位置：图片中一个物体相对另一个物体的位置如"
            "何？描述相符度：图片与给出的描述有多相符？"
        ),
    ),
    (
        "Briefly list all the objects visible in the image, separated by commas. If there "
        "are no objects in the image, write “none”."
    ): (
        (
            "Nennen Sie kurz alle Objekte, die im Bild zu sehen sind, durch Kommas getrennt. "
            "Sind keine Objekte im Bild, schreiben Sie „none“."
        ),
        "请简要列出图片中所有可见的物体，用逗号分隔。如果图片中没有物体，请填写“none”。",
    ),
    "How many [OBJECT]s are in the image?": (
        "Wie viele Objekte der Art „[OBJECT]“ sind im Bild?",
        "图片中有多少个“[OBJECT]”？",
    ),
    "None": (
        "Keine",
        "没有",
    ),
    "5 or more": (
        "5 oder mehr",
        "5 个或更多",
    ),
    "What color of [OBJECT]s are in the image?": (
        "Welche Farben haben die Objekte der Art „[OBJECT]“ im Bild?",
        "图片中的“[OBJECT]”是什么颜色？",
    ),
    "Red": (
        "Rot",
        "红色",
    ),
    "Orange": (
        "Orange",
        "橙色",
    ),
    "Yellow": (
        "Gelb",
        "黄色",
    ),
    "Green": (
        "Grün",
        "绿色",
    ),
    "Blue": (
        "Blau",
        "蓝色",
    ),
    "Purple": (
        "Lila",
        "紫色",
    ),
    "Pink": (
        "Rosa",
        "粉色",
    ),
    "Brown": (
        "Braun",
        "棕色",
    ),
    "Black": (
        "Schwarz",
        "黑色",
    ),
    "White": (
        "Weiß",
        "白色",
    ),
    "Gray": (
        "Grau",
        "灰色",
    ),
    "Choose all that apply.": (
        "Wählen Sie alle zutreffenden aus.",
        "请选择所有符合的选项。",
    ),
    "How realistic are the [OBJECT]s in the image?": (
        "Wie realistisch sind die Objekte der Art „[OBJECT]“ im Bild?",
        "图片中的“[OBJECT]”有多真实？",
    ),
    "Realistic or almost fully realistic": (
        "Realistisch oder fast völlig realistisch",
        "真实或几乎完全真实",
    ),
    "Obvious mistakes or deformations": (
        "Deutliche Fehler oder Verformungen",
        "有明显的错误或变形",
    ),
    "Completely unrealistic": (
        "Völlig unrealistisch",
        "完全不真实",
    ),
    (
        "(1–3) Ignore the color of the object, and focus on any visible defects in the shape "
        "or structure."
    ): (
        (
            "(1–3) Lassen Sie die Farbe des Objekts außer Acht und achten Sie auf sichtbare "
            "Mängel in Form oder Aufbau."
        ),
        "（1–3）请忽略物体的颜色，只关注形状或结构上可见的缺陷。",
    ),
    "Is the [OBJECT B] to the left or right of the [OBJECT A]?": (
        "Ist das Objekt „[OBJECT B]“ links oder rechts vom Objekt „[OBJECT A]“?",
        "“[OBJECT B]”在“[OBJECT A]”的左边还是右边？",
    ),
    "Left": (
        "Links",
        "左边",
    ),
    "Right": (
        "Rechts",
        "右边",
    ),
    "Neither": (
        "Weder noch",
        "都不是",
    ),
    "Provide your answer as a viewer of the image, not from the “camera’s perspective”.": (
        "Antworten Sie als Betrachter des Bildes, nicht aus der „Sicht der Kamera“.",
        "请以图片观看者的身份回答，而不是从“相机视角”回答。",
    ),
    "Is the [OBJECT B] to above or below the [OBJECT A]?": (
        "Ist das Objekt „[OBJECT B]“ über oder unter dem Objekt „[OBJECT A]“?",
        "“[OBJECT B]”在“[OBJECT A]”的上方还是下方？",
    ),
    "Above": (
        "Darüber",
        "上方",
    ),
    "Below": (
        "Darunter",
        "下方",
    ),
    "How well does the image fit the caption below?": (
        "Wie gut passt das Bild zur Beschreibung unten?",
        "图片与下面的描述有多相符？",
    ),
    "Fully captures the meaning of the caption.": (
        "Gibt die Bedeutung der Beschreibung vollständig wieder.",
        "完整表达了描述的含义。",
    ),
    "Mostly captures the meaning, but misses one of many elements in the caption.": (
        (
            "Gibt die Bedeutung größtenteils wieder, aber eines von vielen Elementen der "
            "Beschreibung fehlt."
        ),
        "大体表达了含义，但缺少描述中众多要素之一。",
    ),
    "Misses several or most of the elements in the caption.": (
        "Mehrere oder die meisten Elemente der Beschreibung fehlen.",
        "缺少描述中的若干或大部分要素。",
    ),
    "Is completely unrelated to the caption.": (
        "Hat mit der Beschreibung nichts zu tun.",
        "与描述完全无关。",
    ),
    "(1–4) “Elements” refer to individual objects or attributes specified by the text.": (
        "(1–4) „Elemente“ sind einzelne Objekte oder Eigenschaften, die der Text nennt.",
        "（1–4）“要素”指文本所指定的单个物体或属性。",
    ),
    "Take a look at the examples if any of the questions are unclear to you.": (
        "Sehen Sie sich die Beispiele an, wenn Ihnen eine Frage unklar ist.",
        "如果有不清楚的问题，请参看示例。",
    ),
    (
        "Complete question 1 before moving on to other questions. If you are unable to "
        "recognize a particular object, guess what it is or use a brief description."
    ): (
        (
            "Beantworten Sie Frage 1, bevor Sie zu anderen Fragen übergehen. Wenn Sie ein Objekt "
            "nicht erkennen, raten Sie, was es ist, oder beschreiben Sie es kurz."
        ),
        "请先完成第 1 题，再回答其他问题。如果认不出某个物体，请猜测它是什么，或用简短的文字描述。",
    ),
    (
        "Additional questions may appear based on your previous answers. Make sure to answer "
        "all questions shown."
    ): (
        (
            "Je nach Ihren Antworten können weitere Fragen erscheinen. Beantworten Sie alle "
            "angezeigten Fragen."
        ),
        "根据您之前的回答，可能会出现更多问题。请回答所有显示的问题。",
    ),
    (
        "When asked about color, select at least one color that best matches the true color "
        "of the object(s)."
    ): (
        (
            "Bei Fragen nach der Farbe wählen Sie mindestens eine Farbe, die der wirklichen "
            "Farbe der Objekte am nächsten kommt."
        ),
        "询问颜色时，请至少选择一种与物体实际颜色最接近的颜色。",
    ),
    (
        "Do not consider color when deciding how realistic an object is; focus on the shape "
        "and form compared to real life."
    ): (
        (
            "Lassen Sie die Farbe außer Acht, wenn Sie beurteilen, wie realistisch ein Objekt "
            "ist; vergleichen Sie Gestalt und Form mit der Wirklichkeit."
        ),
        "判断物体是否真实时请不要考虑颜色；请将其外形与现实中的物体比较。",
    ),
    (
        "When asked about position, an object can be both above/below and to the left/right "
        "of another object. Mark position from your perspective looking at the 2D image, not "
        "from the camera perspective."
    ): (
        (
            "Bei Fragen nach der Lage kann ein Objekt zugleich über oder unter und links oder "
            "rechts von einem anderen sein. Geben Sie die Lage aus Ihrer Sicht auf das "
            "zweidimensionale Bild an, nicht aus der Sicht der Kamera."
        ),
        "询问位置时，一个物体可以既在另一物体的上方或下方，又在其左边或右边。请按您观看二维图片的视角标注位置，而不是相机视角。",
    ),
    ("The image may be just a black square, in which case, you should say there are no objects."): (
        (
            "Das Bild kann auch nur ein schwarzes Quadrat sein; dann geben Sie an, dass keine "
            "Objekte da sind."
        ),
        "图片可能只是一个黑色方块，此时请回答没有物体。",
    ),
    "Objects: circle, star": (
        "Objekte: circle, star",
        "物体：circle, star",
    ),
    "Circles: 2, Red, 3": (
        "Kreise: 2, Rot, 3",
        "圆：2，红色，3",
    ),
    "Stars: 1, Blue, 3": (
        "Sterne: 1, Blau, 3",
        "星：1，蓝色，3",
    ),
    "The star is to the right of the circles, and neither above nor below": (
        "Der Stern ist rechts von den Kreisen und weder darüber noch darunter",
        "星在圆的右边，既不在上方也不在下方",
    ),
    "Caption: 4": (
        "Beschreibung: 4",
        "描述：4",
    ),
    (
        "All shapes are complete, so they are realistic for what they are. The caption is "
        "fully captured."
    ): (
        (
            "Alle Formen sind vollständig, also realistisch für das, was sie sind. Die "
            "Beschreibung ist vollständig wiedergegeben."
        ),
        "所有图形都完整，就其本身而言是真实的。描述得到了完整表达。",
    ),
    "Objects: triangle": (
        "Objekte: triangle",
        "物体：triangle",
    ),
    "Triangles: 2, Yellow, 3": (
        "Dreiecke: 2, Gelb, 3",
        "三角形：2，黄色，3",
    ),
    "Caption: 2": (
        "Beschreibung: 2",
        "描述：2",
    ),
    "Only the kind of object fits the caption; the number and the color do not.": (
        "Nur die Art der Objekte passt zur Beschreibung; Anzahl und Farbe nicht.",
        "只有物体的种类与描述相符；数量和颜色不符。",
    ),
    "How well does the image (or video) match the description?": (
        "Wie gut entspricht das Bild (oder Video) der Beschreibung?",
        "图片（或视频）与描述有多相符？",
    ),
    "Does not match at all.": (
        "Entspricht ihr gar nicht.",
        "完全不符。",
    ),
    "Has significant discrepancies.": (
        "Weicht erheblich ab.",
        "有重大差异。",
    ),
    "Has several minor discrepancies.": (
        "Weicht in mehreren Kleinigkeiten ab.",
        "有若干处小差异。",
    ),
    "Has a few minor discrepancies.": (
        "Weicht in wenigen Kleinigkeiten ab.",
        "有少数几处小差异。",
    ),
    "Matches exactly.": (
        "Entspricht ihr genau.",
        "完全相符。",
    ),
    "Rate the overall alignment of Image and Text Prompt:": (
        "Bewerten Sie, wie gut Bild und Prompt insgesamt übereinstimmen:",
        "请评价图片与文本提示词的整体一致程度：",
    ),
    "Perfect: accurate alignment": (
        "Perfekt: genaue Übereinstimmung",
        "完美：准确一致",
    ),
    "Good: basic level of alignment": (
        "Gut: im Wesentlichen Übereinstimmung",
        "良好：基本一致",
    ),
    "Not okay: ignored key parts": (
        "Nicht in Ordnung: Wichtige Teile wurden übergangen",
        "不合格：忽略了关键部分",
    ),
    "Bad: image not aligned properly with the text": (
        "Schlecht: Das Bild stimmt nicht richtig mit dem Text überein",
        "差：图片与文本不够一致",
    ),
    "Poor: image almost irrelevant to the text": (
        "Sehr schlecht: Das Bild hat mit dem Text fast nichts zu tun",
        "很差：图片与文本几乎无关",
    ),
    "Rate the matching degree of objects' color attributes between the Image and Text Prompt:": (
        "Bewerten Sie, wie gut die Farben der Objekte in Bild und Prompt übereinstimmen:",
        "请评价图片与文本提示词中物体颜色属性的匹配程度：",
    ),
    "Perfect: all/both objects match their attributes in the text prompt": (
        "Perfekt: Alle (beide) Objekte haben die Eigenschaften aus dem Prompt",
        "完美：所有（两个）物体都与文本提示词中的属性相符",
    ),
    "Not okay: merely aligned with the text prompt": (
        "Nicht in Ordnung: stimmt nur knapp mit dem Prompt überein",
        "不合格：与文本提示词仅勉强一致",
    ),
    "Bad: not aligned properly with the text prompt": (
        "Schlecht: stimmt nicht richtig mit dem Prompt überein",
        "差：与文本提示词不够一致",
    ),
    "Poor: almost irrelevant to the text prompt": (
        "Sehr schlecht: hat mit dem Prompt fast nichts zu tun",
        "很差：与文本提示词几乎无关",
    ),
    "Rate the matching degree of objects' shape attributes between the Image and Text Prompt:": (
        "Bewerten Sie, wie gut die Formen der Objekte in Bild und Prompt übereinstimmen:",
        "请评价图片与文本提示词中物体形状属性的匹配程度：",
    ),
    (
        "Rate the matching degree of objects' texture attributes between the Image and Text Prompt:"
    ): (
        (
            "Bewerten Sie, wie gut die Oberflächen (Texturen) der Objekte in Bild und Prompt "
            "übereinstimmen:"
        ),
        "请评价图片与文本提示词中物体纹理属性的匹配程度：",
    ),
    "Rate the matching degree of objects' spatial layout between the Image and Text Prompt:": (
        (
            "Bewerten Sie, wie gut die räumliche Anordnung der Objekte in Bild und Prompt "
            "übereinstimmt:"
        ),
        "请评价图片与文本提示词中物体空间布局的匹配程度：",
    ),
    "Perfect: correct spatial layout": (
        "Perfekt: richtige räumliche Anordnung",
        "完美：空间布局正确",
    ),
    "Good: basically correct spatial layout": (
        "Gut: im Wesentlichen richtige räumliche Anordnung",
        "良好：空间布局基本正确",
    ),
    "Not okay: spatial layout not aligned properly with the text": (
        "Nicht in Ordnung: Die räumliche Anordnung stimmt nicht richtig mit dem Text überein",
        "不合格：空间布局与文本不够一致",
    ),
    "Poor: image almost irrelevant to the text prompt": (
        "Sehr schlecht: Das Bild hat mit dem Prompt fast nichts zu tun",
        "很差：图片与文本提示词几乎无关",
    ),
    "Rate the matching degree of objects' relationship between the Image and Text Prompt:": (
        "Bewerten Sie, wie gut die Beziehungen der Objekte in Bild und Prompt übereinstimmen:",
        "请评价图片与文本提示词中物体关系的匹配程度：",
    ),
    "Not okay: action relationship not correct.": (
        "Nicht in Ordnung: Die Handlungsbeziehung stimmt nicht.",
        "不合格：动作关系不正确。",
    ),
    (
        "Answer each question by what the image shows. Say yes only where it can be seen "
        "clearly; what is hidden, unclear or only likely is a no."
    ): (
        (
            "Beantworten Sie jede Frage nach dem, was das Bild zeigt. Sagen Sie nur Ja, wo es "
            "klar zu sehen ist; was verdeckt, unklar oder nur wahrscheinlich ist, ist ein Nein."
        ),
        "请根据图片所显示的内容回答每个问题。只有清楚可见时才答“是”；被遮挡、不清楚或只是可能的，都答“否”。",
    ),
    "Does the image show this?": (
        "Zeigt das Bild das?",
        "图片是否显示了这一点？",
    ),
    (
        "The prompt asks for text in the image, mostly in quotation marks. Compare it with "
        "what is written, letter by letter."
    ): (
        (
            "Der Prompt verlangt Text im Bild, meist in Anführungszeichen. Vergleichen Sie ihn "
            "Buchstabe für Buchstabe mit dem, was geschrieben steht."
        ),
        "提示词要求图片中出现文字，通常在引号内。请将其与图片中写出的文字逐字比较。",
    ),
    "Is every word of the text there and spelled right?": (
        "Ist jedes Wort des Textes da und richtig geschrieben?",
        "文字中的每个词是否都出现且拼写正确？",
    ),
    "How much of the text is there and spelled right?": (
        "Wie viel des Textes ist da und richtig geschrieben?",
        "有多少文字出现且拼写正确？",
    ),
    "Nothing": (
        "Nichts",
        "没有",
    ),
    "About a quarter": (
        "Etwa ein Viertel",
        "约四分之一",
    ),
    "About half": (
        "Etwa die Hälfte",
        "约一半",
    ),
    "About three quarters": (
        "Etwa drei Viertel",
        "约四分之三",
    ),
    "All of it": (
        "Alles",
        "全部",
    ),
    (
        "The prompt says what it wants without naming it. Think of what it means first, then "
        "look at the image. The highest grade is for what has no flaw."
    ): (
        (
            "Der Prompt sagt, was er will, ohne es zu nennen. Überlegen Sie zuerst, was gemeint "
            "ist, und sehen Sie dann das Bild an. Die beste Note ist für das, was keinen Makel "
            "hat."
        ),
        "提示词表达了想要的内容，但没有直接说出。请先思考它的含义，再看图片。最高分只给没有任何瑕疵的图片。",
    ),
    "Does the image show what the prompt means?": (
        "Zeigt das Bild, was der Prompt meint?",
        "图片是否显示了提示词的含义？",
    ),
    "How completely does the image show what the prompt means?": (
        "Wie vollständig zeigt das Bild, was der Prompt meint?",
        "图片在多大程度上完整显示了提示词的含义？",
    ),
    "Not, or the contrary": (
        "Nicht, oder das Gegenteil",
        "没有，或相反",
    ),
    "In part": (
        "Teilweise",
        "部分",
    ),
    "In every detail": (
        "In allen Einzelheiten",
        "每个细节都显示了",
    ),
    "How real does the image look?": (
        "Wie echt sieht das Bild aus?",
        "图片看起来有多真实？",
    ),
    "Clearly artificial": (
        "Deutlich künstlich",
        "明显是人造的",
    ),
    "With small flaws": (
        "Mit kleinen Mängeln",
        "有小瑕疵",
    ),
    "Like a photograph": (
        "Wie eine Fotografie",
        "像照片一样",
    ),
    "How good does the image look?": (
        "Wie schön ist das Bild?",
        "图片看起来有多好？",
    ),
    "Unappealing": (
        "Nicht ansprechend",
        "不美观",
    ),
    "Acceptable": (
        "Annehmbar",
        "可以接受",
    ),
    "Outstanding": (
        "Hervorragend",
        "非常出色",
    ),
    (
        "Compare the picture before the edit with the one after it. Read the instruction "
        "first: only what it asks for should have changed."
    ): (
        (
            "Vergleichen Sie das Bild vor der Bearbeitung mit dem danach. Lesen Sie zuerst die "
            "Anweisung: Nur was sie verlangt, soll sich geändert haben."
        ),
        "请比较编辑前后的图片。先阅读指令：只有指令要求的内容才应改变。",
    ),
    "Was done what the instruction asks for?": (
        "Wurde getan, was die Anweisung verlangt?",
        "是否完成了指令的要求？",
    ),
    "Is everything else as it was before?": (
        "Ist alles andere so wie vorher?",
        "其他内容是否都保持原样？",
    ),
    "Does the result look right, without flaws?": (
        "Sieht das Ergebnis richtig aus, ohne Mängel?",
        "结果看起来是否正确、没有瑕疵？",
    ),
    "Where is it wrong?": (
        "Wo stimmt es nicht?",
        "哪里不对？",
    ),
    "Mark what was missed, changed without being asked for, or is flawed.": (
        "Markieren Sie, was ausgelassen oder ungefragt geändert wurde oder Mängel hat.",
        "请标出遗漏的、未经要求而改变的或有瑕疵的地方。",
    ),
    "Does the result follow all that was given: the instruction and the pictures?": (
        "Folgt das Ergebnis allem, was gegeben war: der Anweisung und den Bildern?",
        "结果是否遵循了所给的全部内容：指令和图片？",
    ),
    "Not at all": (
        "Gar nicht",
        "完全没有",
    ),
    "Mostly": (
        "Größtenteils",
        "大部分",
    ),
    "Does the result look like a real picture?": (
        "Sieht das Ergebnis wie ein echtes Bild aus?",
        "结果看起来像真实的图片吗？",
    ),
    "Flaws make it hard to recognise": (
        "Durch Mängel schwer zu erkennen",
        "瑕疵使其难以辨认",
    ),
    "Some flaws, or unnatural": (
        "Einige Mängel, oder unnatürlich",
        "有一些瑕疵，或不自然",
    ),
    "Looks real": (
        "Sieht echt aus",
        "看起来真实",
    ),
    "How far was done what the instruction asks for?": (
        "Wie weit wurde getan, was die Anweisung verlangt?",
        "指令的要求完成到什么程度？",
    ),
    "0: nothing of it. 10: all of it.": (
        "0: nichts davon. 10: alles.",
        "0：完全没有完成。10：全部完成。",
    ),
    "How far was everything else left as it was?": (
        "Wie weit blieb alles andere, wie es war?",
        "其他内容在多大程度上保持原样？",
    ),
    "0: another picture. 10: the least change that does it.": (
        "0: ein anderes Bild. 10: die kleinste Änderung, die genügt.",
        "0：变成了另一张图片。10：只做了必要的最小改动。",
    ),
    "How natural and free of flaws does the result look?": (
        "Wie natürlich und frei von Mängeln sieht das Ergebnis aus?",
        "结果看起来有多自然、有多少瑕疵？",
    ),
    "0: unnatural, full of flaws. 10: like a real picture.": (
        "0: unnatürlich, voller Mängel. 10: wie ein echtes Bild.",
        "0：不自然，满是瑕疵。10：像真实的图片。",
    ),
    "Hardly": (
        "Kaum",
        "几乎没有",
    ),
    "With small faults": (
        "Mit kleinen Fehlern",
        "有小错误",
    ),
    "Completely": (
        "Vollständig",
        "完全",
    ),
    "Is the rest of the picture as it was?": (
        "Ist der Rest des Bildes, wie er war?",
        "图片的其余部分是否保持原样？",
    ),
    "Another picture": (
        "Ein anderes Bild",
        "变成了另一张图片",
    ),
    "Much changed": (
        "Viel geändert",
        "改变很多",
    ),
    "Some changed": (
        "Einiges geändert",
        "有些改变",
    ),
    "Little changed": (
        "Wenig geändert",
        "改变很少",
    ),
    "All kept": (
        "Alles erhalten",
        "全部保留",
    ),
    "Does the edit fit in: light, edges, perspective?": (
        "Fügt sich die Bearbeitung ein: Licht, Kanten, Perspektive?",
        "编辑部分是否协调：光线、边缘、透视？",
    ),
    "Clear flaws": (
        "Deutliche Mängel",
        "明显的瑕疵",
    ),
    "Some flaws": (
        "Einige Mängel",
        "一些瑕疵",
    ),
    "Hardly any": (
        "Kaum Mängel",
        "几乎没有瑕疵",
    ),
    "Seamless": (
        "Nahtlos",
        "浑然一体",
    ),
    "Is what should stay the same?": (
        "Ist unverändert, was bleiben soll?",
        "应保持不变的内容是否未变？",
    ),
    "How good does the result look?": (
        "Wie gut sieht das Ergebnis aus?",
        "结果看起来有多好？",
    ),
    "Bad": (
        "Schlecht",
        "很差",
    ),
    "Poor": (
        "Mangelhaft",
        "较差",
    ),
    "Fair": (
        "Mittelmäßig",
        "一般",
    ),
    "Good": (
        "Gut",
        "好",
    ),
    "Very good": (
        "Sehr gut",
        "很好",
    ),
    "Was the instruction followed?": (
        "Wurde die Anweisung befolgt?",
        "是否遵循了指令？",
    ),
    "Does the result agree with what is known of the world?": (
        "Stimmt das Ergebnis mit dem überein, was man von der Welt weiß?",
        "结果是否符合已知的常识？",
    ),
    "Does the result show what follows from the instruction?": (
        "Zeigt das Ergebnis, was aus der Anweisung folgt?",
        "结果是否显示了由指令推出的内容？",
    ),
    "Is what has nothing to do with it as it was?": (
        "Ist alles, was damit nichts zu tun hat, wie es war?",
        "与此无关的内容是否保持原样？",
    ),
    "Could the result be a real picture?": (
        "Könnte das Ergebnis ein echtes Bild sein?",
        "结果有可能是真实的图片吗？",
    ),
    "Does the image show what the prompt asks for?": (
        "Zeigt das Bild, was der Prompt verlangt?",
        "图片是否显示了提示词要求的内容？",
    ),
    "How well does the image match the prompt?": (
        "Wie gut entspricht das Bild dem Prompt?",
        "图片与提示词有多相符？",
    ),
    "Slightly": (
        "Ein wenig",
        "略微",
    ),
    "Partly": (
        "Zum Teil",
        "一部分",
    ),
    "Does the image show this part of the prompt?": (
        "Zeigt das Bild diesen Teil des Prompts?",
        "图片是否显示了提示词的这一部分？",
    ),
    "How many are there?": (
        "Wie viele sind es?",
        "有多少个？",
    ),
    "Mark where it is wrong.": (
        "Markieren Sie, wo es nicht stimmt.",
        "请标出不对的地方。",
    ),
    "Anything else?": (
        "Sonst noch etwas?",
        "还有其他要说的吗？",
    ),
}
