import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Egress } from '../egress/index.ts';
import type { InProcessHook } from '../kube/index.ts';
import { openAdmission } from './admission/admission.ts';
import { chainAdmission } from './admission/admission-chain.ts';
import { InProcessAdmissionChain } from './admission/in-process-admission.ts';
import { WebhookAdmission } from './admission/webhook-admission.ts';
import { WebhookIndex } from './admission/webhook-index.ts';
import { Access } from './auth/access.ts';
import { escalationAdmission } from './auth/rbac/escalation-admission.ts';
import { bootstrap } from './bootstrap.ts';
import { bootstrapRbac } from './bootstrap-rbac.ts';
import { builtinResources } from './builtins/index.ts';
import { serveBuiltin } from './builtins/serve-builtin.ts';
import { startControllers } from './controllers/index.ts';
import type { ServerCore } from './core.ts';
import { type ConverterFactory, renameOnly } from './crd/conversion.ts';
import { converterFactory } from './crd/conversion-in-process.ts';
import { CrdLifecycle } from './crd/crd-lifecycle.ts';
import { loadIdentity, type ServerIdentity } from './data-dir.ts';
import { EventBytes } from './handlers/event-bytes.ts';
import type { WatchGuard } from './overload/watch-guard.ts';
import { ResourceRegistry } from './registry.ts';
import { isSealedBucket } from './sealed-buckets.ts';
import { openDataDirectory } from './store/data-directory.ts';
import { loadOrCreateKeys } from './store/keys.ts';
import { type OpenStore, openStore } from './store/open-store.ts';
import { type ServiceResolver, WebhookClient } from './webhook/webhook-client.ts';

/** What a control plane needs besides its address. */
export interface PlaneOptions {
  readonly dataDir: string;
  /** Converts kinds whose definitions name no webhook; only the version is renamed unless told. */
  readonly converterFor?: ConverterFactory;
  /** How long events are kept; an hour unless told. */
  readonly eventTtlMs?: number;
  /** How long a node may be silent before nothing is known of it; 40 seconds unless told. */
  readonly nodeGraceMs?: number;
  /** False when something else keeps the numbers of pod disruption budgets. */
  readonly runsDisruption?: boolean;
  /** Rules of this program that judge writes, asked as admission webhooks are. */
  readonly admission?: readonly InProcessHook[];
  /** Where a webhook's Service is; without it, webhooks have to be given by URL. */
  readonly resolveService?: ServiceResolver;
  /** What webhooks may be at; all but guarded addresses unless given. */
  readonly egress?: Egress;
}

/** Everything behind the HTTP door: the store, who may do what, every kind, and the controllers that keep house. */
export interface Plane {
  readonly core: ServerCore;
  readonly store: OpenStore;
  readonly identity: ServerIdentity;
  readonly access: Access;
  /** True for groups compiled into the server. */
  isBuiltinGroup(group: string): boolean;
  close(): Promise<void>;
}

/** Several times what the log grows to between two moves into the database. */
const reserveBytes = 16 << 20;
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Opens the data directory and starts everything that does not need an address yet. */
export async function openPlane(
  options: PlaneOptions,
  parts: { host: string; watches: WatchGuard; now: () => Date; onFault: (error: unknown) => void },
): Promise<Plane> {
  const { now, onFault } = parts;
  const { dataDir, eventTtlMs, nodeGraceMs, runsDisruption } = options;
  const store = await openSealedStore(dataDir, onFault);
  const identity = await loadIdentity(dataDir, { host: parts.host, now: now() });
  const { adminToken } = identity;
  const access = new Access({ dataDir, store, adminToken, caPem: identity.authority.certificatePem, now, onFault });
  const client = new WebhookClient(options.resolveService, options.egress);
  const webhooks = new WebhookIndex();
  const following = webhooks.follow(store);
  const core = createCore({ options, store, access, webhooks, client, watches: parts.watches, now });
  for (const builtin of builtinResources()) core.registry.add(serveBuiltin(builtin));
  const builtinGroups = new Set([...core.registry.groups(), ...access.virtual.map((v) => v.group)]);
  const converterFor = converterFactory(options.converterFor ?? (() => renameOnly), client);
  const definitions = new CrdLifecycle({ core, converterFor, onFault }).start();
  // A webhook that nobody answers must not keep the server from starting.
  await bootstrap({ ...core, admission: openAdmission });
  await bootstrapRbac({ ...core, admission: openAdmission });
  access.startControllers(core);
  const controllers = startControllers({ core, eventTtlMs, nodeGraceMs, runsDisruption, onFault });
  return {
    core,
    store,
    identity,
    access,
    isBuiltinGroup: (group) => builtinGroups.has(group),
    async close() {
      await controllers.close();
      definitions.close();
      access.close();
      following.close();
      await client.close();
      await store.close();
    },
  };
}

function openSealedStore(dataDir: string, onError: (error: unknown) => void): Promise<OpenStore> {
  openDataDirectory(dataDir);
  const keys = loadOrCreateKeys(join(dataDir, 'secrets.key'));
  return openStore({ directory: dataDir, encrypt: isSealedBucket, keys, reserveBytes, onError });
}

interface CoreParts {
  readonly options: PlaneOptions;
  readonly store: OpenStore;
  readonly access: Access;
  readonly webhooks: WebhookIndex;
  readonly client: WebhookClient;
  readonly watches: WatchGuard;
  now(): Date;
}

function createCore({ options, store, access, webhooks, client, watches, now }: CoreParts): ServerCore {
  const registry = new ResourceRegistry();
  const { authorizer } = access;
  return {
    store,
    registry,
    admission: chainAdmission([
      new InProcessAdmissionChain(options.admission ?? []),
      new WebhookAdmission({ store, registry, authorizer, webhooks, client }),
      escalationAdmission(authorizer),
    ]),
    events: new EventBytes(),
    watches,
    now,
    newUid: randomUUID,
    newSuffix: () => Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join(''),
  };
}
