// For every page: the theme switch, and how htmx handles log-ins, errors and polling.
//
// Other modules find its functions in `window.jurybox`, not by import: files are served under
// hashed names, and an import by the plain name would run this one a second time.

const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

function nameTheSwitch() {
  for (const button of document.querySelectorAll("[data-theme-switch]"))
    button.textContent = isDark() ? gettext("Light") : gettext("Dark");
}

function switchTheme() {
  const wanted = isDark() ? "light" : "dark";
  const root = document.documentElement;
  // The same as the system's theme: follow the system again.
  const followsSystem = (wanted === "dark") === system.matches;
  if (followsSystem) delete root.dataset.theme;
  else root.dataset.theme = wanted;
  try {
    if (followsSystem) localStorage.removeItem("jurybox.theme");
    else localStorage.setItem("jurybox.theme", wanted);
  } catch {
    // Private windows may have no storage; then the choice is for this page only.
  }
  announceTheme();
}

function announceTheme() {
  nameTheSwitch();
  document.dispatchEvent(new CustomEvent("jurybox:theme"));
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-theme-switch]")) switchTheme();
});
system.addEventListener("change", announceTheme);
nameTheSwitch();

// ---- Search by Ctrl-K or ⌘K ---------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "k") return;
  const link = document.querySelector("[data-search]");
  if (!link) return;
  event.preventDefault();
  location.assign(link.href);
});

// ---- What was opened last, for the page of search ---------------------------------------------------

const RECENT = "jurybox.recent";
const MOST_RECENT = 8;

function readRecent() {
  try {
    return JSON.parse(localStorage.getItem(RECENT)) ?? [];
  } catch {
    return [];
  }
}

function rememberPage() {
  try {
    // The next person to log in on this browser does not see it.
    if (endedAtLogin(location.href)) return localStorage.removeItem(RECENT);
    const who = document.querySelector(".person .name")?.textContent;
    if (!who || !document.querySelector("header.top nav")) return;
    const page = { who, url: location.pathname, title: document.title.replace(/ · Jurybox$/, "") };
    const others = readRecent().filter((one) => one.url !== page.url && one.who === who);
    localStorage.setItem(RECENT, JSON.stringify([page, ...others].slice(0, MOST_RECENT)));
  } catch {
    // Without storage nothing is remembered.
  }
}

// ---- htmx ---------------------------------------------------------------------------------------

const refusal = document.getElementById("refusal");
const shown = new WeakMap();
let kept = [];

const wasPolled = (detail) => !detail.requestConfig.triggeringEvent;
// Every rendering has another token; replies that differ only in it are the same.
const withoutTokens = (html) => html.replace(/name="csrfmiddlewaretoken" value="[^"]*"/g, "");

function say(sentence) {
  const line = document.createElement("p");
  line.textContent = sentence;
  refusal.replaceChildren(line);
}

function endedAtLogin(url) {
  return Boolean(url) && new URL(url, location.href).pathname === document.body.dataset.login;
}

function goToLogin() {
  location.assign(`${document.body.dataset.login}?next=${encodeURIComponent(location.pathname)}`);
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = event;
  if (endedAtLogin(detail.xhr.responseURL)) {
    // The session has expired: the log-in form must not be swapped into this page.
    detail.shouldSwap = false;
    goToLogin();
    return;
  }
  if (detail.isError || !detail.shouldSwap) return;
  const answer = withoutTokens(detail.serverResponse);
  if (wasPolled(detail) && shown.get(detail.target.parentNode) === answer) {
    // Nothing new: do not disturb somebody who reads, selects or scrolls.
    detail.shouldSwap = false;
    return;
  }
  shown.set(detail.target.parentNode, answer);
  kept = [...detail.target.querySelectorAll("[data-keep]")].map((element) => ({
    id: element.id,
    open: element.open,
    left: element.scrollLeft,
  }));
});

document.addEventListener("htmx:afterSwap", () => {
  for (const { id, open, left } of kept) {
    const element = document.getElementById(id);
    if (!element) continue;
    if (open !== undefined) element.open = open;
    element.scrollLeft = left;
  }
  kept = [];
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const worked = detail.successful;
  if (worked && (!wasPolled(detail) || refusal.dataset.offline)) refusal.replaceChildren();
  if (worked) delete refusal.dataset.offline;
});

document.addEventListener("htmx:responseError", ({ detail }) => {
  if (!refusal.childElementCount)
    say(
      gettext("That did not work (%(status)). Nothing was changed; load the page again.", { status: detail.xhr.status }),
    );
});

document.addEventListener("htmx:sendError", (event) => {
  // The label page has its own line for waiting answers.
  if (event.target.closest("#labelling")) return;
  refusal.dataset.offline = "yes";
  say(gettext("Jurybox cannot be reached. This page may be out of date; trying again."));
});

window.jurybox = { endedAtLogin, goToLogin, isDark, readRecent };
rememberPage();
