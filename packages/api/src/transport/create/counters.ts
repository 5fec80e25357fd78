/**
 * Work done on request bodies in this thread, so that a test can hold work per lap against the delta: bytes
 * of JSON parsed into values (UTF-16 units of the text), items and settings validated.
 */
export const createCounters = { jsonParsed: 0, itemsValidated: 0, settingsValidated: 0 };
