/** The explorer of a notebook: it shows what Python computed, and tells Python what is asked. Nothing is computed here. */

const SIZE = { width: 360, height: 230, left: 40, right: 10, top: 12, bottom: 34 };

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

function s(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Objects that hold the same, in whichever order it came back. */
const same = (a, b) => written(a) === written(b);
const written = (value) => JSON.stringify(value, (_, part) => (part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part));

const toNumber = (text) => {
  const [above, below = "1"] = String(text).split("/");
  return Number(above) / Number(below);
};

/** @returns {string[]} ten-thousandths: one share is moved, and the others keep their proportions */
function moved(shares, place, share) {
  const values = shares.map(toNumber);
  const total = values.reduce((sum, value) => sum + value, 0) || 1;
  const others = total - values[place];
  const rest = 10_000 - Math.round(10_000 * share);
  const next = values.map((value, i) => (i === place ? 10_000 - rest : Math.round(others > 0 ? (rest * value) / others : rest / (values.length - 1))));
  const last = next.reduce((most, value, i) => (i !== place && value > (next[most] ?? -1) ? i : most), place === 0 ? 1 : 0);
  next[last] += 10_000 - next.reduce((sum, value) => sum + value, 0);
  return next.map((value) => `${value}/10000`);
}

function render({ model, el }) {
  const root = h("div", { class: "epstar-explorer" });
  const asks = h("div", { class: "asks" });
  const found = h("div", { class: "found", "aria-live": "polite" });
  root.append(asks, found);
  el.append(root);
  let sent = null;
  let next = null;

  /** Ask Python; while it computes, only the latest question waits. */
  function ask(changes) {
    next = { ...(next ?? model.get("question")), ...changes };
    if (sent === null) send();
    draw();
  }

  function send() {
    sent = next;
    model.set("question", next);
    model.save_changes();
  }

  function answered() {
    if (sent === null || same(model.get("shown").question, sent)) {
      const isOld = next !== null && next !== sent;
      sent = null;
      if (isOld) send();
      else next = null;
    }
    draw();
  }

  function form() {
    const { notion, distortion, shares } = next ?? model.get("question");
    const labels = model.get("labels");
    const bar = (label, i) => {
      const value = toNumber(shares[i]);
      return h("label", {}, h("span", { title: label }, label), h("input", { type: "range", min: "0", max: "1", step: "0.01", value: String(value), oninput: (event) => ask({ shares: moved((next ?? model.get("question")).shares, i, Number(event.target.value)) }) }), h("output", {}, value.toFixed(3)));
    };
    const choice = h("select", { onchange: () => ask({ notion: choice.value }) }, model.get("notions").map(({ name, title }) => h("option", { value: name, ...(name === notion ? { selected: "" } : {}) }, title)));
    const axis = model.get("curve").axis ?? "distortion";
    const sign = axis === "utility" ? -1 : 1;
    const places = (model.get("curve").points ?? []).map(([x]) => x);
    const at = sign * toNumber(distortion);
    const slide = (event) => ask({ distortion: String(sign * Number(event.target.value)) });
    const [low, high] = places.length ? [Math.min(...places), Math.max(...places)] : [at, at];
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: String((high - low) / 200 || 1), value: String(at), oninput: slide });
    return [
      ...labels.map(bar),
      h("label", { class: "plain" }, h("span", {}, "notion"), choice),
      h("label", {}, h("span", {}, axis), slider, h("output", {}, String(Number(at.toPrecision(4))))),
    ];
  }

  function answer() {
    const shown = model.get("shown");
    const question = next ?? model.get("question");
    if (!same(shown.question, question)) return [h("p", {}, "Computing …")];
    if (shown.problem) return [h("p", { class: "problem", role: "alert" }, shown.problem)];
    const value = h("p", { class: "value" });
    // Python wrote it, and escaped whatever is a label in it.
    value.innerHTML = shown.value;
    const badge = shown.status.startsWith("proven") ? [" ", h("span", { class: "badge" }, `✓ ${shown.status}`)] : [];
    return [h("p", { class: "headline" }, shown.headline, ...badge), value, h("p", {}, shown.risk), h("div", { class: "pictures" }, picture(shown.place), mechanism(shown))];
  }

  function picture(place) {
    const { question, points = [], jumps = [], is_joined: isJoined, axis = "distortion", unit = "nats", problem } = model.get("curve");
    const { distortion, ...asked } = next ?? model.get("question");
    if (!same(question, asked)) return h("p", {}, "Computing the curve …");
    if (problem) return h("p", { class: "problem" }, problem);
    const finite = points.filter(([, y]) => y !== null);
    const xs = [...points.map(([x]) => x), place[0]];
    const top = 1.08 * Math.max(...finite.map(([, y]) => y), ...jumps.map(([, y]) => y ?? 0), place[1] ?? 0, 1e-9);
    const [low, high] = [Math.min(...xs), Math.max(...xs)];
    const { width, height, left, right, bottom } = SIZE;
    const X = (x) => left + ((x - low) / (high - low || 1)) * (width - left - right);
    const Y = (y) => height - bottom - (Math.min(y, top) / top) * (height - bottom - SIZE.top);
    const parts = [
      s("line", { class: "axis", x1: left, x2: width - right, y1: Y(0), y2: Y(0) }), s("line", { class: "axis", x1: left, x2: left, y1: Y(0), y2: SIZE.top }),
      ...ticks(low, high).map((x) => s("text", { x: X(x), y: height - bottom + 15, "text-anchor": "middle" }, Number(x.toPrecision(3)))),
      ...ticks(0, top).map((y) => s("text", { x: left - 5, y: Y(y) + 4, "text-anchor": "end" }, Number(y.toPrecision(3)))),
      s("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, axis), s("text", { transform: `translate(10 ${height / 2 - 10}) rotate(-90)`, "text-anchor": "middle" }, `loss (${unit})`),
    ];
    // A jump is never drawn as a slope: lines end on each side of it, and without knowing all jumps there are none.
    if (isJoined) {
      const ends = jumps.flatMap(([x, before, after]) => [[x, before, 0], [x, after, 1]]).filter(([, y]) => y !== null);
      const all = [...finite.filter(([x]) => !jumps.some(([at]) => at === x)).map(([x, y]) => [x, y, 2]), ...ends].sort((a, b) => (axis === "utility" ? b[0] - a[0] : a[0] - b[0]) || a[2] - b[2]);
      parts.push(s("path", { class: "line", d: all.map(([x, y, order], i) => `${i === 0 || order === 1 ? "M" : "L"}${X(x)} ${Y(y)}`).join(" ") }));
    } else parts.push(...finite.map(([x, y]) => s("circle", { class: "dot", cx: X(x), cy: Y(y), r: 2.2 })));
    for (const [x, before, after] of jumps) {
      if (before === null) continue;
      parts.push(s("line", { class: "jump", x1: X(x), x2: X(x), y1: Y(before), y2: Y(after ?? 0) }), s("circle", { class: "open", cx: X(x), cy: Y(before), r: 3 }), s("circle", { class: "dot", cx: X(x), cy: Y(after ?? 0), r: 3 }));
    }
    if (place[1] !== null) parts.push(s("circle", { class: "place", cx: X(place[0]), cy: Y(place[1]), r: 6 }));
    return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Least privacy loss against ${axis}` }, ...parts);
  }

  function mechanism({ matrix, inputs, outputs }) {
    if (!matrix.length) return h("p", {}, "The mechanism is in explorer.answer.mechanism.");
    const cell = (p) => {
      const found = h("td", {}, p === 0 || p === 1 ? String(p) : p.toFixed(3));
      found.style.background = `rgb(0 114 178 / ${(0.45 * p).toFixed(3)})`;
      return found;
    };
    const head = h("tr", {}, h("td"), outputs.map((label) => h("th", { scope: "col" }, label)));
    const rows = matrix.map((row, x) => h("tr", {}, h("th", { scope: "row" }, inputs[x]), row.map(cell)));
    return h("table", { "aria-label": "Probability of each released value (columns) given the true value (rows)" }, h("thead", {}, head), h("tbody", {}, rows));
  }

  function draw() {
    const held = [...asks.querySelectorAll("input, select")].indexOf(root.getRootNode().activeElement);
    // A slider that is being dragged must stay the same element.
    if (held < 0) asks.replaceChildren(...form());
    else refresh();
    found.replaceChildren(...answer());
  }

  /** Let the form say what is asked without replacing what somebody holds. */
  function refresh() {
    const fresh = h("div", {}, form());
    const [old, now] = [asks, fresh].map((place) => [...place.querySelectorAll("input, select, output")]);
    if (old.length !== now.length) return;
    old.forEach((element, i) => {
      if (element.matches("output")) element.textContent = now[i].textContent;
      else if (element !== root.getRootNode().activeElement) {
        if (element.type === "range") [element.min, element.max, element.step] = [now[i].min, now[i].max, now[i].step];
        element.value = now[i].value;
      }
    });
  }

  model.on("change:shown", answered);
  model.on("change:curve", draw);
  model.on("change:question", draw);
  draw();
  return () => {
    model.off("change:shown", answered);
    model.off("change:curve", draw);
    model.off("change:question", draw);
  };
}

/** @returns {number[]} a few round numbers between two ends */
function ticks(low, high) {
  const raw = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

export default { render };
