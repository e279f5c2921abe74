import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { noTracer } from '../../telemetry/index.ts';
import { openAdmission } from '../admission/admission.ts';
import type { AuditEntry } from '../audit/audit-line.ts';
import type { AccessQuery, Authorizer } from '../auth/auth.ts';
import { impersonate } from '../auth/impersonation.ts';
import { bootstrap } from '../bootstrap.ts';
import { builtinResources } from '../builtins/index.ts';
import { serveBuiltin } from '../builtins/serve-builtin.ts';
import type { ServerCore } from '../core.ts';
import { renameOnly } from '../crd/conversion.ts';
import { serveCrd } from '../crd/serve-crd.ts';
import { EventBytes } from '../handlers/event-bytes.ts';
import { HeavyWork } from '../heavy/heavy-work.ts';
import { RequestMetrics } from '../metrics.ts';
import type { KubeObject } from '../object.ts';
import { type GivenLimits, withUsualLimits } from '../overload/limits.ts';
import { RequestGate } from '../overload/request-gate.ts';
import { WatchGuard } from '../overload/watch-guard.ts';
import { ResourceRegistry } from '../registry.ts';
import type { UserInfo } from '../resource.ts';
import type { Status } from '../status.ts';
import type { OpenStore, StoreOptions } from '../store/open-store.ts';
import { temporaryStore } from '../store/temporary-store.ts';
import { createRequestListener } from './api-server.ts';
import { Flights } from './flights.ts';
import { widgetDefinition } from './temporary-widgets.ts';

export { widgetOf, widgetsAt } from './temporary-widgets.ts';

/** For tests: an answer. */
export interface TestReply {
  readonly code: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as an object; a Status is one, too. */
  readonly object: KubeObject & Partial<Status> & { readonly items: KubeObject[] };
}

/** For tests: an event of a watch. */
export interface TestEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** For tests: an open watch. */
export interface TestWatch {
  /** The next so many events; fewer when the stream ends before. */
  take(count: number): Promise<TestEvent[]>;
  close(): Promise<void>;
}

/** For tests: the generic handlers behind plain HTTP, without controllers: nothing is written but what is asked for. */
export interface TemporaryServer {
  readonly url: string;
  readonly core: ServerCore;
  readonly store: OpenStore;
  /** What the server called unexpected. */
  readonly faults: unknown[];
  readonly audited: AuditEntry[];
  readonly metrics: RequestMetrics;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestReply>;
  /** A merge patch. */
  patch(path: string, body: unknown): Promise<TestReply>;
  watch(path: string): Promise<TestWatch>;
}

/** For tests: what differs from the usual. */
export interface TemporaryServerOptions {
  readonly store?: Partial<StoreOptions>;
  readonly core?: Partial<ServerCore>;
  readonly limits?: GivenLimits;
  /** Who makes a request; an administrator unless told. */
  readonly userOf?: (request: IncomingMessage) => UserInfo;
  /** What may be done; everything unless told. */
  readonly mayDo?: (query: AccessQuery) => boolean;
}

/** For tests: starts a server in a new directory; both go when the test ends. */
export async function temporaryServer(t: TestContext, options: TemporaryServerOptions = {}): Promise<TemporaryServer> {
  const store = await temporaryStore(t, options.store);
  // Threads of a test may get little of a machine under load.
  const heavy = { taskMs: 600_000, longestWaitMs: 600_000, ...options.limits?.heavy };
  const limits = withUsualLimits({ ...options.limits, heavy });
  const metrics = new RequestMetrics();
  const gate = new RequestGate(limits, metrics, () => performance.now());
  metrics.showGate(gate);
  const work = new HeavyWork(limits.heavy, () => performance.now());
  const core: ServerCore = {
    store,
    registry: new ResourceRegistry(),
    admission: openAdmission,
    events: new EventBytes(),
    watches: new WatchGuard(limits.watch, metrics),
    now: () => new Date(),
    newUid: randomUUID,
    newSuffix: () => randomUUID().slice(0, 5),
    ...options.core,
  };
  for (const resource of served) core.registry.add(resource);
  await bootstrap(core);
  const faults: unknown[] = [];
  const audited: AuditEntry[] = [];
  const admin = { username: 'admin', groups: ['system:masters'] };
  const authorizer: Authorizer = { authorize: (query) => ({ isAllowed: options.mayDo?.(query) ?? true, reason: '' }) };
  const server = createServer(
    // A connection that is dropped for being idle while the machine stood still fails whatever is sent on it next.
    { keepAliveTimeout: 600_000 },
    createRequestListener({
      core,
      authenticator: { authenticate: (request) => options.userOf?.(request) ?? admin },
      authorizer,
      impersonate: (request, caller) => impersonate(request, caller, authorizer),
      audit: {
        record: (entry) => audited.push(entry),
        fault: () => undefined,
        lost: () => 0,
        close: async () => undefined,
      },
      tracer: noTracer,
      metrics,
      gate,
      heavy: work,
      flights: new Flights(),
      routes: { serve: async () => 404 },
      virtual: [],
      subresources: [],
      isBuiltinGroup: (group) => group !== 'example.com',
      onFault: (error) => faults.push(error),
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    return work.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, core, store, faults, audited, metrics, ...clientOf(url) };
}

function clientOf(url: string): Pick<TemporaryServer, 'request' | 'patch' | 'watch'> {
  const request: TemporaryServer['request'] = async (method, path, body, headers = {}) => {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, {
      method,
      body: text,
      headers: { ...(text === null ? {} : { 'content-type': 'application/json' }), ...headers },
    });
    const answered = await answer.text();
    return { code: answer.status, headers: answer.headers, text: answered, object: JSON.parse(answered || '{}') };
  };
  return {
    request,
    patch: (path, body) => request('PATCH', path, body, { 'content-type': 'application/merge-patch+json' }),
    watch: async (path) => watchOf(await fetch(url + path)),
  };
}

function watchOf(answer: Response): TestWatch {
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  const lines: string[] = [];
  let rest = '';
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) return false;
    const parts = `${rest}${decoder.decode(value, { stream: true })}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    return true;
  };
  return {
    async take(count) {
      while (lines.length < count && (await readMore()));
      return lines.splice(0, count).map((line) => JSON.parse(line) as TestEvent);
    },
    close: () => reader.cancel().catch(() => undefined),
  };
}

// Compiled once for all tests of a file; that takes longer than most of them.
const served = [
  ...builtinResources().map(serveBuiltin),
  ...serveCrd(widgetDefinition({ isFree: true }), renameOnly, { after: 0, until: Number.POSITIVE_INFINITY }),
];
