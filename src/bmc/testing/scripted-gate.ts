import { PassThrough, type Readable } from 'node:stream';
import { BmcError, type BmcErrorCode } from '../errors.ts';
import type { BmcEndpoint, GateLane, GateReply, GateRequest, GateState, LeaseCheck } from '../gate/gate.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { barePath } from '../redfish/path.ts';

/** What a scripted BMC answers: a body alone is a 200. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly etag?: string;
}

/** Answers one request, or fails it with a code of the error table. */
export type ScriptedHandler = (
  request: GateRequest,
) => ScriptedAnswer | BmcErrorCode | Promise<ScriptedAnswer | BmcErrorCode>;

/** A gate without a BMC behind it: it answers from a tree of resources and from handlers, and remembers what was asked. */
export interface ScriptedGate extends GateLane {
  /** Resources by path; a PATCH without a handler is merged into them. Tests may change it at any time. */
  readonly tree: Map<string, JsonObject>;
  /** Every request in order. */
  readonly sent: readonly GateRequest[];
  /** `GET /redfish/v1/Systems/1` and so on, in order. */
  readonly lines: readonly string[];
  /** Answers `METHOD path` from now on; a path with a query is looked for first with it, then without. */
  on(line: string, handler: ScriptedHandler): void;
  /** Answers the next request of this line only; several wait in turn. */
  once(line: string, handler: ScriptedHandler): void;
  /** Merges members into a resource, as a BMC changes its state. */
  change(path: string, members: JsonObject): void;
  /** How many outages are expected now. */
  readonly outages: number;
  /** The streams that were opened, so that a test can write to them and end them. */
  readonly streams: readonly ScriptedStream[];
  /** Called when a stream is asked for; may write to it, or throw instead. */
  onStream: (path: string, stream: PassThrough) => void;
  readonly hasLoggedOut: boolean;
}

/** A stream of events that was asked for. */
export interface ScriptedStream {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: PassThrough;
}

/** What a scripted gate begins with. */
export interface ScriptedGateOptions {
  readonly tree?: Readonly<Record<string, JsonObject>>;
  readonly origin?: string;
  readonly checkLease?: LeaseCheck;
  /** `$expand` works on collections, whatever the root says. */
  readonly canExpand?: boolean;
  /** Changes what would be answered: how answers are spoilt on their way. */
  readonly alter?: (answer: ScriptedAnswer, request: GateRequest) => ScriptedAnswer | BmcErrorCode;
}

const endpointOf = (origin: string): BmcEndpoint => ({
  origin,
  credentials: async () => ({ username: 'admin', password: 'secret' }),
  trust: { kind: 'insecure' },
});

/** Makes a scripted gate. */
export function createScriptedGate(options: ScriptedGateOptions = {}): ScriptedGate {
  const origin = options.origin ?? 'https://bmc.test';
  const tree = new Map(Object.entries(options.tree ?? {}).map(([path, body]) => [barePath(path), body]));
  const sent: GateRequest[] = [];
  const always = new Map<string, ScriptedHandler>();
  const next = new Map<string, ScriptedHandler[]>();
  const streams: ScriptedStream[] = [];
  let outages = 0;
  let hasLoggedOut = false;

  const handlerFor = (request: GateRequest): ScriptedHandler | undefined => {
    const lines = [`${request.method} ${request.path}`, `${request.method} ${barePath(request.path)}`];
    for (const line of lines) {
      const handler = next.get(line)?.shift() ?? always.get(line);
      if (handler !== undefined) return handler;
    }
    return undefined;
  };

  const fromTree = (request: GateRequest): ScriptedAnswer => {
    const path = barePath(request.path);
    const body = tree.get(path);
    if (body === undefined) return { status: 404 };
    if (request.method === 'PATCH') tree.set(path, merge(body, (request.body ?? {}) as JsonObject));
    if (request.method === 'DELETE') tree.delete(path);
    if (request.method !== 'GET') return { status: request.method === 'POST' ? 405 : 200 };
    const isExpanded = options.canExpand === true && request.path.includes('$expand=');
    return { body: structuredClone(isExpanded ? expand(body, tree) : body) };
  };

  const gate: ScriptedGate = {
    origin,
    endpoint: endpointOf(origin),
    tree,
    sent,
    streams,
    onStream: () => {},
    get lines() {
      return sent.map(({ method, path }) => `${method} ${path}`);
    },
    get outages() {
      return outages;
    },
    get hasLoggedOut() {
      return hasLoggedOut;
    },
    on: (line, handler) => void always.set(line, handler),
    once: (line, handler) => void next.set(line, [...(next.get(line) ?? []), handler]),
    change: (path, members) => void tree.set(barePath(path), merge(tree.get(barePath(path)) ?? {}, members)),
    async request(request) {
      if (request.signal?.aborted) throw new BmcError('cancelled', { origin });
      if (request.isDisruptive === true)
        await options.checkLease?.('disruptive', origin, { fenceMs: request.fenceMs ?? 30_000 });
      sent.push(request);
      const answer = await (handlerFor(request) ?? fromTree)(request);
      const isAltered = options.alter !== undefined && typeof answer === 'object';
      return toReply(isAltered ? (options.alter?.(answer, request) ?? answer) : answer, { request, origin });
    },
    async openEventStream(path, signal, headers = {}): Promise<Readable> {
      const stream = new PassThrough();
      streams.push({ path, headers, stream });
      gate.onStream(path, stream);
      signal.addEventListener('abort', () => stream.destroy(), { once: true });
      return stream;
    },
    expectOutage() {
      outages += 1;
      let isOver = false;
      return () => {
        if (!isOver) outages -= 1;
        isOver = true;
      };
    },
    sessionUri: undefined,
    async logOut() {
      hasLoggedOut = true;
    },
    get state(): GateState {
      return {
        origin,
        mode: 'open',
        reason: '',
        until: undefined,
        hasSession: false,
        spacingMs: 0,
        waiting: 0,
        requests: sent.length,
      };
    },
  };
  return gate;
}

/** Turns what the script said into what a real gate would return or throw. */
function toReply(answer: ScriptedAnswer | BmcErrorCode, about: { request: GateRequest; origin: string }): GateReply {
  const { request, origin } = about;
  const fields = { origin, method: request.method, path: request.path, username: 'admin', detail: 'as scripted' };
  if (typeof answer === 'string') throw new BmcError(answer, { ...fields, ms: request.deadlineMs ?? 30_000 });
  const status = answer.status ?? 200;
  const isFine = status < 400 || (request.accept?.includes(status) ?? false);
  if (!isFine) {
    const code: BmcErrorCode = status === 404 ? 'notFound' : status >= 500 ? 'busy' : 'refused';
    const detail = JSON.stringify(answer.body ?? {});
    throw new BmcError(code, { ...fields, status, detail }, { status, messageIds: messageIdsOf(answer.body) });
  }
  return { status, headers: answer.headers ?? {}, body: answer.body ?? {}, etag: answer.etag };
}

function messageIdsOf(body: JsonObject | undefined): string[] {
  return [...JSON.stringify(body ?? {}).matchAll(/"MessageId":"([^"]*)"/g)].map(([, id = '']) => id);
}

function isPlainObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(body: JsonObject, change: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...body };
  for (const [name, value] of Object.entries(change)) {
    const old = merged[name];
    merged[name] = isPlainObject(value) && isPlainObject(old) ? merge(old, value) : value;
  }
  return merged;
}

/** One level: every link in the body's own members becomes the resource. */
function expand(body: JsonObject, tree: ReadonlyMap<string, JsonObject>): JsonObject {
  const grown = (value: JsonValue | undefined): JsonValue | undefined => {
    if (Array.isArray(value)) return value.map((each) => grown(each) ?? null);
    const link = isPlainObject(value) ? value['@odata.id'] : undefined;
    return typeof link === 'string' && tree.has(barePath(link)) ? (tree.get(barePath(link)) ?? null) : value;
  };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, grown(value)]));
}
