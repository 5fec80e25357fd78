/** The machine or the checkout lacks something; the message says what to do. Ends a script with exit status 3. */
export class SetupError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SetupError";
  }
}
