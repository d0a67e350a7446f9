// One tab of this person labels a study. A second one says so, and can go on instead of the first.

const labelling = document.getElementById("labelling");
const dialog = document.getElementById("elsewhere");
const name = `jurybox.label.${labelling.dataset.person}.${labelling.dataset.study}`;
const me = crypto.getRandomValues(new Uint32Array(2)).join("-");
// Older browsers have none; there the server refuses a second answer about the same image.
const channel = "BroadcastChannel" in window ? new BroadcastChannel(name) : null;
let active = true;
let onChange = () => {};

const tell = (what) => channel?.postMessage({ what, from: me });

function stop() {
  if (!active) return;
  active = false;
  onChange();
  dialog.showModal();
}

// The page is read again: meanwhile the other tab may have answered its image.
function goOnHere() {
  tell("mine");
  location.reload();
}

if (channel)
  channel.onmessage = ({ data }) => {
    if (data.from === me) return;
    if (data.what === "hello" && active) channel.postMessage({ what: "here", from: me, to: data.from });
    else if (data.what === "here" && data.to === me) stop();
    else if (data.what === "mine") stop();
  };

// Esc would leave a page on which nothing works.
dialog.addEventListener("cancel", (event) => event.preventDefault());
dialog.querySelector("button").addEventListener("click", goOnHere);

window.jurybox.tabs = {
  isActive: () => active,
  begin: (changed) => {
    onChange = changed;
    tell("hello");
  },
};
