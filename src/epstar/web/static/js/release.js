/** Releasing a table from the page: drop it, declare a column, choose how precise or how private, take the result away. */

import { ask, isAbort, Refused } from "./api.js";
import { announce, field, fill, h, lead, select } from "./dom.js";
import { save } from "./downloads.js";
import { number } from "./format.js";
import { parse, text } from "./fraction.js";
import { frequencyChart } from "./frequencies.js";
import { meter } from "./meter.js";
import { BadTable, exampleTable, readTable } from "./table.js";

const MOST_BYTES = 3_500_000;
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const WHERE = LOCAL.includes(location.hostname)
  ? `The table stays on this computer: the browser hands it to epstar, which runs here at ${location.host}. epstar holds it in memory during the release, and then forgets it.`
  : `The table is sent to the server at ${location.host}, which holds it while it is released and forgets it then. If it must not leave your computer, start \`epstar serve\` there.`;
const DECLARE = "List every value that could occur, as on the questionnaire, one on each line. epstar never learns the list from the table: if only one person has a value, a category for it reveals that this person is there.";

export class ReleaseView {
  /** Whoever waits for a plan, and whoever waits for a release. */
  #planning = new AbortController();
  #abort = new AbortController();
  #table = null;
  #text = "";
  #name = "";
  #column = "";
  #categories = [];
  #special = { missing: "", other: "" };
  #keep = new Set();
  #asked = { within: "5" };
  /** What the column hints at, and public counts of both as they were typed. */
  #secret = { name: "", counts: "" };
  #plan = null;
  #told = null;
  #isChartOpen = false;
  /** @type {{question: string, loss: number}[]} what was released of this table already */
  #before = [];

  constructor() {
    this.file = h("input", { type: "file", accept: ".csv,text/csv", class: "visually-hidden", "aria-label": "Choose a CSV file", onchange: () => this.file.files[0] && this.#open(this.file.files[0]) });
    this.drop = h(
      "div",
      { class: "drop" },
      h("p", {}, "Drop a CSV file here, or"),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => this.file.click() }, "Choose a CSV file"), h("button", { type: "button", onclick: () => this.#take("example.csv", exampleTable()) }, "Try it with an example"), this.file),
    );
    for (const kind of ["dragover", "dragleave", "drop"]) this.drop.addEventListener(kind, (event) => this.#drag(event));
    this.about = h("div", { class: "stack", "aria-live": "polite" });
    this.column = h("section", { class: "card stack", "aria-labelledby": "declare-title", hidden: true });
    this.choice = h("section", { class: "card stack", "aria-labelledby": "precision-title", hidden: true, "aria-busy": "false" });
    this.others = h("section", { class: "card stack", "aria-labelledby": "others-title", hidden: true });
    this.result = h("section", { class: "card stack", "aria-labelledby": "released-title", hidden: true, "aria-busy": "false" });
    this.element = h(
      "main",
      { id: "main", class: "single", tabindex: "-1" },
      lead("Release a table", "Each answer in a column goes through the best mechanism before anybody else sees it. You choose how precise the result should be, and see what that costs."),
      h("section", { class: "card stack", "aria-labelledby": "table-title" }, h("h2", { id: "table-title" }, "1. Your table"), this.drop, h("p", { class: "small soft" }, WHERE), this.about),
      this.column, this.choice, this.others, this.result,
    );
  }

  /** Nothing here depends on the question of the other views. */
  update() {}

  #drag(event) {
    event.preventDefault();
    this.drop.classList.toggle("over", event.type === "dragover");
    const [file] = event.type === "drop" ? event.dataTransfer.files : [];
    if (file) this.#open(file);
  }

  async #open(file) {
    if (file.size > MOST_BYTES) {
      this.#refuse(`The file has ${(file.size / 1e6).toFixed(1)} MB, and the page takes ${MOST_BYTES / 1e6}; use \`epstar release\`, which takes tables of any size.`);
      return;
    }
    this.#take(file.name, await file.text());
    this.file.value = "";
  }

  #refuse(sentence) {
    this.#leave();
    this.#table = null;
    for (const part of [this.column, this.choice, this.others]) part.hidden = true;
    fill(this.about, h("p", { class: "notice", role: "alert" }, sentence));
  }

  #take(name, content) {
    try {
      const table = readTable(content);
      [this.#table, this.#text, this.#name, this.#before, this.#categories] = [table, content, name, [], []];
    } catch (error) {
      if (!(error instanceof BadTable)) throw error;
      this.#refuse(error.message);
      return;
    }
    const { columns, rows } = this.#table;
    this.#keep.clear();
    this.#choose(columns[0]);
    fill(
      this.about,
      h("p", {}, h("strong", {}, name), `: ${rows.toLocaleString("en")} rows, ${columns.length === 1 ? "one column" : `${columns.length} columns`}.`),
      field("Column to protect", select(columns.map((column) => [column, column]), columns[0], (column) => this.#choose(column))),
    );
    announce(`${name} was read.`);
  }

  #choose(column) {
    this.#column = column;
    this.#keep.delete(column);
    this.#categories = [];
    this.#special = { missing: "", other: "" };
    this.#secret = { name: "", counts: "" };
    this.#drawColumn();
    this.#drawOthers();
    this.#declare([]);
  }

  #drawColumn() {
    this.column.hidden = false;
    this.box = h("textarea", { rows: "6", spellcheck: "false", "aria-describedby": "declare-why declare-problem", onchange: () => this.#declare(this.box.value.split(/\r?\n/u).map((line) => line.trim()).filter(Boolean)) });
    this.problem = h("p", { class: "field-problem", id: "declare-problem", role: "alert" });
    this.note = h("p", { class: "notice", role: "status", hidden: true }, "Read this list before you go on: add what could have occurred and did not, and merge or remove what only one person could have answered.");
    this.specials = h("div", { class: "fields two" });
    fill(
      this.column,
      h("h2", { id: "declare-title" }, `2. What “${this.#column}” may hold`),
      field("Categories, one on each line", this.box),
      h("p", { class: "small soft", id: "declare-why" }, DECLARE),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#list() }, "Start from the values in the table")),
      this.problem, this.note, this.specials,
    );
  }

  /** Write down what the table holds; whether that is what could occur only its owner knows. */
  #list() {
    const found = [...this.#table.counts(this.#column).keys()].filter((value) => value.trim() !== "").sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    this.box.value = found.slice(0, 1000).join("\n");
    this.#declare(found.slice(0, 1000));
    this.note.hidden = false;
  }

  #declare(categories) {
    this.#categories = [...new Set(categories)];
    const isEnough = this.#categories.length >= 2;
    this.problem.textContent = isEnough || !this.box.value ? "" : "At least two categories are needed; there is nothing to tell apart.";
    this.box.setAttribute("aria-invalid", String(!isEnough && this.box.value !== ""));
    for (const key of ["missing", "other"]) if (!this.#categories.includes(this.#special[key])) this.#special[key] = "";
    this.#drawSpecials();
    for (const part of [this.choice, this.others]) part.hidden = !isEnough;
    this.#leave();
    if (isEnough) this.#askPlan(this.#asked);
  }

  /** Cells that hold none of the categories need a place, or the table is refused. */
  #drawSpecials() {
    const counts = this.#table.counts(this.#column);
    const known = new Set(this.#categories);
    let [missing, other] = [0, 0];
    for (const [value, count] of counts) if (value === "") missing += count; else if (!known.has(value)) other += count;
    const choices = [["", "not allowed: nothing is released"], ...this.#categories.map((name) => [name, `“${name}”`])];
    const one = (key, title) => field(title, select(choices, this.#special[key], (value) => { this.#special[key] = value; this.#leave(); this.#drawChart(); }));
    fill(
      this.specials,
      this.#categories.length >= 2 && missing ? one("missing", `${counted(missing, "empty cell")} count${missing === 1 ? "s" : ""} as`) : null,
      this.#categories.length >= 2 && other ? one("other", `${counted(other, "other value")} count${other === 1 ? "s" : ""} as`) : null,
    );
  }

  async #askPlan(asked) {
    this.#asked = asked;
    this.#plan = null;
    this.#leave();
    this.#planning.abort();
    this.#planning = new AbortController();
    this.choice.setAttribute("aria-busy", "true");
    const { signal } = this.#planning;
    try {
      this.#plan = await ask("plan", { categories: this.#categories.length, rows: this.#table.rows, ...planQuestion(asked) }, { signal });
      this.#drawChoice("");
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      if (!(error instanceof Refused || error instanceof BadTable)) throw error;
      this.#drawChoice(error.message);
    }
    this.choice.setAttribute("aria-busy", "false");
  }

  #drawChoice(problem) {
    const held = this.choice.contains(document.activeElement) ? document.activeElement.id : "";
    const plan = this.#plan;
    const within = "within" in this.#asked ? this.#asked.within : plan ? number(100 * plan.half_width, 3) : "";
    const loss = "loss" in this.#asked ? this.#asked.loss : plan ? number(plan.loss, 4) : "";
    const input = (key, value) => h("input", { id: `plan-${key}`, value, inputmode: "decimal", "aria-invalid": String(Boolean(problem) && key in this.#asked), "aria-describedby": "plan-problem", onchange: (event) => this.#askPlan({ [key]: event.target.value.trim() }) });
    this.chart = h("div");
    this.folded = h(
      "details",
      { open: this.#isChartOpen, ontoggle: () => { this.#isChartOpen = this.folded.open; } },
      h("summary", {}, "The frequencies in your table, and how well they will be known"),
      h("p", { class: "small soft" }, "Decide on ε before you look: a choice that depends on the private table gives something away, too."),
      this.chart,
    );
    const hidden = this.#secret.name.trim();
    const typed = (key) => ({ id: `secret-${key}`, onchange: (event) => { this.#secret = { ...this.#secret, [key]: event.target.value }; this.#leave(); this.#drawChoice(problem); } });
    const secret = h(
      "details",
      { open: Boolean(hidden || this.#secret.counts) },
      h("summary", {}, "Protect something else that this column hints at"),
      field("What it hints at", h("input", { value: this.#secret.name, placeholder: "income", ...typed("name") })),
      field("Public counts of both", h("textarea", { rows: "5", spellcheck: "false", placeholder: `, low, high\n${this.#categories.slice(0, 3).map((name, i) => `${name}, ${30 - 10 * i}, ${10 + 10 * i}`).join("\n")}`, ...typed("counts") }, this.#secret.counts)),
      h("p", { class: "small soft" }, "First the values of the secret, then a line for each category: how many people of public data, a census for instance, have both. ε is then about the secret, and the column is released as truly as that allows; it is not protected itself. The promise depends on these counts."),
    );
    fill(
      this.choice,
      h("h2", { id: "precision-title" }, "3. How precise, how private"),
      h("div", { class: "fields two" }, field("Each frequency within ± percentage points", input("within", within)), field("Privacy loss ε in nats, such as 1 or ln(3)", input("loss", loss))),
      h("p", { class: "field-problem", id: "plan-problem", role: "alert" }, problem),
      plan ? [meter(plan.guess), h("p", { class: "risk" }, hidden ? `This is about ${hidden}, and not about “${this.#column}”. ` : "", plan.risk)] : null,
      plan && !hidden ? h("p", { class: "small soft" }, `With ${this.#table.rows.toLocaleString("en")} rows, intervals of 95 % reach about ±\u00a0${number(100 * plan.half_width, 3)} points; without protection they would reach ±\u00a0${number(100 * plan.unprotected, 3)}, the sampling error of as many random rows. ${plan.least_loss === null ? "" : `No mechanism does it with less than ε = ${number(plan.least_loss, 3)}. `}${plan.answers_are_sets ? `Each released value is a set of categories (${plan.mechanism}), which tells more than one category would at the same loss.` : ""}`) : null,
      secret,
      this.folded,
    );
    this.#drawChart();
    if (held) document.getElementById(held)?.focus();
  }

  #drawChart() {
    if (!this.chart) return;
    const counts = this.#table.counts(this.#column);
    const known = new Set(this.#categories);
    const own = new Map(this.#categories.map((category) => [category, counts.get(category) ?? 0]));
    for (const [value, count] of counts) {
      const home = value === "" ? this.#special.missing : known.has(value) ? "" : this.#special.other;
      if (home) own.set(home, own.get(home) + count);
    }
    fill(this.chart, frequencyChart([...own].map(([category, count]) => ({ category, share: count / this.#table.rows })), this.#plan, this.#told));
  }

  #drawOthers() {
    const others = this.#table.columns.filter((column) => column !== this.#column);
    this.verdict = h("p", {});
    fill(
      this.others,
      h("h2", { id: "others-title" }, "4. What gets out"),
      others.length ? h("fieldset", { class: "stack" }, h("legend", {}, "Columns that pass as they are, unprotected"), h("div", { class: "row checks" }, others.map((column) => h("label", { class: "switch" }, h("input", { type: "checkbox", onchange: (event) => { this.#keep[event.target.checked ? "add" : "delete"](column); this.#leave(); this.#say(others); } }), column)))) : null,
      this.verdict,
      h("div", { class: "row" }, this.button = h("button", { type: "button", class: "main", onclick: () => this.#release() }, "Release the table")),
    );
    this.#say(others);
  }

  #say(others) {
    const kept = others.filter((column) => this.#keep.has(column));
    const dropped = others.filter((column) => !this.#keep.has(column));
    this.verdict.className = kept.length ? "notice" : "soft";
    fill(this.verdict, kept.length ? `${kept.join(", ")} will be released exactly as in your table, and may tell who somebody is. ` : "", dropped.length ? `Left out: ${dropped.join(", ")}.` : kept.length ? "" : "The table has no other column.");
  }

  /** At once, show nothing any more that was released or planned for something else. */
  #leave() {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#told = null;
    this.result.hidden = true;
    this.result.setAttribute("aria-busy", "false");
    fill(this.result);
  }

  async #release() {
    if (!this.#plan) return;
    const loss = "loss" in this.#asked ? this.#asked.loss : String(this.#plan.loss);
    const special = Object.fromEntries(Object.entries(this.#special).filter(([, value]) => value));
    const question = { table: this.#text, name: this.#name, column: this.#column, categories: this.#categories, loss, keep: [...this.#keep], ...special };
    this.#leave();
    this.#drawChart();
    this.result.hidden = false;
    const title = h("h2", { id: "released-title" }, "5. Take it away");
    try {
      Object.assign(question, secretQuestion(this.#secret, this.#categories));
    } catch (error) {
      if (!(error instanceof BadTable)) throw error;
      fill(this.result, title, h("p", { class: "notice bad", role: "alert" }, `Nothing was released. ${error.message}`));
      return;
    }
    const written = JSON.stringify(question);
    const earlier = this.#before.filter((other) => other.question !== written);
    if (earlier.length && !this.#before.some((other) => other.question === written)) {
      const total = earlier.reduce((sum, other) => sum + other.loss, this.#plan.loss);
      const hidden = question.secret || earlier.some((other) => JSON.parse(other.question).secret);
      const together = hidden ? "together they may tell the true values, and with them whatever these tell about a secret" : `together they lose up to ${number(total, 4)} nats, not ${number(this.#plan.loss, 4)}`;
      fill(this.result, title, h("p", { class: "notice", role: "alert" }, `You have released this table here before. Another release gives each person another answer: ${together}.`), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#publish(question, written, title) }, "Release it again nevertheless")));
      return;
    }
    await this.#publish(question, written, title);
  }

  async #publish(question, written, title) {
    const { signal } = this.#abort;
    this.result.setAttribute("aria-busy", "true");
    const count = h("span", {}, "");
    fill(this.result, title, h("p", { class: "soft" }, `Releasing ${this.#table.rows.toLocaleString("en")} rows, and writing the report … `, count), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#cancelled(title) }, "Cancel")));
    try {
      const found = await ask("publish", question, { signal, progress: (done) => { count.textContent = `${done.toLocaleString("en")} rows are done`; } });
      if (signal.aborted) return;
      this.#before.push({ question: written, loss: this.#plan.loss });
      this.#told = found.estimates;
      this.folded.open = true;
      this.#drawChart();
      this.#offer(found, title);
      announce("The table was released.");
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      fill(this.result, title, h("p", { class: "notice bad", role: "alert" }, `Nothing was released. ${error.message}`), this.#again());
    }
    this.result.setAttribute("aria-busy", "false");
  }

  #again() {
    return h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#release() }, "Try again"));
  }

  #cancelled(title) {
    this.#leave();
    this.result.hidden = false;
    fill(this.result, title, h("p", { class: "notice" }, "The release was cancelled; nothing was released."), this.#again());
  }

  #offer(found, title) {
    const files = [
      ["Released table", found.name, found.table, "text/csv"],
      ["Release file", `${found.name}.release.json`, found.release, "application/json"],
      ["Report", `${found.name}.report.html`, found.report, "text/html"],
    ];
    const copy = h("button", { type: "button", onclick: async () => { await navigator.clipboard.writeText(found.command).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it and copy"; }); } }, "Copy the command");
    fill(
      this.result,
      title,
      found.warnings.map((sentence) => h("p", { class: "notice" }, sentence)),
      h("p", {}, `${found.rows.toLocaleString("en")} rows were released. The chart above shows what they tell.`),
      h("ul", { class: "plain" }, found.sentences.map((sentence) => h("li", {}, sentence))),
      h("div", { class: "row downloads" }, files.map(([name, file, content, type]) => h("button", { type: "button", class: name === "Released table" ? "main" : null, "data-file": file, onclick: () => save(file, new Blob([content], { type })) }, name))),
      h("p", { class: "small soft" }, "Hand on the released table together with its release file and report, and keep your own table to yourself. The same in a terminal, with fresh random answers (a second release):"),
      h("pre", { class: "command", tabindex: "0", "aria-label": "Command" }, found.command),
      h("div", { class: "row" }, copy),
    );
  }
}

const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** @returns {object} the secret that is protected instead of the column, by public counts; nothing if none is named */
function secretQuestion({ name, counts }, categories) {
  if (!name.trim() && !counts.trim()) return {};
  if (!name.trim() || !counts.trim()) throw new BadTable("A secret needs a name and public counts; write both, or neither.");
  const [head, ...lines] = counts.split(/\r?\n/u).filter((line) => line.trim()).map((line) => line.split(",").map((word) => word.trim()));
  const rows = new Map(lines.map(([category, ...found]) => [category, found]));
  const values = head.slice(1);
  const missing = categories.find((category) => rows.get(category)?.length !== values.length);
  if (missing !== undefined || rows.size !== categories.length) throw new BadTable(`The public counts need the values of the secret in their first line, as in “, low, high”, and a line of ${values.length} numbers for each category${missing === undefined ? " and no other" : `, also for “${missing.slice(0, 20)}”`}.`);
  return { secret: { name: name.trim(), values, counts: categories.map((category) => rows.get(category)) } };
}

/** @returns {object} what is asked of the server: points as a share, a loss as it was typed */
function planQuestion({ within, loss }) {
  if (loss !== undefined) {
    if (!loss) throw new BadTable("Write the loss as a number, such as 1 or ln(3).");
    return { loss };
  }
  const points = parse(within);
  if (!points || points.n <= 0n) throw new BadTable(`“${within.slice(0, 20)}” is not a precision; write percentage points, such as 5.`);
  return { within: text({ n: points.n, d: points.d * 100n }) };
}
