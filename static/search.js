// The page of search, before anything is typed: what this person opened last in this browser.

const { readRecent } = window.jurybox;

function listRecent() {
  const section = document.querySelector("[data-recent]");
  const who = document.querySelector(".person .name")?.textContent;
  const pages = readRecent().filter((page) => page.who === who);
  if (!section || !pages.length) return;
  const lines = pages.map(({ url, title }) => {
    const line = document.createElement("li");
    const link = document.createElement("a");
    line.dir = "auto";
    link.href = new URL(url, location.origin).pathname;
    link.textContent = title;
    line.append(link);
    return line;
  });
  section.querySelector("ul").replaceChildren(...lines);
  section.hidden = false;
}

document.addEventListener("htmx:afterSettle", listRecent);
listRecent();
