// The token has become a cookie by now: it leaves the address bar before anything else can see it there.
(() => {
  const fields = new URLSearchParams(location.search);
  if (!fields.has("token")) return;
  fields.delete("token");
  const rest = fields.toString();
  history.replaceState(null, "", `${location.pathname}${rest ? `?${rest}` : ""}${location.hash}`);
})();
