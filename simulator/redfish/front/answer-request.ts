import type { FaultRule } from '../../faults/fault.ts';
import type { Personality } from '../../personalities/personality.ts';
import { refuse, refuseMethod, refuseMissing } from '../resources/errors.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest } from '../route.ts';
import { authenticate, type Caller, unauthorized } from './authenticate.ts';
import { namesEtag, tagBody } from './etag.ts';
import { eventStreamPath, streamEvents } from './event-stream.ts';
import { type Exchange, headerOf } from './exchange.ts';
import type { Outcome } from './front.ts';
import { refuseByPrecondition } from './precondition.ts';
import { expand, pageOf, type ReadResource, readQuery } from './query.ts';
import { readJson } from './read-body.ts';
import { judgeUpload, readUpload, type UploadRules } from './read-upload.ts';
import type { RouteMatch, RouteMethod, RouteTable } from './route-table.ts';

/** How long a slow answer takes unless the rule says: simulated milliseconds. */
const slowMs = 30_000;
const busyRetrySeconds = 30;

/** Decides what one request gets: faults first, then who may, then what is there, then the handler. */
export async function answerRequest(exchange: Exchange, table: RouteTable): Promise<Outcome> {
  if (exchange.reset === 'before-reading') return 'cut';
  if ((await delay(exchange)) === 'left') return 'left';
  const disturbed = disturb(exchange);
  if (disturbed !== undefined) return disturbed;
  const match = table.match(exchange.path);
  const caller = match?.isOpen(exchange.method) === true ? {} : authenticate(exchange);
  if ('status' in caller) return caller;
  if (isEventStream(exchange)) {
    await streamEvents(exchange);
    return 'streamed';
  }
  if (match === undefined) return refuseMissing(exchange.path);
  const method = methodOf(exchange.method);
  if (method === undefined || match.handler(method) === undefined) return refuseMethod(match.allowed);
  const call: Call = { exchange, table, match, caller, method };
  return method === 'get' ? answerGet(call) : answerChange(call);
}

interface Call {
  readonly exchange: Exchange;
  readonly table: RouteTable;
  readonly match: RouteMatch;
  readonly caller: Caller;
  readonly method: RouteMethod;
}

async function delay(exchange: Exchange): Promise<'left' | undefined> {
  const { machine, method, path } = exchange;
  const slow = machine.faults.strike('slow-answer', { method, path });
  if (slow === undefined) return undefined;
  await machine.clock.hold(machine.name, slow.durationMs ?? slowMs, exchange.signal);
  return exchange.signal.aborted ? 'left' : undefined;
}

function disturb(exchange: Exchange): RedfishAnswer | undefined {
  const { machine, method, path } = exchange;
  const at = { method, path };
  const struck = machine.faults.strike('busy', at);
  if (struck !== undefined) return busy(exchange, struck);
  const isBarred = machine.manager.isUpdating && machine.faults.strike('unauthorized-while-updating', at) !== undefined;
  return isBarred ? unauthorized(exchange) : undefined;
}

/** In the vendor's words, except that a read which is refused as if it were wrong (HPE's 400) would only confuse. */
function busy(exchange: Exchange, { durationMs }: FaultRule): RedfishAnswer {
  const { machine, method } = exchange;
  const seconds = String(durationMs === undefined ? busyRetrySeconds : Math.ceil(durationMs / 1000));
  const said = machine.personality.answerBusy?.(machine);
  const isSaid = said !== undefined && (said.status === 503 || !['GET', 'HEAD'].includes(method));
  const answer = isSaid ? said : refuse(503, { messageId: 'ServiceTemporarilyUnavailable', args: [seconds] });
  const asked = durationMs === undefined ? {} : { 'Retry-After': seconds };
  return { ...answer, headers: { 'Retry-After': seconds, ...answer.headers, ...asked } };
}

function isEventStream(exchange: Exchange): boolean {
  const { method, path, machine } = exchange;
  return method === 'GET' && path === eventStreamPath && machine.personality.service.hasEventStream;
}

function methodOf(method: string): RouteMethod | undefined {
  if (method === 'HEAD') return 'get';
  const lower = method.toLowerCase();
  return lower === 'get' || lower === 'patch' || lower === 'post' || lower === 'delete' ? lower : undefined;
}

async function answerGet(call: Call): Promise<RedfishAnswer> {
  const { exchange, match } = call;
  const { service } = exchange.machine.personality;
  const query = readQuery(exchange.query, service);
  if ('status' in query) return query;
  const answer = await handle(call, { body: {} });
  const headers = { Allow: match.allowed.join(', '), ...answer.headers };
  if (answer.status !== 200 || answer.body === undefined) return { ...answer, headers };
  if (isIdentityRefused(exchange, answer.body)) return notAcceptable();
  const paged = pageOf(answer.body, query, exchange);
  if (query.expand !== undefined) {
    const body = await expand(paged, query.expand, readerOf(call));
    // The ETag stays that of the resource itself: what is inlined has its own.
    return { ...answer, headers: { ETag: tagBody(answer.body, service).etag, ...headers }, body };
  }
  const known = headerOf(exchange.request, 'if-none-match');
  if (known === undefined) return { ...answer, headers, body: paged };
  const { etag } = tagBody(paged, service);
  return namesEtag(known, etag)
    ? { status: 304, headers: { ...headers, ETag: etag } }
    : { ...answer, headers, body: paged };
}

/** HPE stores registries compressed and will not unpack them. */
function isIdentityRefused(exchange: Exchange, body: JsonObject): boolean {
  const { service } = exchange.machine.personality;
  const accepted = headerOf(exchange.request, 'accept-encoding')?.trim().toLowerCase();
  return (
    service.doesRefuseIdentityEncoding &&
    accepted === 'identity' &&
    /^#(Attribute|Message)Registry\./.test(String(body['@odata.type'] ?? ''))
  );
}

function notAcceptable(): RedfishAnswer {
  return refuse(406, {
    messageId: 'Base.1.8.HeaderInvalid',
    message: "The value 'identity' for the header Accept-Encoding is not accepted for this resource.",
    args: ['Accept-Encoding'],
  });
}

async function answerChange(call: Call): Promise<Outcome> {
  const { exchange } = call;
  const refusal = await refuseByPrecondition(exchange, () => readerOf(call)(exchange.path));
  if (refusal !== undefined) return refusal;
  const input = await readInput(call);
  if (input === 'gone') return 'gone';
  if ('refusal' in input) return input.refusal;
  if (exchange.reset === 'after-reading') return 'cut';
  if (!exchange.machine.manager.isReachable) return 'cut';
  exchange.beginActing();
  return handle(call, input);
}

type Input = Pick<RedfishRequest, 'body' | 'upload'>;

async function readInput(call: Call): Promise<Input | { readonly refusal: RedfishAnswer } | 'gone'> {
  const { request, response, machine } = call.exchange;
  if (!call.match.takesUpload || call.method !== 'post') {
    allowBody(call.exchange);
    return readJson(request);
  }
  const rules = uploadRules(machine.personality);
  const judged = judgeUpload(request, rules);
  // A client that waits for leave to send must not be kept waiting for a body that nobody will read.
  if (judged !== 'ok' && isWaitingForLeave(call.exchange)) response.setHeader('Connection', 'close');
  if (judged === 'ok') allowBody(call.exchange);
  const read = judged === 'ok' ? await readUpload(request, rules) : judged;
  if (read !== 'too-large') return read;
  const detail = `the image is larger than ${rules.mostBytes} bytes`;
  return { refusal: machine.personality.answerRefusal(machine, { fault: 'too-large', detail }) };
}

function uploadRules(personality: Personality): UploadRules {
  return { mostBytes: personality.update.maxImageSizeBytes, isLengthNeeded: personality.service.doesRefuseChunked };
}

function isWaitingForLeave(exchange: Exchange): boolean {
  return /^100-continue$/i.test(headerOf(exchange.request, 'expect') ?? '');
}

function allowBody(exchange: Exchange): void {
  if (isWaitingForLeave(exchange)) exchange.response.writeContinue();
}

function handle(
  call: Call,
  input: Input,
  target: Pick<RedfishRequest, 'path' | 'query'> = call.exchange,
): RedfishAnswer | Promise<RedfishAnswer> {
  const { exchange, match, caller, method } = call;
  const entry = match.handler(method);
  if (entry === undefined) return refuseMethod(match.allowed);
  return entry.handle({
    machine: exchange.machine,
    method: method.toUpperCase(),
    path: target.path,
    params: entry.params,
    query: target.query,
    headers: exchange.request.headers,
    ...input,
    ...caller,
  });
}

/** Reads other resources of the same BMC as if they had been asked for plainly. */
function readerOf(call: Call): ReadResource {
  return async (path) => {
    const match = call.table.match(path);
    if (match?.handler('get') === undefined) return undefined;
    const answer = await handle(
      { ...call, match, method: 'get' },
      { body: {} },
      { path, query: new URLSearchParams() },
    );
    return answer.status === 200 ? answer.body : undefined;
  };
}
