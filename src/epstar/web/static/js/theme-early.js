// Runs before the first paint, so that a dark page never flashes white.
(() => {
  const chosen = localStorage.getItem("epstar-theme");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (dark ? "dark" : "light");
})();
