import { createFakeClock } from '../../../../src/kube/index.ts';
import type { FaultKind, FaultRule } from '../../../faults/fault.ts';
import type { Machine, MachineEvent, Session, Subscription } from '../../../machine/machine.ts';
import type { Personality, ServiceFeatures } from '../../../personalities/personality.ts';
import { refuse } from '../../resources/errors.ts';
import type { Route } from '../../route.ts';

/** Name and password of every fake machine. */
export const fakeLogin = { username: 'root', password: 'calvin' };

/** A machine that is just enough for the front, and can be moved by hand. */
export interface FakeMachine {
  readonly machine: Machine;
  /** Faults that strike at their next opportunities, each once. */
  readonly faults: FaultRule[];
  /** What was logged, without times. */
  readonly lines: string[];
  readonly clock: ReturnType<typeof createFakeClock>;
  isReachable: boolean;
  isUpdating: boolean;
  publish(messageId: string): void;
  subscribe(destination: string): Subscription;
}

/** Makes a fake machine with the service features and routes a test is about. */
export function createFakeMachine(
  order: { service?: Partial<ServiceFeatures>; routes?: readonly Route[]; maxImageSizeBytes?: number } = {},
): FakeMachine {
  const faults: FaultRule[] = [];
  const lines: string[] = [];
  const clock = createFakeClock();
  const state = { isReachable: true, isUpdating: false };
  const events = fakeEvents();
  const machine = {
    name: 'r01-s01',
    personality: fakePersonality(order),
    clock: {
      ...clock,
      elapsedMs: () => clock.monotonic(),
      hold: (_party: string, delayMs: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          signal?.addEventListener('abort', () => resolve(), { once: true });
          clock.after(delayMs, resolve);
        }),
      standStill: <T>(work: Promise<T>) => work,
      close: () => undefined,
    },
    random: () => 0,
    log: { events: [], add: (event: string, detail = '') => void lines.push(`${event} ${detail}`), text: () => '' },
    faults: { strike: (kind: FaultKind) => takeFault(faults, kind) },
    accounts: fakeAccounts(),
    sessions: fakeSessions(),
    events: events.feed,
    manager: {
      get isReachable() {
        return state.isReachable;
      },
      get isUpdating() {
        return state.isUpdating;
      },
      now: () => clock.now(),
      certificateGeneration: 1,
    },
  } as unknown as Machine;
  return Object.assign(state, { machine, faults, lines, clock, publish: events.publish, subscribe: events.subscribe });
}

function takeFault(faults: FaultRule[], kind: FaultKind): FaultRule | undefined {
  const at = faults.findIndex((rule) => rule.kind === kind);
  return at < 0 ? undefined : faults.splice(at, 1)[0];
}

function fakePersonality(order: Parameters<typeof createFakeMachine>[0]): Personality {
  const service: Partial<ServiceFeatures> = { isBasicAuthAllowed: true, hasExpand: true, ...order?.service };
  return {
    service,
    update: order?.maxImageSizeBytes === undefined ? {} : { maxImageSizeBytes: order.maxImageSizeBytes },
    routes: order?.routes ?? [],
    answerRefusal: (_: Machine, refusal: { fault: string }) => refuse(413, { messageId: refusal.fault }),
  } as unknown as Personality;
}

function fakeAccounts(): Machine['accounts'] {
  let bad = 0;
  return {
    username: fakeLogin.username,
    check(username, password) {
      if (bad >= 3) return 'locked';
      const isGood = username === fakeLogin.username && password === fakeLogin.password;
      bad = isGood ? 0 : bad + 1;
      return isGood ? 'ok' : 'refused';
    },
    password: fakeLogin.password,
    change: () => false,
    get isLocked() {
      return bad >= 3;
    },
  };
}

function fakeSessions(): Machine['sessions'] {
  const all: Session[] = [];
  return {
    all,
    open(username) {
      const session = { id: String(all.length + 1), token: `token-${all.length + 1}`, username, lastUsedAt: 0 };
      all.push(session);
      return session;
    },
    find: (token) => all.find((session) => session.token === token),
    close(id) {
      const at = all.findIndex((session) => session.id === id);
      if (at >= 0) all.splice(at, 1);
      return at >= 0;
    },
  };
}

function fakeEvents(): {
  feed: Machine['events'];
  publish: FakeMachine['publish'];
  subscribe: FakeMachine['subscribe'];
} {
  const listeners = new Set<(event: MachineEvent) => void>();
  const subscriptions: Subscription[] = [];
  let count = 0;
  const publish = (messageId: string): void => {
    count += 1;
    const event = { at: 0, id: String(count), messageId, message: '', severity: 'OK', origin: '/redfish/v1' } as const;
    for (const listener of listeners) listener(event);
  };
  const subscribe = (destination: string): Subscription => {
    const subscription = { id: String(subscriptions.length + 1), destination, context: 'rack 1' };
    subscriptions.push(subscription);
    return subscription;
  };
  return {
    publish,
    subscribe,
    feed: {
      subscriptions,
      subscribe: (order) => subscribe(order.destination),
      unsubscribe: () => false,
      publish: (event) => publish(event.messageId),
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}
