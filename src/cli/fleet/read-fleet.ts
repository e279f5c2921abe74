import type { ConditionRecord } from '../../conditionorc/index.ts';
import { type AnyKubeObject, isForbidden, isNotFound, type ResourceRef } from '../../kube/index.ts';
import { CliError, explainError } from '../errors.ts';
import { findRest } from '../install-service/rest-address.ts';
import { createRestClient, type RestClient } from '../install-service/rest-client.ts';
import type { Session } from '../objects/session.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import type { FleetFacts, HostObject, InventoryServer, ServerObject } from './fleet-machines.ts';

/** Settings that say where the REST services are; the data directory is among the flags of every session. */
export const restSettings = ['restUrl', 'inventoryUrl', 'tokenFile', 'caFile'] as const;

const metal3 = { group: 'metal3.io', version: 'v1alpha1', namespaced: true } as const;
const ironcore = { group: 'metal.ironcore.dev', version: 'v1alpha1', namespaced: false } as const;

/** Where the objects are that machines are known by. */
export const fleetResources = {
  hosts: { ...metal3, resource: 'baremetalhosts', kind: 'BareMetalHost' },
  servers: { ...ironcore, resource: 'servers', kind: 'Server' },
  firmwares: { ...ironcore, resource: 'serverfirmwares', kind: 'ServerFirmware' },
  bmcs: { ...ironcore, resource: 'bmcs', kind: 'BMC' },
} as const;

/** Runs with the REST services beside a Kubernetes API, or without them, and then with what is in the way. */
export async function withRestIfThere<T>(
  flags: object,
  terminal: Terminal,
  act: (rest: RestClient | undefined, problem: string | undefined) => Promise<T>,
): Promise<T> {
  let rest: RestClient;
  try {
    rest = createRestClient(findRest(readSettings(['dataDir', ...restSettings], { ...flags }, terminal)));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return await act(undefined, error.message);
  }
  try {
    return await act(rest, undefined);
  } finally {
    await rest.close();
  }
}

/** All objects of a resource that may be seen; none where it is not served. */
export async function listIfServed<T extends AnyKubeObject>(
  ref: ResourceRef,
  session: Session,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const resource = session.client.resource<T>(ref);
  const none = (error: unknown): readonly T[] => {
    if (isNotFound(error) || isForbidden(error)) return [];
    throw error;
  };
  try {
    return (await resource.list({ signal })).items;
  } catch (error) {
    if (!isForbidden(error) || !ref.namespaced) return none(error);
    // A tenant sees one namespace.
    return await resource.list({ namespace: session.namespace, signal }).then(({ items }) => items, none);
  }
}

/** What tells the machines of this fleet from those of others on the same database. */
export async function readFleetFacts(
  session: Session,
  { rest, signal }: { readonly rest: RestClient | undefined; readonly signal: AbortSignal },
): Promise<FleetFacts> {
  const [hosts, servers, inventory] = await Promise.all([
    listIfServed<HostObject>(fleetResources.hosts, session, signal),
    listIfServed<ServerObject>(fleetResources.servers, session, signal),
    rest === undefined ? [] : readInventory(rest),
  ]);
  return { hosts, servers, inventory };
}

async function readInventory(rest: RestClient): Promise<InventoryServer[]> {
  const found: InventoryServer[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `/api/v1/servers?limit=1000&page=${page}`;
    const answer = await rest.ask<{ records: readonly InventoryServer[]; total_pages: number }>({
      ...{ method: 'GET', of: 'inventory', path },
    });
    found.push(...answer.records);
    pages = answer.total_pages;
  }
  return found;
}

/** Work on some machines, newest first: all that was ever asked for, up to a number. */
export async function readWork(
  rest: RestClient,
  { machines, most }: { readonly machines: ReadonlySet<string>; readonly most: number },
): Promise<ConditionRecord[]> {
  const [only, ...others] = machines;
  if (only === undefined) return [];
  const path = others.length === 0 ? `/api/v1/servers/${only}/conditions/history` : '/api/v1/conditions';
  const found: ConditionRecord[] = [];
  let after: string | null = null;
  do {
    const query: Record<string, string> = { limit: '1000', ...(others.length === 0 ? {} : { history: 'true' }) };
    const words = new URLSearchParams(after === null ? query : { ...query, after });
    const page: { records: readonly ConditionRecord[]; next: string | null } = await rest.ask({
      ...{ method: 'GET', path: `${path}?${words}` },
    });
    // A database that fleets share has the work of all of them.
    found.push(...page.records.filter(({ target }) => machines.has(target.toLowerCase())));
    after = page.next;
  } while (after !== null && found.length < most);
  return found.slice(0, most);
}

/** The text of a failure that is told and not fatal. */
export function problemOf(error: unknown): string {
  return explainError(error).text;
}
