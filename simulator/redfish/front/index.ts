export { createEventPush, type EventPush } from './event-push.ts';
export { eventStreamPath } from './event-stream.ts';
export { createFront, type Front, type FrontOptions } from './front.ts';
