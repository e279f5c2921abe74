import { createHash } from 'node:crypto';
import {
  type BMC,
  type BMCStatus,
  ironcoreApiVersion,
  ironcoreConditions,
  type Server,
  type ServerStatus,
} from '../../api/index.ts';
import type { Decision, Instant } from '../../kube/index.ts';
import { writeConditions } from '../conditions.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import { describeServer } from './describe-server.ts';
import { courseOf, describeCourse, type ReadingCourse, type RememberedReading } from './reading-course.ts';

/** What onboarding looks at. */
export interface BmcSeen {
  readonly bmc: BMC;
  /** Names address and credentials; another one is another thing to read. */
  readonly access: string;
  /** Why it cannot be read or should not be. */
  readonly obstacle: Inertness | undefined;
  /** Servers that hang on it. */
  readonly servers: readonly OwnedServer[];
  readonly remembered: RememberedReading | undefined;
  /** Serial numbers of other BMCs whose servers have a UUID, by UUID; an empty text where a BMC tells none. */
  readonly takenBy: (uuid: string) => readonly string[];
  readonly settings: FirmwareSettings;
}

/** What onboarding does about a BMC. */
export type BmcEffect =
  | { readonly kind: 'read-bmc'; readonly key: string; readonly isFull: boolean }
  | { readonly kind: 'put-server'; readonly key: string; readonly name: string; readonly body: Server }
  | {
      readonly kind: 'tell-server';
      readonly key: string;
      readonly name: string;
      /** Parts of the status that are onboarding's. */
      readonly status: ServerStatus;
    };

/** What is decided about one BMC. */
export type BmcDecision = Decision<BmcEffect, BMCStatus>;

/** Decides what to do about a BMC. Pure. */
export function decideBmc(seen: BmcSeen, now: Instant): BmcDecision {
  const { bmc, obstacle } = seen;
  const course = courseOf({ ...seen, phase: bmc.status?.state }, now);
  const { phase, current, isReading } = course;
  const good = obstacle === undefined && current?.reading.kind === 'read' ? current.reading : undefined;
  return {
    effects: [
      ...(good === undefined ? [] : good.systems.flatMap((system) => serverEffects(seen, good, { system, now }))),
      ...(isReading
        ? [{ kind: 'read-bmc', key: `read/${bmc.metadata.name}`, isFull: isFullNeeded(seen) } as const]
        : []),
    ],
    status: describeStatus(seen, course, now),
    wake: course.wake,
    why: [describe(seen, course)],
    state: phase,
  };
}

/** What takes many requests is read once for each server. */
function isFullNeeded({ servers }: BmcSeen): boolean {
  return servers.length === 0 || servers.some(({ status }) => status?.networkInterfaces === undefined);
}

type GoodReading = Extract<BmcReading, { kind: 'read' }>;

function serverEffects(
  seen: BmcSeen,
  reading: GoodReading,
  { system, now }: { readonly system: SystemReading; readonly now: Instant },
): BmcEffect[] {
  const known = findServer(seen, system);
  const uuid =
    known?.spec.systemUUID.toLowerCase() === system.fallbackId
      ? known?.spec.systemUUID
      : uuidFor(seen, reading, system);
  const name = known?.metadata.name ?? freeName(seen, reading, system);
  const body = bodyOf(seen, { name, uuid: (uuid ?? system.id).toLowerCase(), system, known });
  const effects: BmcEffect[] = [];
  if (known === undefined || !isAsBody(known, body))
    effects.push({ kind: 'put-server', key: `put-server/${name}`, name, body });
  const status = describeServer(known, system, now);
  if (status !== undefined) effects.push({ kind: 'tell-server', key: `tell-server/${name}`, name, status });
  return effects;
}

/** The Server of a system: by what it goes by, else by its place on the BMC, where a board was swapped. */
function findServer({ servers }: BmcSeen, system: SystemReading): OwnedServer | undefined {
  const ids = [system.id, system.fallbackId];
  return (
    servers.find(({ spec }) => ids.includes(spec.systemUUID.toLowerCase())) ??
    servers.find(({ spec }) => spec.systemURI === system.path)
  );
}

/**
 * The UUID, unless a server behind another BMC has it: two boards with one UUID are two machines. One BMC that two objects
 * name is one machine, though, and then the second Server says that it is a duplicate.
 */
function uuidFor({ takenBy }: BmcSeen, { board }: GoodReading, { id, fallbackId }: SystemReading): string {
  const mine = board.serialNumber ?? '';
  const isOther = takenBy(id).some((serial) => serial !== '' && mine !== '' && serial !== mine);
  return isOther ? (fallbackId ?? id) : id;
}

const longestName = 240;

function freeName({ bmc, servers }: BmcSeen, { systems }: GoodReading, system: SystemReading): string {
  const taken = new Set(servers.map(({ metadata }) => metadata.name));
  const base = bmc.metadata.name ?? '';
  const hash = createHash('sha256').update(base).digest('hex').slice(0, 8);
  const short = base.length > longestName ? `${base.slice(0, longestName - 9)}-${hash}` : base;
  // Its own place among the systems, unless an older Server has that name.
  for (let index = systems.indexOf(system); ; index++) {
    const name = `${short}-system-${index}`;
    if (!taken.has(name)) return name;
  }
}

interface ServerDraft {
  readonly name: string;
  readonly uuid: string;
  readonly system: SystemReading;
  readonly known: OwnedServer | undefined;
}

function bodyOf({ bmc }: BmcSeen, { name, uuid, system, known }: ServerDraft): Server {
  const { labels = {}, name: bmcName = '', uid = '' } = bmc.metadata;
  // Labels that somebody gave the Server itself win.
  const own = Object.entries(labels).filter(([key]) => known?.ownership.otherLabels.has(key) !== true);
  const owner = { apiVersion: ironcoreApiVersion, kind: 'BMC', name: bmcName, uid, controller: true };
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'Server',
    metadata: { name, labels: Object.fromEntries(own), ownerReferences: [owner] },
    spec: { systemUUID: uuid, systemURI: system.path, bmcRef: { name: bmcName } },
  };
}

function isAsBody({ metadata, spec, ownership }: OwnedServer, body: Server): boolean {
  const labels = Object.entries(body.metadata.labels ?? {});
  return (
    spec.systemUUID === body.spec.systemUUID &&
    spec.systemURI === body.spec.systemURI &&
    labels.length === ownership.onboardedLabels.size &&
    labels.every(([key, value]) => metadata.labels?.[key] === value && ownership.onboardedLabels.has(key)) &&
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === body.metadata.ownerReferences?.[0]?.uid)
  );
}

function describe({ obstacle }: BmcSeen, course: ReadingCourse): Inertness {
  const { current, phase } = course;
  if (obstacle !== undefined || current?.reading.kind !== 'read') return describeCourse(course, obstacle);
  const { systems, gaps } = current.reading;
  const missing = gaps.length === 0 ? '' : ` Not read: ${gaps.join('; ')}.`;
  return { code: phase, message: `${systems.length} systems were read.${missing}` };
}

function describeStatus(seen: BmcSeen, course: ReadingCourse, now: Instant): BMCStatus {
  const { bmc, obstacle } = seen;
  const { phase, current } = course;
  const { ready } = ironcoreConditions;
  const { code, message } = describe(seen, course);
  const isGood = obstacle === undefined && phase === 'Enabled';
  const status = isGood ? 'True' : phase === 'Pending' ? 'Unknown' : 'False';
  const context = { before: bmc.status?.conditions, generation: bmc.metadata.generation, now };
  const reading = current?.reading.kind === 'read' ? current.reading : undefined;
  return {
    ...bmc.status,
    ...(reading === undefined ? {} : boardStatus(reading.board)),
    ...(bmc.spec.access?.ip === undefined ? {} : { ip: bmc.spec.access.ip }),
    ...(bmc.spec.access?.macAddress === undefined ? {} : { macAddress: bmc.spec.access.macAddress }),
    state: phase,
    conditions: writeConditions([{ type: ready, status, reason: code, message }], context, [ready]),
  };
}

function boardStatus({ powerState, ...board }: GoodReading['board']): Partial<BMCStatus> {
  const known = Object.fromEntries(Object.entries(board).filter(([, value]) => value !== undefined));
  return powerState === 'On' || powerState === 'Off' ? { ...known, powerState } : known;
}
