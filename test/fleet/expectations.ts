import assert from 'node:assert/strict';
import type { Firmware, ServerFirmware, ServerFirmwareGroup } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import type { FirmwareFleet } from './fleet.ts';
import type { RoleServer, Roles, Tier } from './roles.ts';

/** Components that runs are about. */
export type Component = 'bios' | 'bmc';

/** What is wanted on a server. */
export type Wishes = Partial<Record<Component, string>>;

/** What is wanted, by server; servers that are not there want nothing. */
export type Wanted = ReadonlyMap<RoleServer, Wishes>;

type Conditioned = { status?: { conditions?: { type: string; status: string; reason: string; message: string }[] } };

/** A condition as `True WithinThreshold`. */
export function conditionOf({ status }: Conditioned, type: string): string {
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? 'absent' : `${found.status} ${found.reason}`;
}

/** Entries as the objects have them. */
export function entriesOf(wishes: Wishes, manufacturer: string): Firmware[] {
  return Object.entries(wishes).map(([name, version]) => ({ name, manufacturer, version }));
}

/** What is missing until a group has this many servers, all of them as it wants them but `open`. */
export async function missingOfGroup(
  { groups }: FirmwareFleet,
  name: Tier,
  { servers, open = 0 }: { readonly servers: number; readonly open?: number },
): Promise<string | undefined> {
  const group = await groups.get({ name });
  const { serversInGroup, updatesApplied, updatesNotApplied } = group.status ?? {};
  const isCurrent = group.status?.observedGeneration === group.metadata.generation;
  if (isCurrent && serversInGroup === servers && updatesNotApplied === open && updatesApplied === servers - open) {
    return undefined;
  }
  return `the group ${name} counts ${JSON.stringify(group.status)}`;
}

/** The firmware objects by name. */
export async function firmwaresOf(fleet: FirmwareFleet): Promise<ReadonlyMap<string, ServerFirmware & KubeObject>> {
  const { items } = await fleet.firmwares.list();
  return new Map(items.map((item) => [item.metadata.name ?? '', item]));
}

/** What is missing until a server has what it wants and nothing is under way. */
export function missingOf(firmware: (ServerFirmware & KubeObject) | undefined, server: RoleServer): string | undefined {
  if (firmware === undefined) return `${server.object} is not there`;
  const isCurrent = firmware.status?.observedGeneration === firmware.metadata.generation;
  const is = ['Scanned', 'UpToDate', 'Progressing', 'Stalled'].map((type) => conditionOf(firmware, type));
  const upToDate = (firmware.spec.firmwares ?? []).length === 0 ? 'Unknown' : 'True';
  const isSettled = ['True', upToDate, 'False', 'False'].every((status, at) => is[at]?.startsWith(status) === true);
  return isCurrent && isSettled ? undefined : `${server.object} is ${is.join(', ')}`;
}

/** Checks every server: what its object wants, what its object says, and what it has. */
export async function checkServers(fleet: FirmwareFleet, roles: Roles, wanted: Wanted): Promise<void> {
  const firmwares = await firmwaresOf(fleet);
  for (const server of roles.all) {
    const firmware = firmwares.get(server.object);
    assert.equal(missingOf(firmware, server), undefined);
    const wishes = wanted.get(server) ?? {};
    const manufacturer = roles.manufacturerOf(server);
    assert.deepEqual(declared(firmware?.spec.firmwares), declared(entriesOf(wishes, manufacturer)), server.object);
    assert.deepEqual(installedOf(firmware, wishes), wishes, `${server.object} tells what it has`);
    if (Object.keys(wishes).length === 0) continue;
    const slots = await fleet.simulator.slotsOf(server.name);
    const has = Object.keys(wishes).map((name) => [name, slots.find(({ component }) => component === name)?.version]);
    assert.deepEqual(Object.fromEntries(has), wishes, `${server.name} has it`);
  }
}

function declared(entries: readonly Firmware[] = []): Firmware[] {
  return entries
    .map(({ name, manufacturer, version }) => ({ name, manufacturer, version }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Of what was wished, what the object tells as installed. */
function installedOf(firmware: ServerFirmware | undefined, wishes: Wishes): Wishes {
  const told: Record<string, string | undefined> = { bios: firmware?.status?.bios?.version };
  for (const { name, version } of firmware?.status?.firmwares ?? []) told[name] ??= version;
  return Object.fromEntries(Object.keys(wishes).map((name) => [name, told[name]])) as Wishes;
}

/** Checks that a group counts what is there, and does not touch what is of other hardware. */
export function checkGroup(group: ServerFirmwareGroup, servers: number): void {
  const { serversInGroup, updatesApplied, updatesNotApplied, updatesFailed } = group.status ?? {};
  assert.deepEqual(
    { serversInGroup, updatesApplied, updatesNotApplied, updatesFailed: updatesFailed ?? 0 },
    { serversInGroup: servers, updatesApplied: servers, updatesNotApplied: 0, updatesFailed: 0 },
  );
  assert.match(conditionOf(group, 'Ready'), /^True /);
  assert.match(conditionOf(group, 'OtherHardware'), /^True /);
  assert.doesNotMatch(conditionOf(group, 'SelectorConflict'), /^True /);
  assert.doesNotMatch(conditionOf(group, 'Halted'), /^True /);
}

/** Who owns the version of an entry, by the API server's own record. */
export function ownersOf({ metadata }: KubeObject, entry: Pick<Firmware, 'name' | 'manufacturer'>): readonly string[] {
  const { name, manufacturer } = entry;
  const key = `k:${JSON.stringify({ manufacturer, model: '', name, slot: '', softwareId: '' })}`;
  return (metadata?.managedFields ?? []).flatMap(({ manager = '', fieldsV1 }) => {
    const spec = (fieldsV1 as { 'f:spec'?: { 'f:firmwares'?: Record<string, object> } } | undefined)?.['f:spec'];
    return Object.hasOwn(spec?.['f:firmwares']?.[key] ?? {}, 'f:version') ? [manager] : [];
  });
}
