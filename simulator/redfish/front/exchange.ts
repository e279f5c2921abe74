import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResetMoment } from '../../faults/fault.ts';
import type { Machine } from '../../machine/machine.ts';

/** One request and its answer in the making. */
export interface Exchange {
  readonly machine: Machine;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Without query and trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Where a fault resets the connection, if one does. */
  readonly reset: ResetMoment | undefined;
  /** Cuts the connection as a crash would. */
  cut(): void;
  /** Says that what was asked for is done from now on, and will be answered whatever it does to the BMC. */
  beginActing(): void;
  isActing(): boolean;
}

/** A request header that a client may send only once; the first of several. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The type of a body without its parameters, in small letters. */
export function contentTypeOf(request: IncomingMessage): string {
  return (headerOf(request, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
