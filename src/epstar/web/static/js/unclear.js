/** What is wrong with the question, in one sentence. */
export class Unclear extends Error {}
