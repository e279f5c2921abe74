import { randomInt, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { type InProcessHook, issueClientCertificate } from '../kube/index.ts';
import { type Admission, openAdmission } from './admission/admission.ts';
import { chainAdmission } from './admission/admission-chain.ts';
import { InProcessAdmissionChain } from './admission/in-process-admission.ts';
import { WebhookAdmission } from './admission/webhook-admission.ts';
import { WebhookIndex } from './admission/webhook-index.ts';
import { openAuditLog } from './audit.ts';
import { Access } from './auth/access.ts';
import { impersonate } from './auth/impersonation.ts';
import { escalationAdmission } from './auth/rbac/escalation-admission.ts';
import { bootstrap } from './bootstrap.ts';
import { bootstrapRbac } from './bootstrap-rbac.ts';
import { builtinResources } from './builtins/index.ts';
import { serveBuiltin } from './builtins/serve-builtin.ts';
import { builtinSubresources } from './builtins/subresources/index.ts';
import { startControllers } from './controllers/index.ts';
import type { ServerCore } from './core.ts';
import { type ConverterFactory, renameOnly } from './crd/conversion.ts';
import { converterFactory } from './crd/conversion-in-process.ts';
import { CrdLifecycle } from './crd/crd-lifecycle.ts';
import { kubeconfigOf, loadIdentity } from './data-dir.ts';
import { createRequestListener } from './http/api-server.ts';
import { answerBrokenRequests } from './http/broken-request.ts';
import { createNonResourceRoutes } from './http/non-resource.ts';
import { RequestMetrics } from './metrics.ts';
import { createOpenApiDocuments } from './openapi/documents.ts';
import { ResourceRegistry } from './registry.ts';
import { loadOrCreateKeys } from './store/keys.ts';
import { type OpenStore, openStore } from './store/open-store.ts';
import { type ServiceResolver, WebhookClient } from './webhook/webhook-client.ts';

/** How to run the embedded API server. */
export interface ApiServerOptions {
  readonly dataDir: string;
  /** 0: any free port. */
  readonly port: number;
  /** The address to listen on; loopback unless told. */
  readonly host?: string;
  /** Converts kinds whose definitions name no webhook; only the version is renamed unless told. */
  readonly converterFor?: ConverterFactory;
  /** How long events are kept; an hour unless told. */
  readonly eventTtlMs?: number;
  /** False when something else keeps the numbers of pod disruption budgets. */
  readonly runsDisruption?: boolean;
  /** Rules of this program that judge writes, asked as admission webhooks are. */
  readonly admission?: readonly InProcessHook[];
  /** Where a webhook's Service is; without it, webhooks have to be given by URL. */
  readonly resolveService?: ServiceResolver;
  /** What must be so before /readyz says ok; a text says what is missing. */
  readonly readiness?: Readonly<Record<string, () => string | undefined>>;
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

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
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
const sealedBuckets = new Set(['/secrets', 'metal.ironcore.dev/bmcsecrets']);

/** Starts the embedded Kubernetes API server on a data directory and resolves when it answers. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const host = options.host ?? '127.0.0.1';
  const now = (): Date => new Date();
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const onFault =
    options.onFault ?? ((error: unknown) => process.stderr.write(`rackwright apiserver: ${String(error)}\n`));
  const keys = loadOrCreateKeys(join(options.dataDir, 'secrets.key'));
  const store = await openStore({
    directory: options.dataDir,
    encrypt: (b) => sealedBuckets.has(b),
    keys,
    onError: onFault,
  });
  const identity = await loadIdentity(options.dataDir, { host, now: now() });
  const access = new Access({
    dataDir: options.dataDir,
    store,
    adminToken: identity.adminToken,
    caPem: identity.authority.certificatePem,
    now,
    onFault,
  });
  const client = new WebhookClient(options.resolveService);
  const registry = new ResourceRegistry();
  const webhooks = new WebhookIndex();
  const following = webhooks.follow(store);
  const admission = chainAdmission([
    new InProcessAdmissionChain(options.admission ?? []),
    new WebhookAdmission({ store, registry, authorizer: access.authorizer, webhooks, client }),
    escalationAdmission(access.authorizer),
  ]);
  const core = createCore(store, now, { registry, admission });
  for (const builtin of builtinResources()) core.registry.add(serveBuiltin(builtin));
  const builtinGroups = new Set([...core.registry.groups(), ...access.virtual.map((v) => v.group)]);
  const crds = new CrdLifecycle({
    core,
    converterFor: converterFactory(options.converterFor ?? (() => renameOnly), client),
    onFault,
  }).start();
  // A webhook that nobody answers must not keep the server from starting.
  const own = { ...core, admission: openAdmission };
  await bootstrap(own);
  await bootstrapRbac(own);
  access.startControllers(core);
  const { eventTtlMs, runsDisruption } = options;
  const controllers = startControllers({ core, eventTtlMs, runsDisruption, onFault });
  const metrics = new RequestMetrics();
  metrics.showStored(store, core.registry);
  const audit = await openAuditLog(join(options.dataDir, 'audit.log'), now);
  const discovery = { registry: core.registry, virtual: access.virtual };
  let address = '';
  const routes = createNonResourceRoutes({
    discovery,
    openapi: createOpenApiDocuments(discovery, { name: 'Kubernetes', version: version.gitVersion }),
    metrics: metrics.registry,
    version,
    address: () => address,
    isBuiltinGroup: (group) => builtinGroups.has(group),
    checks: { ping: () => undefined },
    readiness: options.readiness ?? {},
  });
  const listener = createRequestListener({
    core,
    authenticator: access.authenticator,
    authorizer: access.authorizer,
    impersonate: (request, user) => impersonate(request, user, access.authorizer),
    audit,
    metrics,
    routes: access.withRoutes(routes, () => `https://${address}`),
    virtual: access.virtual,
    subresources: [...access.subresources(core), ...builtinSubresources(core)],
    isBuiltinGroup: (group) => builtinGroups.has(group),
    onFault,
  });
  const server = createServer(
    {
      key: identity.server.privateKeyPem,
      cert: identity.server.certificatePem,
      ca: identity.authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 90_000,
      requestTimeout: 60_000,
      noDelay: true,
      requireHostHeader: false,
    },
    listener,
  );
  answerBrokenRequests(server);
  const closeParts = async (): Promise<void> => {
    await controllers.close();
    crds.close();
    access.close();
    following.close();
    await client.close();
    await audit.close();
    await store.close();
  };
  const port = await listen(server, options.port, host).catch(async (error: unknown) => {
    await closeParts();
    throw error;
  });
  address = `${reachable(host)}:${port}`;
  const url = `https://${address}`;
  const kubeconfig = kubeconfigOf(identity, url);
  writeFileSync(join(options.dataDir, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  return {
    url,
    caPem: identity.authority.certificatePem,
    adminToken: identity.adminToken,
    kubeconfig,
    async issueClientCertificate({ commonName, groups }) {
      const issued = await issueClientCertificate(identity.authority, {
        now: now(),
        commonName,
        organizations: groups ?? [],
      });
      return { certPem: issued.certificatePem, keyPem: issued.privateKeyPem };
    },
    compact: () => store.compact(store.revision()),
    backup: (target) => store.backup(target),
    async close() {
      await closeServer(server);
      await closeParts();
    },
  };
}

function createCore(
  store: OpenStore,
  now: () => Date,
  parts: { registry: ResourceRegistry; admission: Admission },
): ServerCore {
  return {
    store,
    ...parts,
    now,
    newUid: randomUUID,
    newSuffix: () => Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join(''),
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

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
