import { createHash } from 'node:crypto';
import {
  type BMC,
  type BMCStatus,
  ironcoreApiVersion,
  ironcoreConditions,
  type Server,
  type ServerStatus,
} from '../../api/index.ts';
import type { Decision, Failure, Instant } from '../../kube/index.ts';
import { conditionOf, writeConditions } from '../conditions.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import { describeMissing, describeServer, describeUnread } from './describe-server.ts';
import {
  courseOf,
  describeCourse,
  isFullTurn,
  isLastingFailure,
  type ReadingCourse,
  type RememberedReading,
} from './reading-course.ts';

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
  /** The Server of a name, whosever it is. */
  readonly serverNamed: (name: string) => Server | undefined;
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
  const { bmc } = seen;
  const good = goodReading(seen);
  const places = good === undefined ? [] : placesOf(seen, good);
  const absent = good === undefined ? [] : seen.servers.filter((each) => !places.some(({ known }) => known === each));
  const isDoubtful = places.some(lacksPorts) || absent.some((each) => !isMissed(seen, each) && !isToldMissing(each));
  const course = courseOf({ ...seen, isDoubtful, phase: bmc.status?.state }, now);
  const { phase, isReading } = course;
  const missed = good === undefined ? [] : absent.filter((each) => isMissed(seen, each));
  return {
    effects: [
      ...places.flatMap((place) => serverEffects(seen, place, now)),
      ...missed.flatMap((each) => unreadEffects(each, describeMissing(each, good?.systems ?? []), now)),
      ...failureEffects(seen, course, now),
      ...(isReading
        ? [{ kind: 'read-bmc', key: `read/${bmc.metadata.name}`, isFull: isFullNeeded(seen, now) } as const]
        : []),
    ],
    status: describeStatus(seen, course, now),
    wake: course.wake,
    why: [describe(seen, course)],
    state: phase,
  };
}

/** What a BMC says when its Servers could not be written; what passes by itself is not told. Pure. */
export function describeBmcFailure(seen: BmcSeen, failure: Failure, now: Instant): BMCStatus | undefined {
  if (failure.retry === 'transient') return undefined;
  const { status } = decideBmc(seen, now);
  const { ready } = ironcoreConditions;
  const message = `Its Servers could not be written: ${failure.message}`;
  const context = { before: seen.bmc.status?.conditions, generation: seen.bmc.metadata.generation, now };
  const draft = { type: ready, status: 'False', reason: failure.code, message } as const;
  return { ...status, state: 'Error', conditions: writeConditions([draft], context, [ready]) };
}

type GoodReading = Extract<BmcReading, { kind: 'read' }>;

function goodReading({ obstacle, remembered, access }: BmcSeen): GoodReading | undefined {
  const reading = obstacle === undefined && remembered?.access === access ? remembered.reading : undefined;
  return reading?.kind === 'read' ? reading : undefined;
}

/** What takes many requests is read when some of it is not known, and now and then, since ports get replaced. */
function isFullNeeded({ bmc, servers, settings }: BmcSeen, now: Instant): boolean {
  const isKnown = servers.length > 0 && servers.every(({ status }) => status?.networkInterfaces !== undefined);
  return !isKnown || isFullTurn(bmc.metadata.name ?? '', { settings, now });
}

/** A system and the Server that is to be there for it. */
interface Place {
  readonly system: SystemReading;
  readonly known: OwnedServer | undefined;
  readonly name: string;
  readonly uuid: string;
  /** True when the Server was another machine so far: its board was swapped. */
  readonly isOther: boolean;
}

function placesOf(seen: BmcSeen, reading: GoodReading): readonly Place[] {
  const names = new Set(seen.servers.map(({ metadata }) => metadata.name ?? ''));
  return reading.systems.map((system) => {
    const place = placeOf(seen, { reading, system, names });
    names.add(place.name);
    return place;
  });
}

interface Placing {
  readonly reading: GoodReading;
  readonly system: SystemReading;
  /** Names that other systems behind the BMC have. */
  readonly names: ReadonlySet<string>;
}

function placeOf(seen: BmcSeen, placing: Placing): Place {
  const { reading, system } = placing;
  const known = findServer(seen, system);
  const before = known?.spec.systemUUID.toLowerCase();
  const uuid = before !== undefined && before === system.fallbackId ? before : uuidFor(seen, reading, system);
  const name = known?.metadata.name ?? freeName(seen, placing);
  const isOther = before !== undefined && before !== uuid.toLowerCase();
  return { system, known, name, uuid: uuid.toLowerCase(), isOther };
}

/** True when its ports are to be read, which the last reading did not do. */
function lacksPorts({ system, known, isOther }: Place): boolean {
  return system.interfaces === undefined && (isOther || known?.status?.networkInterfaces === undefined);
}

function serverEffects(seen: BmcSeen, place: Place, now: Instant): BmcEffect[] {
  const { known, name, system, isOther } = place;
  const body = bodyOf(seen, place);
  const isPut = known === undefined || !isAsBody(known, body);
  const puts: BmcEffect[] = isPut ? [{ kind: 'put-server', key: `put-server/${name}`, name, body }] : [];
  const tells = tellEffects(name, describeServer(known, system, { now, isOther }));
  // What is not true of the other board goes before it is known by its UUID: after that, nothing would tell that it is old.
  return isOther ? [...tells, ...puts] : [...puts, ...tells];
}

function tellEffects(name: string, status: ServerStatus | undefined): BmcEffect[] {
  return status === undefined ? [] : [{ kind: 'tell-server', key: `tell-server/${name}`, name, status }];
}

function unreadEffects(server: OwnedServer, fault: Inertness, now: Instant): BmcEffect[] {
  return tellEffects(server.metadata.name ?? '', describeUnread(server, fault, now));
}

/** True when a second reading in a row did not have the system of a Server: one that is just being powered may come back. */
function isMissed(seen: BmcSeen, server: OwnedServer): boolean {
  const before = seen.remembered?.before;
  return before !== undefined && !before.some((system) => findServer(seen, system) === server);
}

function isToldMissing({ status }: OwnedServer): boolean {
  return conditionOf(status?.conditions, ironcoreConditions.ready)?.reason === 'SystemNotFound';
}

/** Nobody knows how the servers behind a BMC are that cannot be read for a while; one that is left alone says nothing of them. */
function failureEffects({ bmc, servers, obstacle }: BmcSeen, course: ReadingCourse, now: Instant): BmcEffect[] {
  const { current } = course;
  const isLeftAlone = obstacle?.code === 'Excluded' || obstacle?.code === 'Ignored';
  if (isLeftAlone || (obstacle === undefined && !isLastingFailure(course))) return [];
  const failed = current?.reading.kind === 'failed' ? current.reading : undefined;
  const { code, message } = obstacle ?? { code: failed?.code ?? 'BmcUnreadable', message: failed?.message ?? '' };
  // Without the time of the next reading, so that servers are not written at each.
  const fault = { code, message: `its BMC ${bmc.metadata.name} cannot be read: ${message}` };
  return servers.flatMap((server) => unreadEffects(server, fault, now));
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

function freeName({ bmc, serverNamed }: BmcSeen, { reading, system, names }: Placing): string {
  const base = bmc.metadata.name ?? '';
  const hash = createHash('sha256').update(base).digest('hex').slice(0, 8);
  const short = base.length > longestName ? `${base.slice(0, longestName - 9)}-${hash}` : base;
  // Its own place among the systems, unless an older Server has that name.
  for (let index = reading.systems.indexOf(system); ; index++) {
    const name = `${short}-system-${index}`;
    if (!names.has(name) && isFree(serverNamed(name), system)) return name;
  }
}

/** A Server that somebody made for this very machine and said no BMC for is taken on; any other is not to be overwritten. */
function isFree(server: Server | undefined, { id, fallbackId }: SystemReading): boolean {
  if (server === undefined) return true;
  const { systemUUID, bmc, bmcRef } = server.spec;
  return bmc === undefined && bmcRef === undefined && [id, fallbackId].includes(systemUUID.toLowerCase());
}

function bodyOf({ bmc }: BmcSeen, { name, uuid, system, known }: Place): Server {
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
  // After a restart nothing new is known yet, and a whole fleet would seem to begin anew.
  if (seen.remembered === undefined && obstacle === undefined && bmc.status?.state === 'Enabled') return bmc.status;
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
