import { ironcoreReasons } from '../../api/index.ts';
import { type EventFollower, followEvents, updateServiceClients } from '../../conditionorc/index.ts';
import {
  type Condition,
  type ConditionReason,
  type Database,
  type Engine,
  type EngineEvent,
  isFinal,
  type JsonObject,
  machineIdOf,
} from '../../engine/index.ts';
import type { AvailableFirmware } from '../../jobs/index.ts';
import { isDeniedByAdmission, KubeError } from '../../kube/index.ts';
import type { InstalledPart } from '../../parts/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { JobWait } from '../clients/request-outcome.ts';
import { kindOf, readDiscoverParameters } from '../kinds.ts';
import type { FleetNames } from '../names/fleet-names.ts';
import { unfencedEvent } from '../reports/result-desk.ts';
import { createHeldReports, type HeldReports } from './held-reports.ts';
import { type InventoryReader, toInstalledParts } from './installed.ts';

/** What a job found or failed at, for `ServerFirmware.status`. */
export interface MirroredServerReport {
  readonly server: string;
  /** Id of the machine that was worked on: the Server may be another one by now. */
  readonly machine: string;
  readonly kind: 'Scan' | 'Update';
  readonly conditionId: string;
  /** Id of the engine's store, within which numbers can be compared. */
  readonly store: string;
  /** Grows with every report of the store. */
  readonly sequence: number;
  readonly at: number;
  readonly installed?: readonly InstalledPart[] | undefined;
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
  /** True for work that may have changed what is installed and was followed by no reading yet. */
  readonly isOutdated?: boolean | undefined;
}

/** The same for `DiscoveredFirmware.status`. */
export interface MirroredDiscoveryReport {
  readonly name: string;
  readonly conditionId: string;
  readonly store: string;
  readonly sequence: number;
  readonly at: number;
  readonly available?: readonly AvailableFirmware[] | undefined;
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}

/** What the job of an open request waits for, for `ServerFirmware.status`. */
export interface MirroredWait {
  readonly server: string;
  readonly conditionId: string;
  /** Undefined once the job goes on. */
  readonly wait: JobWait | undefined;
}

/** Where results go: into the status of objects, where older ones are dropped. */
export interface KubeMirror {
  server(report: MirroredServerReport, signal?: AbortSignal): Promise<unknown>;
  discovery(report: MirroredDiscoveryReport, signal?: AbortSignal): Promise<unknown>;
  /** Told while a job is under way: that its worker is lost, and that another one goes on. */
  wait(report: MirroredWait, signal?: AbortSignal): Promise<unknown>;
  /** The greatest number of a store that objects show; 0 when they show none. */
  newest(store: string, signal?: AbortSignal): Promise<number>;
}

/** What results are brought along with. */
export interface MirrorParts {
  readonly engine: Pick<Engine, 'storeId' | 'eventsAfter' | 'get' | 'machines'>;
  readonly database: Database;
  readonly mirror: KubeMirror;
  readonly names: Pick<FleetNames, 'serverOf'>;
  readonly inventory: InventoryReader;
  readonly logger: Logger;
}

/** Under which name it remembers how far it got. */
const cursor = 'update-service-mirror';
const atOnce = 16;
/** A result is told once: a Server that came a moment ago would wait for it in vain. */
const told = { isListedAnew: true };

/**
 * Brings results of jobs that ended since the last time to Kubernetes, each at least once and in the order in which they
 * ended, also those of other front doors. Throws when Kubernetes cannot be reached: then it is tried again from there.
 */
export async function mirrorResults(parts: MirrorParts): Promise<number> {
  const held = createHeldReports(parts.database);
  const follower: EventFollower = {
    name: cursor,
    async before(events) {
      // Of one target in order, of several at once.
      const groups = [
        ...Map.groupBy(
          events.filter((each) => isResult(each) || isInterruption(each)),
          ({ target }) => target ?? '',
        ).values(),
      ];
      const next = async (): Promise<void> => {
        for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
          for (const event of group) await mirrorOne(parts, held, event);
        }
      };
      await Promise.all(Array.from({ length: Math.min(atOnce, groups.length) }, next));
    },
  };
  return await followEvents({ engine: parts.engine, database: parts.database }, follower);
}

function isResult({ event, kind = '' }: EngineEvent): boolean {
  return ['finalized', unfencedEvent].includes(event) && Object.values<string>(kindOf).includes(kind);
}

/** True for what tells that a job lost its worker, or has another one. */
function isInterruption({ event, kind = '', detail }: EngineEvent): boolean {
  if (kind !== kindOf.update && kind !== kindOf.scan) return false;
  if (event === 'leased') return typeof detail.leases === 'number' && detail.leases > 1;
  return event === 'lease-expired' || event === 'released';
}

async function mirrorOne(parts: MirrorParts, held: HeldReports, event: EngineEvent): Promise<void> {
  try {
    if (event.event === unfencedEvent) return await mirrorNote(parts, event);
    const condition = event.conditionId === undefined ? undefined : await parts.engine.get(event.conditionId);
    if (condition === undefined) return;
    if (isInterruption(event)) return await mirrorWait(parts, condition, event);
    if (!isFinal(condition.state)) return;
    if (condition.kind === kindOf.discovery) return await mirrorDiscovery(parts, condition, event);
    await mirrorServer(parts, held, { condition, event });
  } catch (error) {
    if (!isHopeless(error)) throw error;
    // One object that cannot take its status must not keep all others from theirs.
    parts.logger.error('a result could not be written to its object and is left out', {
      condition: event.conditionId,
      target: event.target,
      error,
    });
  }
}

/** What the API server understood and will refuse the next time too. */
function isHopeless(error: unknown): boolean {
  if (isDeniedByAdmission(error)) return true;
  return error instanceof KubeError && [400, 404, 405, 413, 422].includes(error.code);
}

/** How the job stands now is told, whatever has happened since the event. */
async function mirrorWait(parts: MirrorParts, condition: Condition, { event }: EngineEvent): Promise<void> {
  const { id: conditionId, state, reason } = condition;
  if (isFinal(state)) return;
  const wait = state === 'active' ? undefined : lossOf(reason, event);
  if (state === 'pending' && wait === undefined) return;
  const server = await parts.names.serverOf(machineIdOf(condition.target) ?? '');
  if (server !== undefined) await parts.mirror.wait({ server, conditionId, wait });
}

const losses: readonly string[] = [ironcoreReasons.workerLost, 'LeaseExpired'];

/** Why a job that lost its worker waits; undefined for one that its worker gave back. */
function lossOf(reason: ConditionReason | undefined, event: string): JobWait | undefined {
  const { workerLost: code } = ironcoreReasons;
  if (reason !== undefined && losses.includes(reason.code)) return { code, message: reason.message };
  if (event !== 'lease-expired') return undefined;
  return { code, message: reason === undefined ? 'worker lost' : `worker lost; ${reason.message}` };
}

interface Ended {
  readonly condition: Condition;
  readonly event: EngineEvent;
}

async function mirrorServer(parts: MirrorParts, held: HeldReports, { condition, event }: Ended): Promise<void> {
  const machineId = machineIdOf(condition.target) ?? '';
  const server = await parts.names.serverOf(machineId, told);
  if (server === undefined) return;
  const isUpdate = condition.kind === kindOf.update;
  if (isUpdate && condition.state === 'succeeded' && !wasRead(condition)) {
    // The engine has the server read, and that reading tells of the update to who asked for it here.
    if (condition.client.startsWith(updateServiceClients)) return await held.hold(condition);
  }
  const waiting = isUpdate ? [] : await held.list(condition.target);
  const installed = wasRead(condition) ? await readInstalledParts(parts, machineId) : undefined;
  const report = {
    ...{ server, machine: machineId, ...placeOf(parts, event) },
    ...(installed === undefined ? {} : { installed }),
    ...(condition.state === 'failed' ? { failure: failureOf(condition) } : {}),
    ...(isUpdate && installed === undefined && condition.leases > 0 ? { isOutdated: true } : {}),
  };
  // Whoever waits for the updates whose outcome this scan tells is told, and then who waits for the scan itself: of one
  // number only the first is written, unless somebody waits for the other.
  for (const conditionId of waiting) await parts.mirror.server({ ...report, kind: 'Update', conditionId });
  await parts.mirror.server({ ...report, kind: isUpdate ? 'Update' : 'Scan', conditionId: condition.id });
  await held.letGo(condition.target, waiting);
}

/** Where a report has its place among all of them. */
function placeOf({ engine }: Pick<MirrorParts, 'engine'>, { seq, at }: EngineEvent) {
  return { store: engine.storeId, sequence: seq, at };
}

/** Scans always read; updates say when they did. */
function wasRead({ kind, state, status }: Condition): boolean {
  return kind === kindOf.scan ? state === 'succeeded' : typeof status.inventory_read_at === 'number';
}

/** Whoever read the server wrote it into the inventory, so that one list is told whichever way a scan took. */
async function readInstalledParts(
  { engine, inventory }: MirrorParts,
  machineId: string,
): Promise<readonly InstalledPart[] | undefined> {
  const known = await inventory.read(machineId);
  if (known === undefined) return undefined;
  const machine = await engine.machines.get(machineId);
  return toInstalledParts(known, machine?.manufacturer ?? '');
}

function failureOf({ reason, leases }: Condition) {
  // Nobody got to it, such as on a host that was in use all the time: that is no attempt that failed.
  if (reason?.code === 'DeadlinePassed' && leases === 0) return { reason: 'Cancelled', message: reason.message };
  return { reason: reason?.code ?? 'Failed', message: reason?.message ?? 'the job gave no reason' };
}

async function mirrorDiscovery(parts: MirrorParts, condition: Condition, event: EngineEvent): Promise<void> {
  const { name } = readDiscoverParameters(condition.parameters);
  await parts.mirror.discovery({
    name,
    conditionId: condition.id,
    ...placeOf(parts, event),
    ...(condition.state === 'failed'
      ? { failure: failureOf(condition) }
      : { available: availableOf(condition.status) }),
  });
}

function availableOf({ available }: JsonObject) {
  if (!Array.isArray(available)) return [];
  return available as unknown as NonNullable<MirroredDiscoveryReport['available']>;
}

/** What somebody reported without a job. */
async function mirrorNote(parts: MirrorParts, event: EngineEvent): Promise<void> {
  const { mirror, names } = parts;
  const shared = { conditionId: `unfenced-${event.seq}`, ...placeOf(parts, event) };
  const machineId = machineIdOf(event.target ?? '');
  if (machineId === undefined) {
    const { name } = event.detail;
    if (typeof name === 'string') await mirror.discovery({ ...shared, name, available: availableOf(event.detail) });
    return;
  }
  const server = await names.serverOf(machineId, told);
  if (server === undefined) return;
  const installed = await readInstalledParts(parts, machineId);
  await mirror.server({ ...shared, server, machine: machineId, kind: 'Scan', installed });
}
