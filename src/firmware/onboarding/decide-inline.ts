import { ironcoreConditions, type ServerStatus } from '../../api/index.ts';
import type { Decision, Instant } from '../../kube/index.ts';
import { conditionOf, writeConditions } from '../conditions.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { SystemReading } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import type { BmcPhase } from './bmc-table.ts';
import { describeMissing, describeServer, describeUnread } from './describe-server.ts';
import {
  courseOf,
  describeCourse,
  isFullTurn,
  isLastingFailure,
  type ReadingCourse,
  type RememberedReading,
} from './reading-course.ts';

/** What is looked at of a Server that says itself where its BMC is. */
export interface InlineSeen {
  readonly server: OwnedServer;
  /** Names address and credentials. */
  readonly access: string;
  readonly obstacle: Inertness | undefined;
  readonly remembered: RememberedReading | undefined;
  readonly settings: FirmwareSettings;
}

/** What is done about it. */
export type InlineEffect =
  | { readonly kind: 'read-bmc'; readonly key: string; readonly isFull: boolean }
  /** Says which system of the BMC it is, where nobody did. */
  | { readonly kind: 'name-system'; readonly key: string; readonly path: string };

/** What is decided about it. */
export type InlineDecision = Decision<InlineEffect, ServerStatus>;

const { ready } = ironcoreConditions;

/** Decides about a Server whose BMC has no object of its own. Pure. */
export function decideInline(seen: InlineSeen, now: Instant): InlineDecision {
  const { server } = seen;
  const { name } = server.metadata;
  const system = findSystem(seen);
  // The ports that are known may be those of the machine that was looked for before.
  const isOther = system !== undefined && conditionOf(server.status?.conditions, ready)?.reason === 'SystemNotFound';
  const lacksPorts = isOther || server.status?.networkInterfaces === undefined;
  const isDoubtful = system !== undefined && system.interfaces === undefined && lacksPorts;
  const course = courseOf({ ...seen, isDoubtful, phase: phaseOf(server) }, now);
  const effects: InlineEffect[] = [];
  if (system !== undefined && server.spec.systemURI === undefined) {
    effects.push({ kind: 'name-system', key: `system/${name}`, path: system.path });
  }
  if (course.isReading) {
    const isFull = lacksPorts || isFullTurn(name ?? '', { settings: seen.settings, now });
    effects.push({ kind: 'read-bmc', key: `read/${name}`, isFull });
  }
  const { wake, phase: state } = course;
  if (system === undefined) {
    const fault = describeFault(seen, course);
    return { effects, status: withFault(server, { fault, course, now }), wake, why: [fault], state };
  }
  const status = describeServer(server, system, { now, isOther });
  return { effects, status, wake, why: [{ code: 'Read', message: 'it was read through its BMC' }], state };
}

/** Where the last look left it: what was written then tells. */
function phaseOf({ status }: OwnedServer): BmcPhase {
  const known = conditionOf(status?.conditions, ready)?.status;
  return known === 'True' ? 'Enabled' : known === 'False' ? 'Error' : 'Pending';
}

/** Only by what it goes by: at the place that somebody wrote may be another machine by now. */
function findSystem({ server, obstacle, remembered, access }: InlineSeen): SystemReading | undefined {
  const reading = obstacle === undefined && remembered?.access === access ? remembered.reading : undefined;
  const id = server.spec.systemUUID.toLowerCase();
  const systems = reading?.kind === 'read' ? reading.systems : [];
  return systems.find((system) => system.id === id || system.fallbackId === id);
}

function describeFault({ server, obstacle }: InlineSeen, course: ReadingCourse): Inertness {
  const { reading } = course.current ?? {};
  if (obstacle !== undefined || reading?.kind !== 'read') return describeCourse(course, obstacle);
  return describeMissing(server, reading.systems);
}

function withFault(
  server: OwnedServer,
  { fault, course, now }: { readonly fault: Inertness; readonly course: ReadingCourse; readonly now: Instant },
): ServerStatus | undefined {
  if (fault.code === 'SystemNotFound' || isLastingFailure(course)) return describeUnread(server, fault, now);
  const { metadata, status = {} } = server;
  const context = { before: status.conditions, generation: metadata.generation, now };
  const draft = {
    type: ready,
    status: course.phase === 'Pending' ? 'Unknown' : 'False',
    reason: fault.code,
    message: fault.message,
  } as const;
  return { ...status, conditions: writeConditions([draft], context, [ready]) };
}
