import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { issueClientCertificate, limitConnections } from '../kube/index.ts';
import { noTracer, type Tracer } from '../telemetry/index.ts';
import { openAuditFile } from './audit/audit-file.ts';
import { type AuditLog, type AuditSink, createAuditLog } from './audit/audit-log.ts';
import { auditRoute } from './audit/audit-route.ts';
import { RecentAudit, readAuditTail } from './audit/recent-audit.ts';
import { impersonate } from './auth/impersonation.ts';
import { builtinSubresources } from './builtins/subresources/index.ts';
import { kubeconfigOf, type ServerIdentity } from './data-dir.ts';
import { HeavyWork } from './heavy/heavy-work.ts';
import { createRequestListener } from './http/api-server.ts';
import { answerBrokenRequests } from './http/broken-request.ts';
import { type ExtraRoute, withExtraRoutes } from './http/extra-routes.ts';
import { Flights } from './http/flights.ts';
import { createNonResourceRoutes } from './http/non-resource.ts';
import { RequestMetrics } from './metrics.ts';
import { createOpenApiDocuments } from './openapi/documents.ts';
import { type GivenLimits, type OverloadLimits, withUsualLimits } from './overload/limits.ts';
import { RequestGate } from './overload/request-gate.ts';
import { WatchGuard } from './overload/watch-guard.ts';
import { openPlane, type Plane, type PlaneOptions } from './plane.ts';
import { writeWhole } from './store/durable-file.ts';
import { StoreError } from './store/errors.ts';

/** How to run the embedded API server. */
export interface ApiServerOptions extends PlaneOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The address to listen on; loopback unless told. */
  readonly host?: string;
  /** What must be so before /readyz says ok; a text says what is missing. */
  readonly readiness?: Readonly<Record<string, () => string | undefined>>;
  /** What clients may take of the server, where it is not to be the usual. */
  readonly limits?: GivenLimits;
  /** Where lines of the audit log go besides the data directory; closed with the server. */
  readonly auditSinks?: readonly AuditSink[];
  /** Writes are traced with it, and whatever comes as part of a trace. */
  readonly tracer?: Tracer;
  /** Paths beside those of Kubernetes. */
  readonly routes?: readonly ExtraRoute[];
  /** Answers paths that are none of the API, before anything else looks at them; false when it is not for it. */
  front?(request: IncomingMessage, response: ServerResponse): boolean;
  /** Told about what should never happen. */
  onFault?(error: unknown): void;
}

/** A running embedded API server. */
export interface ApiServer {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
  issueClientCertificate(subject: {
    commonName: string;
    groups?: readonly string[];
  }): Promise<{ certPem: string; keyPem: string }>;
  /** Forgets history up to now. */
  compact(): Promise<void>;
  /** Writes a consistent copy of the database while the server runs. */
  backup(target: string): Promise<void>;
  close(): Promise<void>;
}

const version = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.4',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** Starts the embedded Kubernetes API server on a data directory and resolves when it answers. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const host = options.host ?? '127.0.0.1';
  const now = (): Date => new Date();
  const tell = options.onFault?.bind(options) ?? tellFault;
  let isClosing = false;
  const onFault = (error: unknown): void => {
    // Controllers still at work when the store closes stop with this; it is what they are meant to do. The store itself
    // tells of a full disk, once.
    const isKnown =
      error instanceof StoreError && ((isClosing && error.code === 'closed') || error.code === 'disk-full');
    if (!isKnown) tell(error);
  };
  const limits = withUsualLimits(options.limits);
  const metrics = new RequestMetrics();
  const watches = new WatchGuard(limits.watch, metrics);
  const plane = await openPlane(options, { host, watches, now, onFault });
  const auditPath = join(options.dataDir, 'audit.log');
  const recent = new RecentAudit(await readAuditTail(auditPath));
  const file = await openAuditFile(auditPath, { onFault });
  const audit = createAuditLog([file, recent, ...(options.auditSinks ?? [])], now);
  const address = { value: '' };
  const flights = new Flights();
  const heavy = new HeavyWork(limits.heavy, () => performance.now());
  const api = requestListener(plane, audit, { options, recent, limits, metrics, heavy, flights, address, onFault });
  const listener: typeof api = (request, response) => {
    if (options.front?.(request, response) !== true) api(request, response);
  };
  const server = createHttpsServer(plane.identity, limits, listener);
  limitConnections(server, limits.connection, (why) => metrics.onRejected(why));
  const closeParts = async (): Promise<void> => {
    await heavy.close();
    await audit.close();
    await plane.close();
  };
  const port = await listen(server, options.port, host).catch(async (error: unknown) => {
    await closeParts();
    throw error;
  });
  address.value = `${reachable(host)}:${port}`;
  return describeServer(plane, `https://${address.value}`, {
    options,
    now,
    async close() {
      isClosing = true;
      await closeServer(server, flights);
      await closeParts();
    },
  });
}

function tellFault(error: unknown): void {
  process.stderr.write(`rackwright apiserver: ${String(error)}\n`);
}

interface Front {
  readonly options: ApiServerOptions;
  readonly recent: RecentAudit;
  readonly limits: OverloadLimits;
  readonly metrics: RequestMetrics;
  readonly heavy: HeavyWork;
  readonly flights: Flights;
  /** `host:port`, known once the server listens. */
  readonly address: { readonly value: string };
  onFault(error: unknown): void;
}

function requestListener(plane: Plane, audit: AuditLog, front: Front) {
  const { core, access, isBuiltinGroup } = plane;
  const { authenticator, authorizer, virtual } = access;
  const { metrics, limits } = front;
  const gate = new RequestGate(limits, metrics, () => performance.now());
  metrics.showGate(gate);
  metrics.showStored(core.store, core.registry);
  metrics.showAudit(audit);
  const discovery = { registry: core.registry, virtual };
  const routes = createNonResourceRoutes({
    discovery,
    openapi: createOpenApiDocuments(discovery, { name: 'Kubernetes', version: version.gitVersion }),
    metrics: metrics.registry,
    version,
    address: () => front.address.value,
    isBuiltinGroup,
    checks: { ping: () => undefined, store: () => plane.store.fault() },
    readiness: {
      disk: () => plane.store.diskFault(),
      audit: () => audit.fault(),
      followers: () => plane.store.followerFault(),
      ...front.options.readiness,
    },
  });
  return createRequestListener({
    core,
    authenticator,
    authorizer,
    impersonate: (request, user) => impersonate(request, user, authorizer),
    audit,
    tracer: front.options.tracer ?? noTracer,
    metrics,
    gate,
    heavy: front.heavy,
    flights: front.flights,
    routes: withExtraRoutes(
      access.withRoutes(routes, () => `https://${front.address.value}`),
      [auditRoute(front.recent), ...(front.options.routes ?? [])],
    ),
    virtual,
    subresources: [...access.subresources(core), ...builtinSubresources(core)],
    isBuiltinGroup,
    onFault: front.onFault,
  });
}

function createHttpsServer(
  identity: ServerIdentity,
  { connection }: OverloadLimits,
  listener: ReturnType<typeof createRequestListener>,
): Server {
  const server = createServer(
    {
      key: identity.server.privateKeyPem,
      cert: identity.server.certificatePem,
      ca: identity.authority.certificatePem,
      // Certificates are welcome, not demanded: most clients come with a token.
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 90_000,
      // These end when a request has arrived: a watch, which has nothing more to say, goes on.
      handshakeTimeout: connection.handshakeMs,
      headersTimeout: connection.headersMs,
      requestTimeout: connection.requestMs,
      connectionsCheckingInterval: connection.checkMs,
      noDelay: true,
      requireHostHeader: false,
      maxHeaderSize: connection.headerBytes,
    },
    listener,
  );
  answerBrokenRequests(server);
  return server;
}

interface Running {
  readonly options: ApiServerOptions;
  now(): Date;
  close(): Promise<void>;
}

/** Writes the kubeconfig that reaches the server, and gives its owner what is needed to use it. */
function describeServer({ identity, store }: Plane, url: string, running: Running): ApiServer {
  const kubeconfig = kubeconfigOf(identity, url);
  writeWhole(join(running.options.dataDir, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  return {
    url,
    caPem: identity.authority.certificatePem,
    adminToken: identity.adminToken,
    kubeconfig,
    async issueClientCertificate({ commonName, groups }) {
      const subject = { now: running.now(), commonName, organizations: groups ?? [] };
      const issued = await issueClientCertificate(identity.authority, subject);
      return { certPem: issued.certificatePem, keyPem: issued.privateKeyPem };
    },
    compact: () => store.compact(store.revision()),
    backup: (target) => store.backup(target),
    close: running.close,
  };
}

/** The host in URLs. Whoever listens on every address is reached on this machine by loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** How long requests may still take when the server stops. */
const patienceMs = 5000;

/** Lets what was asked for before come to its end: it is done, answered and in the audit log, or none of it. */
async function closeServer(server: Server, flights: Flights): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await flights.landed(patienceMs);
  server.closeAllConnections();
  await closed;
  // What came on open connections meanwhile, or took too long, has lost its client, and ends by itself.
  await flights.allLanded(patienceMs);
}
