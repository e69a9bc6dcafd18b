/** A table that somebody drops on the page, read in the browser: its columns, and how often each value occurs. */

/** What is wrong with a table, in one sentence. */
export class BadTable extends Error {}

/**
 * @param {string} text CSV with commas and a first row of names
 * @returns {{columns: string[], rows: number, counts: (column: string) => Map<string, number>}}
 */
export function readTable(text) {
  const [columns, ...rows] = records(text.replace(/^\uFEFF/u, ""));
  if (!columns || (columns.length === 1 && columns[0] === "")) throw new BadTable("The file is empty; choose a CSV file with the names of its columns in the first row.");
  if (columns.length === 1 && /[;\t]/u.test(columns[0])) throw new BadTable("The columns are separated by semicolons or tabs; save the table as CSV with commas.");
  if (new Set(columns).size < columns.length) throw new BadTable("Two columns have the same name; rename one.");
  if (!rows.length) throw new BadTable("The table has names of columns and no rows; choose another.");
  const odd = rows.findIndex((row) => row.length !== columns.length);
  if (odd >= 0) throw new BadTable(`Row ${odd + 2} has ${rows[odd].length} cells and the first row ${columns.length}; repair it in a spreadsheet.`);
  return { columns, rows: rows.length, counts: (column) => counted(rows, columns.indexOf(column)) };
}

function counted(rows, place) {
  const found = new Map();
  for (const row of rows) found.set(row[place], (found.get(row[place]) ?? 0) + 1);
  return found;
}

/** The rows of a CSV text; a cell in quotation marks may hold commas, line breaks, and marks doubled. */
function records(text) {
  const rows = [];
  let row = [];
  let cell = "";
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    // An empty line is no row.
    if (row.length > 1 || row[0] !== "") rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i];
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === ",") {
      row.push(cell);
      cell = "";
    } else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  if (cell !== "" || row.length) endRow();
  return rows;
}

/** A table to try things with: 1,000 answers to one question, and an age that nobody needs. */
export function exampleTable() {
  const answers = { never: 410, sometimes: 320, often: 190, always: 80 };
  const rows = Object.entries(answers).flatMap(([answer, count]) => Array.from({ length: count }, (_, i) => `${answer},${18 + ((i * 37) % 60)}`));
  return `smokes,age\n${rows.join("\n")}\n`;
}
