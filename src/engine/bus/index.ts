export type { Bus, BusHint } from './bus.ts';
export { BusError, type BusErrorCode, busErrors, isBusError } from './errors.ts';
export { createLocalBus, type LocalBusOptions } from './local-bus.ts';
export type { NatsTls } from './nats/dial.ts';
export type { NatsCredentials } from './nats/nats-address.ts';
export { connectNatsBus, type NatsBusOptions } from './nats/nats-bus.ts';
export { defaultNatsSettings, type NatsSettings } from './nats/nats-settings.ts';
export { type BusFaults, createUnreliableBus, type UnreliableBus } from './unreliable-bus.ts';
