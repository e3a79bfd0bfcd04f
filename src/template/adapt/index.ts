export { adaptMessages } from "./adaptMessages.ts";
export { type Adaptation, type AdaptedMessages, adaptations, type MessageChange } from "./types.ts";
