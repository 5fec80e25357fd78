/** A grammar that cannot be used: the message is for the client. Never leaves the grammar thread. */
export class GrammarRefused extends Error {}
