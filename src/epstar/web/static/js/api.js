/** The server's answers: jobs are followed until they end, and cancelled when nobody waits for them any more. */

/** A refusal in one sentence. */
export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** @type {Map<string, Promise<unknown>>} */
const answered = new Map();
const MOST_REMEMBERED = 200;

/** @type {WeakMap<object, string>} what each result answers */
const questions = new WeakMap();

/** @returns {string} a short name of the question that a result of `ask` answers, and no other: files are named by it */
export const questionOf = (result) => questions.get(result).slice(0, 8);

/** @type {Set<string>} the jobs that are under way */
const running = new Set();
// Who leaves the page waits for nothing any more.
addEventListener("pagehide", () => running.forEach((job) => fetch(`api/jobs/${job}`, { method: "DELETE", keepalive: true })));

/**
 * Ask the server and wait for the answer.
 * @param {string} task such as "solve"
 * @param {object} document
 * @param {{signal?: AbortSignal, progress?: (done: number, total: number) => void, partial?: (found: object) => void}} [options]
 *   `partial` hears what is found before all of it is
 * @returns {Promise<any>} the result
 */
export function ask(task, document, options = {}) {
  const question = `${task} ${JSON.stringify(document)}`;
  const known = answered.get(question);
  if (known) return known;
  const promise = follow(question, task, document, options);
  answered.set(question, promise);
  if (answered.size > MOST_REMEMBERED) answered.delete(answered.keys().next().value);
  // Who asks again after a question was abandoned must not get the abandoned answer.
  const forget = () => answered.get(question) === promise && answered.delete(question);
  options.signal?.addEventListener("abort", forget);
  promise.then(() => options.signal?.removeEventListener("abort", forget), forget);
  return promise;
}

async function follow(question, task, document, { signal, progress, partial }) {
  signal?.throwIfAborted();
  // The request itself is not aborted: its answer names the job that has to be cancelled.
  let job = await request(`api/${task}?wait=${partial ? 0.2 : 1}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(document) });
  running.add(job.job);
  try {
    while (job.state === "queued" || job.state === "running") {
      if (signal?.aborted) {
        // Unless somebody has asked the same again: the server has one job for both.
        if (!answered.has(question)) await request(`api/jobs/${job.job}`, { method: "DELETE" }).catch(() => undefined);
        signal.throwIfAborted();
      }
      if (job.progress) progress?.(job.progress.done, job.progress.total);
      if (job.partial && !signal?.aborted) partial?.(job.partial);
      job = await request(`api/jobs/${job.job}?wait=${partial ? 0.25 : 0.5}`);
    }
  } finally {
    running.delete(job.job);
  }
  signal?.throwIfAborted();
  if (job.state !== "done") throw new Refused(job.error, 0);
  questions.set(job.result, job.question);
  return job.result;
}

/** @returns {Promise<any>} what an address answers */
export async function request(address, options = {}) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Refused("The server does not answer; is `epstar serve` still running?", 0);
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(body.error ?? `The server answered with status ${response.status}.`, response.status);
  return body;
}

/** @returns {boolean} whether an error only says that nobody waits any more */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";
