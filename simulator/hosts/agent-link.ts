import { type Dispatcher, fetch } from 'undici';
import type { JsonObject } from '../redfish/route.ts';
import type { AgentCommands } from './agent-commands.ts';

/** Whom the agent of a network-booted host reports to. */
export type AgentTarget =
  /** A real Ironic, at the address of its API. */
  | { readonly kind: 'ironic'; readonly url: string }
  /** Rackwright's own endpoint for agents; the token is in the boot configuration. */
  | { readonly kind: 'rackwright'; readonly url: string; readonly token: string; readonly caPem?: string };

/** What an agent says and hears while it runs. */
export interface AgentLink {
  /** Introduces the host, then takes commands until the signal aborts (power off, reset). */
  run(agent: RunningAgent): Promise<void>;
}

/** What an agent finds again after a restart of its host. */
export interface AgentMemory {
  /** Who it was the last time, and the token that proves it. */
  known: { readonly id: string; readonly token: string } | undefined;
}

/** An agent that runs on a host. */
export interface RunningAgent {
  readonly name: string;
  readonly inventory: JsonObject;
  readonly macs: readonly string[];
  readonly commands: AgentCommands;
  /** Where Ironic reaches the agent. */
  readonly callbackUrl: string;
  /** What the certificate there is checked with. */
  readonly callbackCaPem: string;
  /** What outlives a restart of the host, as a variable of its firmware does. */
  readonly memory: AgentMemory;
  /** Commands must come with it once it is set. */
  setToken(token: string): void;
  readonly signal: AbortSignal;
  note(event: string, detail: string): void;
}

/** An answer in JSON, whatever its status. */
export interface LinkAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** When to come again, where that was said. */
  readonly retryAfterMs: number | undefined;
}

/** One request of an agent; `undefined` when nobody answers. */
export async function ask(
  url: string,
  request: {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: JsonObject;
    readonly signal: AbortSignal;
    /** How the certificate there is checked; as the system does unless given. */
    readonly dispatcher?: Dispatcher | undefined;
  },
): Promise<LinkAnswer | undefined> {
  try {
    const answer = await fetch(url, {
      method: request.method,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...request.headers },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      signal: request.signal,
      ...(request.dispatcher === undefined ? {} : { dispatcher: request.dispatcher }),
    });
    const text = await answer.text();
    const seconds = Number(answer.headers.get('retry-after') ?? '');
    return { status: answer.status, body: asJson(text), retryAfterMs: seconds > 0 ? seconds * 1000 : undefined };
  } catch {
    // A provisioner that is away is asked again later: a ramdisk has nobody to complain to.
    return undefined;
  }
}

function asJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
