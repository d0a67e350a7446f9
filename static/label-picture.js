// No answer without a picture: the questions are locked until the image is decoded. If it does not
// come, a panel in its place says why and offers what can be done.

const labelling = document.getElementById("labelling");
const QUIET_AFTER = 1_000;
const PANEL_AFTER = 20_000;
// Pictures that were loaded ahead, or that were shown, by address. While one is kept here, the page
// shows it without asking the server, also without a connection.
const kept = new Map();

// Of an edit the pictures that stand beside the image, too.
let images = [];
let shown = false;
let onChange = () => {};
let timers = [];
let tries = 0;

// Resolves when the picture is decoded, or could not be loaded.
function loadAhead(url) {
  const known = kept.get(url);
  if (known) return known.decoded;
  const ahead = new Image();
  ahead.src = url;
  const entry = { image: ahead, ready: false, decoded: null };
  entry.decoded = ahead.decode().then(
    () => {
      entry.ready = true;
    },
    () => {
      // Tried again when it is wanted.
      kept.delete(url);
    },
  );
  kept.set(url, entry);
  return entry.decoded;
}

function forgetAllBut(urls) {
  for (const url of kept.keys()) if (!urls.has(url)) kept.delete(url);
}

function say(state) {
  labelling.dataset.picture = state;
  shown = state === "shown";
}

// `changed` is called when the pictures are there, and when one fails.
function watch(workplace, changed) {
  onChange = changed;
  tries = 0;
  images = [...workplace.querySelectorAll(".stage img")].map(fromKept);
  if (images.every(isReady)) {
    stopTimers();
    say("shown");
  } else wait();
}

const keptOf = (image) => kept.get(image.getAttribute("src"));
const isReady = (image) => Boolean(keptOf(image)?.ready);

// The very picture that was decoded takes the place of the form's own, which may have to be fetched.
function fromKept(image) {
  if (!isReady(image)) return image;
  const picture = keptOf(image).image;
  picture.removeAttribute("style");
  for (const { name, value } of image.attributes)
    if (name !== "src" && name !== "style") picture.setAttribute(name, value);
  image.replaceWith(picture);
  return picture;
}

async function wait() {
  const mine = images;
  clear();
  stopTimers();
  say("loading");
  timers = [
    setTimeout(() => say("slow"), QUIET_AFTER),
    setTimeout(() => trouble(gettext("The picture has not arrived yet. It is still loading.")), PANEL_AFTER),
  ];
  for (const image of mine.filter((one) => !isReady(one))) {
    try {
      await image.decode();
    } catch {
      if (mine === images && image.isConnected) fail(image);
      return;
    }
    if (mine !== images) return;
    kept.set(image.getAttribute("src"), { image, ready: true, decoded: Promise.resolve() });
  }
  stopTimers();
  clear();
  say("shown");
  onChange();
}

async function fail(mine) {
  stopTimers();
  say("failed");
  const why = await reason(mine);
  if (!images.includes(mine) || labelling.dataset.picture !== "failed") return;
  trouble(why);
  onChange();
}

async function reason(mine) {
  try {
    const answer = await fetch(mine.src, { method: "HEAD", cache: "no-store" });
    if (answer.ok || answer.status === 410) return gettext("This picture cannot be shown: its file is damaged.");
    return gettext("The server does not have this picture (%(status)).", { status: answer.status });
  } catch {
    return gettext("The picture could not be loaded: there is no connection.");
  }
}

function trouble(sentence) {
  const box = images[0]?.closest(".stage");
  if (!box) return;
  clear();
  const panel = document.getElementById("picture-trouble").content.cloneNode(true);
  panel.querySelector(".why").textContent = sentence;
  const skip = panel.querySelector('[data-do="skip"]');
  skip.hidden = !document.querySelector('[data-verb="skip"]');
  box.classList.toggle("broken", labelling.dataset.picture === "failed");
  box.append(panel);
}

const clear = () => {
  document.querySelector(".stage .trouble")?.remove();
  document.querySelector(".stage")?.classList.remove("broken");
};

function stopTimers() {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
}

function retry() {
  if (!images.length || shown) return;
  tries += 1;
  for (const image of images.filter((one) => !isReady(one))) {
    // An address of its own, so that no cache answers with the same broken file.
    const address = new URL(image.src, location.href);
    address.searchParams.set("again", tries);
    image.src = address.href;
  }
  wait();
}

addEventListener("online", () => {
  if (labelling.dataset.picture === "failed") retry();
});

window.jurybox.picture = {
  isHere: (url) => Boolean(kept.get(url)?.ready),
  watch,
  retry,
  loadAhead,
  forgetAllBut,
  isShown: () => shown,
  isTrouble: () => Boolean(document.querySelector(".stage .trouble")),
};
