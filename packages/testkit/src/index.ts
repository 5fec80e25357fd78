export { collect, collectAndKeep, type TicketOutcome } from "./collect-ticket.ts";
export { decodeProgram, engineRequest } from "./engine-request.ts";
export { tokenRope } from "./token-rope.ts";
