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
const end = (job) => fetch(`api/jobs/${job}`, { method: "DELETE", keepalive: true }).catch(() => undefined);
// Who leaves the page waits for nothing any more.
addEventListener("pagehide", () => running.forEach(end));

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
  // Whoever asked first may give up; whoever asked the same after them has not.
  if (known) return known.catch((error) => { if (isAbort(error) && !options.signal?.aborted) return ask(task, document, options); throw error; });
  const promise = follow(question, task, document, options);
  answered.set(question, promise);
  if (answered.size > MOST_REMEMBERED) answered.delete(answered.keys().next().value);
  // Who asks again after a question was abandoned must not get the abandoned answer.
  const forget = () => answered.get(question) === promise && answered.delete(question);
  options.signal?.addEventListener("abort", forget);
  promise.then(() => options.signal?.removeEventListener("abort", forget), forget);
  return promise;
}

// The first request is short, because only its answer names the job, which has to be known to be cancelled. What follows
// waits longer, and is let go at once when nobody wants it any more.
const FIRST_WAIT = 0.05;
const WAIT = 1;
const PARTIAL_WAIT = 0.25;
// A job that the server gave up, because it heard nothing of a page for too long, or has forgotten, is asked for again.
const MOST_ATTEMPTS = 5;
// Seconds after which to ask again where too much is under way: jobs that were just cancelled still count for a moment.
const BUSY_WAIT = 1;

async function follow(question, task, document, options) {
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      const job = await attempted(question, task, document, options);
      if (job.state === "done") {
        questions.set(job.result, job.question);
        return job.result;
      }
      if (job.state !== "cancelled" || attempt === MOST_ATTEMPTS) throw new Refused(job.error, 0);
    } catch (error) {
      if (![404, 429].includes(error.status) || attempt === MOST_ATTEMPTS) throw error;
      if (error.status === 429) await new Promise((done) => { setTimeout(done, 1000 * BUSY_WAIT * attempt); });
    }
  }
}

const isUnderWay = ({ state }) => state === "queued" || state === "running";

async function attempted(question, task, document, { signal, progress, partial }) {
  let job = await request(`api/${task}?wait=${FIRST_WAIT}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(document) });
  running.add(job.job);
  try {
    while (isUnderWay(job)) {
      signal?.throwIfAborted();
      if (job.progress) progress?.(job.progress.done, job.progress.total);
      if (job.partial) partial?.(job.partial);
      job = await request(`api/jobs/${job.job}?wait=${partial ? PARTIAL_WAIT : WAIT}`, { signal });
    }
    signal?.throwIfAborted();
    return job;
  } catch (error) {
    // Unless somebody has asked the same again: the server has one job for both.
    if (isAbort(error) && isUnderWay(job) && !answered.has(question)) end(job.job);
    throw error;
  } finally {
    running.delete(job.job);
  }
}

/** @returns {Promise<any>} what an address answers */
export async function request(address, options = {}) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Refused("The server does not answer; is `epstar serve` still running?", 0);
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(body.error ?? `The server answered with status ${response.status}.`, response.status);
  return body;
}

/** @returns {boolean} whether an error only says that nobody waits any more */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";
