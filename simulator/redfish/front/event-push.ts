import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { sleep } from '../../../src/kube/index.ts';
import { refusalToReach } from '../../loopback/loopback-address.ts';
import type { Machine, MachineEvent, Subscription } from '../../machine/machine.ts';
import { eventBody } from './event-body.ts';

/** Events that wait for one BMC's subscribers; older ones are dropped, as a BMC with little memory does. */
const mostWaiting = 64;
const tries = 3;
/** Simulated time between two tries. */
const retryDelayMs = 5_000;
/** Real time for one try: the other side is a real server. */
const tryTimeoutMs = 5_000;

/** Sends the events of machines to their subscribers. */
export interface EventPush {
  /** Begins to send what happens to a machine. */
  watch(machine: Machine): void;
  /** Forgets what waits and stops. */
  close(): void;
}

interface Delivery {
  readonly subscription: Subscription;
  readonly event: MachineEvent;
}

/** Starts with no machine; nothing a subscriber does holds a machine up. */
export function createEventPush(): EventPush {
  const stops: (() => void)[] = [];
  const ending = new AbortController();
  const queues = new WeakMap<Machine, Delivery[]>();

  const drain = async (machine: Machine, queue: Delivery[]): Promise<void> => {
    for (let next = queue[0]; next !== undefined && !ending.signal.aborted; next = queue[0]) {
      await deliver(machine, next, ending.signal);
      // It may have been dropped from the front meanwhile.
      if (queue[0] === next) queue.shift();
    }
    queues.delete(machine);
  };
  const enqueue = (machine: Machine, delivery: Delivery): void => {
    const running = queues.get(machine);
    const queue = running ?? [];
    if (queue.length >= mostWaiting) queue.shift();
    queue.push(delivery);
    if (running !== undefined) return;
    queues.set(machine, queue);
    void drain(machine, queue);
  };

  return {
    watch(machine) {
      const stop = machine.events.listen((event) => {
        for (const subscription of machine.events.subscriptions) enqueue(machine, { subscription, event });
      });
      stops.push(stop);
    },
    close() {
      ending.abort();
      for (const stop of stops.splice(0)) stop();
    },
  };
}

/** Sends an event once; false where it is worth another try. */
async function attempt(target: URL, text: string, signal: AbortSignal): Promise<boolean> {
  if ((await refusalToReach(target)) !== undefined) return true;
  return post(target, text, signal);
}

async function deliver(machine: Machine, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const target = URL.parse(delivery.subscription.destination);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return;
  const text = JSON.stringify(eventBody([delivery.event], delivery.subscription.context));
  for (let number = 1; number <= tries && !signal.aborted; number++) {
    const isSubscribed = machine.events.subscriptions.some(({ id }) => id === delivery.subscription.id);
    // The event arrives at the simulated time it happened at.
    if (!isSubscribed || (await machine.clock.standStill(attempt(target, text, signal)))) return;
    await sleep(machine.clock, retryDelayMs, signal);
  }
}

function post(target: URL, text: string, signal: AbortSignal): Promise<boolean> {
  const send = target.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve) => {
    const request = send(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
      // BMCs do not check a subscriber's certificate unless told to.
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)]),
    });
    request.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve((response.statusCode ?? 500) < 300));
    });
    // Tried again, then given up: events are hints.
    request.on('error', () => resolve(false));
    request.end(text);
  });
}
