import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ResetMoment, resetMoments } from '../../faults/fault.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Personality } from '../../personalities/personality.ts';
import { refuse } from '../resources/errors.ts';
import type { RedfishAnswer, Route } from '../route.ts';
import { answerRequest } from './answer-request.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { compileRoutes, type RouteTable } from './route-table.ts';
import { sendAnswer } from './send.ts';

/** What the front of all BMCs is made of. */
export interface FrontOptions {
  /** What every BMC serves; a personality's own routes win over them. */
  readonly routes: readonly Route[];
  /** Also log every GET. */
  readonly doesLogReads: boolean;
  /** Also log with every request what its client calls itself. */
  readonly doesLogCallers?: boolean;
  /** Cuts a connection as a crash would. */
  reset(connection: Duplex): void;
  /** Told of what should never happen: a handler that threw. */
  onBug(error: unknown): void;
}

/** Answers the HTTP requests of all BMCs. */
export interface Front {
  /** Answers one request of one BMC; never rejects. */
  answer(machine: Machine, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** True while a change asked for on a connection is being made and answered. */
  isActing(connection: Duplex): boolean;
}

/** Makes the front; routes are compiled once a personality. */
export function createFront(options: FrontOptions): Front {
  const tables = new Map<Personality, RouteTable>();
  const tableOf = (personality: Personality): RouteTable => {
    const table = tables.get(personality) ?? compileRoutes(personality.routes, options.routes);
    tables.set(personality, table);
    return table;
  };
  const acting = new WeakSet<Duplex>();
  return {
    isActing: (connection) => acting.has(connection),
    async answer(machine, request, response) {
      const exchange = openExchange(machine, { request, response, reset: options.reset, acting });
      if (!machine.manager.isReachable) return exchange.cut();
      try {
        const outcome = await answerRequest(exchange, tableOf(machine.personality));
        await conclude(exchange, outcome, options);
      } catch (error) {
        options.onBug(error);
        const apology = refuse(500, { messageId: 'InternalError' });
        // When not even that can be said, there is nothing left but to hang up.
        await conclude(exchange, apology, options).catch(() => exchange.cut());
      } finally {
        acting.delete(request.socket);
      }
    },
  };
}

/**
 * An answer to send, or what happened instead: `cut` by a fault, `gone` by the client in the middle of its body,
 * `streamed` already. `left`: the client gave up before anything was done; when that is noticed is a matter of real
 * time, so that it has no place in a history of simulated time.
 */
export type Outcome = RedfishAnswer | 'cut' | 'gone' | 'left' | 'streamed';

async function conclude(exchange: Exchange, outcome: Outcome, options: FrontOptions): Promise<void> {
  // A BMC that was told to restart still says that it will.
  const isAway = !exchange.machine.manager.isReachable && !exchange.isActing();
  const isAnswered = typeof outcome === 'object' && !isAway && exchange.reset !== 'after-acting';
  const isLogged = options.doesLogReads || !['GET', 'HEAD'].includes(exchange.method);
  if (isLogged && outcome !== 'streamed' && outcome !== 'left') {
    const end = typeof outcome === 'object' ? String(outcome.status) : outcome;
    const suffix = typeof outcome === 'object' && (!isAnswered || exchange.reset === 'mid-answer') ? ' cut' : '';
    const caller = options.doesLogCallers === true ? ` by=${headerOf(exchange.request, 'user-agent') ?? ''}` : '';
    exchange.machine.log.add('request', `${exchange.method} ${exchange.path} ${end}${suffix}${caller}`);
  }
  if (isAnswered && !exchange.response.headersSent) {
    if (!exchange.machine.manager.isReachable) exchange.response.setHeader('Connection', 'close');
    await sendAnswer(exchange, outcome);
  } else if (outcome !== 'streamed') exchange.cut();
}

interface Wire {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reset: (connection: Duplex) => void;
  readonly acting: WeakSet<Duplex>;
}

function openExchange(machine: Machine, wire: Wire): Exchange {
  const { request, response } = wire;
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const path = decodePath((mark < 0 ? target : target.slice(0, mark)).replace(/\/+$/, '') || '/');
  const method = request.method ?? 'GET';
  let leaving: AbortController | undefined;
  return {
    machine,
    request,
    response,
    method,
    path,
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    // Made only for the few who wait: to abort one for each request costs as much as to answer it.
    get signal() {
      if (leaving !== undefined) return leaving.signal;
      const made = new AbortController();
      leaving = made;
      if (response.destroyed) made.abort();
      else response.once('close', () => made.abort());
      return made.signal;
    },
    reset: machine.manager.isReachable ? drawReset(machine, { method, path }) : undefined,
    cut: () => wire.reset(request.socket),
    isActing: () => wire.acting.has(request.socket),
    beginActing: () => void wire.acting.add(request.socket),
  };
}

/** Clients may encode what they find in a link, such as colons; what cannot be decoded leads nowhere. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function drawReset(machine: Machine, at: { method: string; path: string }): ResetMoment | undefined {
  const rule = machine.faults.strike('connection-reset', at);
  if (rule === undefined) return undefined;
  return rule.moment ?? resetMoments[Math.floor(machine.random() * resetMoments.length)];
}
