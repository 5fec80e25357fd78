export { collect, collectAndKeep, type TicketOutcome } from "./collect-ticket.ts";
export { decodeProgram, engineRequest } from "./engine-request.ts";
export { FakeClock, settleMicrotasks } from "./fake-clock.ts";
export { type ConversationOptions, generateConversation } from "./generate-conversation.ts";
export { generateText, type TextOptions } from "./generate-text.ts";
export { type SeededRandom, seededRandom } from "./random.ts";
export { sequentialIds } from "./sequential-ids.ts";
export { simulatedModel } from "./simulated-model.ts";
export { tokenRope } from "./token-rope.ts";
