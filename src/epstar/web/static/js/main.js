/** The page: one view at a time, the address as its memory. */

import { request, Refused } from "./api.js";
import { announce, fill, h } from "./dom.js";
import { Explorer } from "./explorer.js";
import { Store } from "./state.js";
import { installTheme } from "./theme.js";

const TABS = [["explore", "Explore"], ["release", "Release"], ["convert", "Convert"], ["audit", "Audit"], ["theorems", "Theorems"]];
const LOADERS = {
  explore: async () => Explorer,
  release: async () => (await import("./release.js")).ReleaseView,
  convert: async () => (await import("./convert.js")).Converter,
  audit: async () => (await import("./audit.js")).Audit,
  theorems: async () => (await import("./theorems.js")).Theorems,
};

const place = document.getElementById("view");
const tabs = document.getElementById("tabs");

function drawTabs(store) {
  fill(
    tabs,
    TABS.map(([view, title]) =>
      h("a", {
        class: "tab", href: `#view=${view}`, "aria-current": store.state.view === view ? "page" : null,
        onclick: (event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          store.set({ view });
        },
      }, title),
    ),
  );
}

async function start() {
  const store = new Store();
  const known = await request("api/explorer");
  /** Views are made when they are first looked at, and kept. */
  const views = new Map();
  let shown = "";

  async function show() {
    const { view } = store.state;
    drawTabs(store);
    if (!views.has(view)) views.set(view, new (await LOADERS[view]())(store, known));
    if (view === store.state.view && shown !== view) {
      fill(place, views.get(view).element);
      if (shown) announce(`${TABS.find(([name]) => name === view)[1]} is shown.`);
      shown = view;
    }
  }

  store.subscribe((_, changes) => {
    views.forEach((view) => view.update(changes));
    if (changes.all || "view" in changes) show();
  });
  installTheme(document.getElementById("theme"), () => views.forEach((view) => view.recolour?.()));
  const share = document.getElementById("share");
  share.addEventListener("click", async () => {
    // A moment, so that the address has caught up with the last change.
    await new Promise((done) => { setTimeout(done, 150); });
    await navigator.clipboard.writeText(location.href).then(() => { share.textContent = "Link copied"; }, () => { share.textContent = "Copy the address above"; });
    announce(share.textContent);
    setTimeout(() => { share.textContent = "Copy link"; }, 2500);
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  });
  await show();
}

start().catch((error) => {
  fill(place, h("p", { class: "notice bad", role: "alert" }, error instanceof Refused ? error.message : "The page could not start; reload it."));
  throw error;
});
