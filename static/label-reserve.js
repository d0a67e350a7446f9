// The forms and pictures that come next are here already, so that work goes on without a connection.
// The server leases these images to this person; one request renews them all and brings the forms
// that are missing.

const { picture } = window.jurybox;
const labelling = document.getElementById("labelling");
const RENEW_EVERY = 120_000;
const FILL_PAUSE = 20_000;
const AT_A_TIME = 3;

// [{ image, html }], in the order in which they come.
let ahead = [];
let size = 0;
let asked = 0;
let asking = null;
// Answered or skipped on this page: the server may not know yet.
const done = new Set();

const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const shownIn = (root) =>
  [...root.querySelectorAll(".stage img")].map((image) => image.getAttribute("src"));
const picturesOf = (html) => shownIn(parsed(html));

async function ask() {
  asked = Date.now();
  const body = new URLSearchParams(ahead.map(({ image }) => ["have", image]));
  const held = document.getElementById("workplace").dataset.held;
  if (held) body.append("image", held);
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const answer = await fetch(labelling.dataset.alive, { method: "POST", headers, body });
  if (!answer.ok || answer.redirected) return;
  const { images, forms } = await answer.json();
  const here = new Map(ahead.map((item) => [item.image, item]));
  size = images.length;
  ahead = images
    .map((image) => here.get(image) ?? { image, html: forms[image] })
    .filter(({ image, html }) => html && !done.has(image) && image !== current());
  await loadPictures();
}

const current = () => document.getElementById("workplace").dataset.image;

async function loadPictures() {
  const waiting = ahead.flatMap(({ html }) => picturesOf(html));
  const load = async () => {
    while (waiting.length) await picture.loadAhead(waiting.shift());
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, load));
}

// Renews what is leased, and fills up. If it fails nothing is lost: the leases are longer than five of
// the pauses between.
function renew() {
  asking ??= ask()
    .catch(() => {})
    .finally(() => {
      asking = null;
    });
  return asking;
}

function fill() {
  if (ahead.length <= size / 2 && Date.now() - asked > FILL_PAUSE) renew();
}

// `waiting`: the forms of the answers that wait here. Each may be taken back, and then its picture is
// shown again.
function arrived(workplace, waiting) {
  ahead = ahead.filter(({ image }) => image !== workplace.dataset.image);
  const { upcoming } = workplace.dataset;
  const wanted = new Set([...ahead, ...waiting].flatMap(({ html }) => picturesOf(html)));
  for (const url of shownIn(workplace)) wanted.add(url);
  for (const url of upcoming?.trim().split(/\s+/) ?? []) {
    wanted.add(url);
    picture.loadAhead(url);
  }
  picture.forgetAllBut(wanted);
}

const isReady = ({ html }) => picturesOf(html).every(picture.isHere);

// The first whose picture is here, too.
function next(image) {
  done.add(image);
  const item = ahead.find(isReady) ?? ahead[0] ?? null;
  ahead = ahead.filter((other) => other !== item);
  return item;
}

// An answer was taken back before it was sent: what is on the page now comes after it.
function putBack(image, item) {
  done.delete(image);
  ahead.unshift(item);
}

const reopen = (image) => done.delete(image);

window.jurybox.reserve = {
  RENEW_EVERY,
  renew,
  fill,
  arrived,
  next,
  putBack,
  reopen,
  finished: (image) => done.add(image),
  count: () => ahead.filter(isReady).length,
};
