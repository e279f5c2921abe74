import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type AnyKubeObject, isForbidden, isNotFound, KubeError, type ServedResource } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { machinesOfFleet } from '../fleet/fleet-machines.ts';
import { problemOf, readFleetFacts, readWork } from '../fleet/read-fleet.ts';
import type { RestClient } from '../install-service/rest-client.ts';
import type { Session } from '../objects/session.ts';
import type { Progress } from '../output/progress.ts';
import { documentText } from '../output/show.ts';
import { clientVersion } from '../version-command.ts';
import { readLogEnd } from './read-log.ts';
import { bareObject, createRedactor, valuesOfSecrets } from './redactor.ts';

/** What a bundle is made from. */
export interface BundleParts {
  readonly session: Session;
  readonly rest: RestClient | undefined;
  /** Why there are no REST services. */
  readonly restProblem: string | undefined;
  readonly dataDir: string;
  readonly logFiles: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** The files of a bundle, and what could not be had. */
export interface Collected {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
}

/** Something that a bundle lacks. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** Groups whose objects say how a fleet is doing, besides some kinds of Kubernetes itself. */
const ownGroups = /(^|\.)(metal3\.io|ironcore\.dev|cluster\.x-k8s\.io)$/;
const coreResources = new Set(['namespaces', 'nodes', 'secrets', 'events', 'leases']);
const mostConditions = 5000;

/** Reads everything and takes the secrets out. What cannot be had is named, and the rest collected all the same. */
export async function collectBundle(parts: BundleParts): Promise<Collected> {
  const files = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const redactor = createRedactor(await knownSecrets(parts));
  const attempt = async (percent: number, what: string, collect: () => Promise<void>): Promise<void> => {
    parts.progress.show(percent, percent < 75 ? 'collecting objects' : `collecting ${what}`);
    try {
      await collect();
    } catch (error) {
      if (parts.signal.aborted || !(error instanceof CliError || error instanceof KubeError)) throw error;
      leftOut.push({ what, why: redactor.text(problemOf(error)) });
    }
  };
  const put = (path: string, value: object): void => {
    files.set(path, documentText(redactor.value(value) as object, path.endsWith('.json') ? 'json' : 'yaml'));
  };
  await attempt(5, 'versions', async () => put('versions.json', await versionsOf(parts)));
  const resources = await wantedResources(parts);
  for (const [index, resource] of resources.entries()) {
    await attempt(10 + (60 * index) / resources.length, resource.resource, async () => {
      const items = await listObjects(resource, parts);
      if (items.length > 0) put(pathOf(resource), { apiVersion: 'v1', kind: 'List', items });
    });
  }
  await attempt(75, 'conditions', () => collectWork(parts, put));
  await attempt(85, 'metrics', async () => {
    files.set('metrics.txt', redactor.text(await restOf(parts).readText('/metrics')));
  });
  await attempt(88, 'readiness', async () =>
    put('readiness.json', await restOf(parts).ask({ method: 'GET', path: '/readyz' })),
  );
  for (const { path, file } of logsOf(parts)) {
    await attempt(90, path, async () => void files.set(path, readLogEnd(file, redactor)));
  }
  return { files, leftOut };
}

/** Looked for in everything else: a device may have repeated a password in a message. */
async function knownSecrets({ session, dataDir, signal }: BundleParts): Promise<string[]> {
  const secrets: AnyKubeObject[] = [];
  for (const name of ['secrets', 'bmcsecrets']) {
    try {
      const resource = await session.mapper.byName(name);
      secrets.push(...(await session.client.resource<AnyKubeObject>(resource).list({ signal })).items);
    } catch (error) {
      // Who may not read them is not shown any either.
      if (!isForbidden(error) && !isNotFound(error)) throw error;
    }
  }
  const token = join(dataDir, 'admin-token');
  return [...valuesOfSecrets(secrets), ...(existsSync(token) ? [readFileSync(token, 'utf8').trim()] : [])];
}

async function versionsOf({ session }: BundleParts): Promise<object> {
  const server = await session.client.request<object>({ method: 'GET', path: '/version' });
  return { client: clientVersion(), server, address: session.client.server };
}

async function wantedResources({ session }: BundleParts): Promise<ServedResource[]> {
  const all = await session.mapper.all();
  return all.filter(
    ({ group, resource, isPreferred, verbs }) =>
      isPreferred &&
      verbs.includes('list') &&
      (ownGroups.test(group) || (coreResources.has(resource) && group !== 'events.k8s.io')),
  );
}

async function listObjects(resource: ServedResource, { session, signal }: BundleParts): Promise<AnyKubeObject[]> {
  const { items } = await session.client.resource<AnyKubeObject>(resource).list({ signal });
  const { group, version, kind } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return items.map((item) => bareObject({ apiVersion, kind, ...item }));
}

function pathOf({ group, resource }: ServedResource): string {
  if (group === '' && resource === 'events') return 'events.yaml';
  return `objects/${resource}${group === '' ? '' : `.${group}`}.yaml`;
}

function restOf({ rest, restProblem }: BundleParts): RestClient {
  if (rest !== undefined) return rest;
  throw new CliError('unreachable', restProblem ?? 'the REST services cannot be reached');
}

/** Of a database that fleets share, only what is about machines that this one has objects of. */
async function collectWork(parts: BundleParts, put: (path: string, value: object) => void): Promise<void> {
  const rest = restOf(parts);
  const facts = await readFleetFacts(parts.session, { rest, signal: parts.signal });
  const machines = machinesOfFleet(facts);
  put('inventory.json', { items: facts.inventory.filter(({ uuid }) => machines.has(uuid.toLowerCase())) });
  put('conditions.json', { items: await readWork(rest, { machines, most: mostConditions }) });
}

/** The audit log of the data directory is of this fleet only if the server that is asked is. */
function logsOf({ dataDir, session, logFiles }: BundleParts): { readonly path: string; readonly file: string }[] {
  const audit = join(dataDir, 'audit.log');
  const isOwn = existsSync(audit) && isServerOf(dataDir, session.client.server);
  return [
    ...(isOwn ? [{ path: 'logs/audit.log', file: audit }] : []),
    ...logFiles.map((file) => ({ path: `logs/${basename(file)}`, file })),
  ];
}

/** True when the server with this address keeps its data in this folder. */
export function isServerOf(dataDir: string, server: string): boolean {
  const kubeconfig = join(dataDir, 'kubeconfig');
  return existsSync(kubeconfig) && readFileSync(kubeconfig, 'utf8').includes(server);
}
