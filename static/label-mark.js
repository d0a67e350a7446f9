// A question of the kind "mark": points and boxes on the image, by click, drag, touch or keyboard. They
// stand in a hidden field as JSON, in fractions of the image's sides. On an edit, the picture before it
// takes marks as well; they say so (`on`).

const { stage } = window.jurybox;
const labelling = document.getElementById("labelling");
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const VIEWS = '[data-do="flip"], [data-do="difference"], [data-do="zoom"]';
const STEP = 0.02;
// A shorter drag is a click with an unsteady hand.
const SHORTEST = 0.015;
const MOST = 20;

// The picture that stands alone in the stage now, by its place: the keyboard's marks go there.
const shownAlone = () => {
  const edit = document.querySelector('.stage.edit[data-turn="source"]');
  return edit?.querySelector('.pane[data-kind="source"]')?.dataset.place ?? "";
};

const fields = () => [...document.querySelectorAll("#answers [data-marks]")];
const asked = () => fields().filter((field) => !field.closest(".question").disabled);
const clamp = (value) => Math.max(0, Math.min(1, value));
const tidy = (value) => Math.round(value * 10_000) / 10_000;

// The field that takes the next mark, and how to give the pointer back.
let field = null;
let giveBack = null;
// Where a drag began and where it is now.
let drag = null;
// The keyboard's cross: where it stands, where its box began, and whether it moved since it was set.
let cross = null;

function marksIn(input) {
  try {
    return JSON.parse(input.value || "[]");
  } catch {
    return [];
  }
}

function between(from, to) {
  const x = tidy(Math.min(from.x, to.x));
  const y = tidy(Math.min(from.y, to.y));
  const width = tidy(Math.max(from.x, to.x) - x);
  return { x, y, width, height: tidy(Math.max(from.y, to.y) - y), on: from.on };
}

const isBox = ({ width, height }) => width >= SHORTEST && height >= SHORTEST;

function put(input, marks) {
  input.value = marks.length ? JSON.stringify(marks) : "";
  draw();
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

function add(mark) {
  const marks = marksIn(field);
  if (marks.length >= MOST) return;
  const { x, y, width, height, on } = mark;
  const made = { x, y, ...(isBox(mark) && { width, height }), ...(on && { on }) };
  put(field, [...marks, made]);
}

function remove(input, place) {
  put(input, marksIn(input).filter((_, number) => number !== place));
  input.closest(".question").querySelector("[data-mark-here]").focus({ preventScroll: true });
}

// ---- Drawing ------------------------------------------------------------------------------------

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function shape(mark, className, text) {
  const made = element("span", `own-mark ${className} ${isBox(mark) ? "box" : "point"}`, text);
  made.style.left = `${100 * mark.x}%`;
  made.style.top = `${100 * mark.y}%`;
  if (isBox(mark)) {
    made.style.width = `${100 * mark.width}%`;
    made.style.height = `${100 * mark.height}%`;
  }
  return made;
}

const percent = (value) => `${Math.round(100 * value)} %`;
const described = (mark) => mark.on ? gettext("%(shape), on the picture before", { shape: shapeOf(mark) }) : shapeOf(mark);
const shapeOf = (mark) =>
  isBox(mark)
    ? gettext("Box, %(x) across, %(y) down, %(width) wide", {
        x: percent(mark.x),
        y: percent(mark.y),
        width: percent(mark.width),
      })
    : gettext("Point, %(x) across, %(y) down", { x: percent(mark.x), y: percent(mark.y) });

function list(input) {
  const items = marksIn(input).map((mark, place) => {
    const item = element("li", "");
    const button = element("button", "quiet", gettext("Remove"));
    button.type = "button";
    button.setAttribute("aria-label", gettext("Remove mark %(number)", { number: place + 1 }));
    button.addEventListener("click", () => remove(input, place));
    item.append(element("span", "", described(mark)), button);
    return item;
  });
  input.closest(".question").querySelector(".mark-list").replaceChildren(...items);
}

const place = (mark, className, text) =>
  stage.layer(mark.on)?.append(shape(mark, className, text));

function draw() {
  if (!stage.layer()) return;
  for (const layer of stage.layers())
    for (const old of layer.querySelectorAll(".own-mark")) old.remove();
  for (const input of asked()) {
    marksIn(input).forEach((mark, number) => place(mark, "", String(number + 1)));
    list(input);
  }
  if (drag) place(between(drag.from, drag.to), "drawing");
  if (cross) {
    if (cross.from) place(between(cross.from, cross), "drawing");
    place({ x: cross.x, y: cross.y, on: cross.on }, "cross");
  }
}

// ---- Pointer ------------------------------------------------------------------------------------

function take(event) {
  const at = drag ? stage.fractions(event, drag.from.on) : stage.fractions(event);
  if (event.type === "dblclick") return true;
  if (event.type === "pointercancel") drag = null;
  else if (!at) return false;
  else if (event.type === "pointerdown") {
    if (!at.inside) return false;
    drag = { from: at, to: at };
    cross = null;
  } else if (!drag) return false;
  else drag.to = { x: clamp(at.x), y: clamp(at.y), on: at.on };
  if (event.type === "pointerup") {
    const { from, to } = drag;
    drag = null;
    const box = between(from, to);
    add(isBox(box) ? box : { x: tidy(from.x), y: tidy(from.y), on: from.on });
  } else draw();
  return true;
}

function begin(question) {
  if (field === question.querySelector("[data-marks]")) return;
  end();
  field = question.querySelector("[data-marks]");
  giveBack = stage.lend(take);
  document.querySelector(".stage")?.classList.add("marking");
}

function end() {
  giveBack?.();
  field = giveBack = drag = cross = null;
  document.querySelector(".stage")?.classList.remove("marking");
  draw();
}

// A click on the image leaves the mark question marked.
labelling.addEventListener("mousedown", (event) => {
  if (field && event.target.closest(".stage") && !event.target.closest("button")) event.preventDefault();
});

labelling.addEventListener("focusin", ({ target }) => {
  const question = target.closest(".question[data-kind=mark]");
  if (question) begin(question);
  // To flip, to compare or to zoom is to look more closely at what is marked: marking goes on.
  else if (field && !target.closest(VIEWS)) end();
});

labelling.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-mark-start]");
  button?.closest(".question").querySelector("[data-mark-here]").focus({ preventScroll: true });
});

// ---- Keyboard -----------------------------------------------------------------------------------

function move([x, y], growing) {
  const on = shownAlone();
  if (cross?.on !== on) cross = { x: cross?.x ?? 0.5, y: cross?.y ?? 0.5, from: null, on };
  if (growing) cross.from ??= { x: cross.x, y: cross.y, on };
  cross.x = clamp(cross.x + x * STEP);
  cross.y = clamp(cross.y + y * STEP);
  cross.aimed = true;
  draw();
}

function set() {
  const { x, y, on } = cross;
  add(cross.from ? between(cross.from, cross) : { x: tidy(x), y: tidy(y), on });
  cross = { x, y, on, from: null, aimed: false };
  draw();
}

function takeKey({ key, shiftKey }) {
  if (ARROWS[key]) move(ARROWS[key], shiftKey);
  else if (key === "Enter" && cross?.aimed) set();
  else if (key === "Escape" && cross) {
    cross = null;
    draw();
  } else if ((key === "Delete" || key === "Backspace") && marksIn(field).length)
    remove(field, marksIn(field).length - 1);
  else return false;
  return true;
}

// Before the page's own keys. While nothing is being aimed at, Enter goes on as everywhere.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (!field || !document.activeElement?.matches("[data-mark-here]")) return;
    if (document.getElementById("answers")?.inert || !takeKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// ---- A new image, and answers that come back ----------------------------------------------------

function refresh() {
  if (field && !field.isConnected) end();
  else draw();
}

new MutationObserver(refresh).observe(labelling, { childList: true });
labelling.addEventListener("load", draw, true);
document.addEventListener("change", draw);

window.jurybox.marks = { draw };
draw();
