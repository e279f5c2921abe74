export { type FollowCounts, type FollowOptions, followEvents } from './follow-events.ts';
export { type EventHint, type ParsedEvents, parseEvents } from './hint.ts';
export { type Subscription, type SubscriptionOrder, subscribe, unsubscribe } from './subscribe.ts';
