import { ironcoreConditions, type ServerStatus } from '../../api/index.ts';
import type { Decision, Instant } from '../../kube/index.ts';
import { conditionOf, writeConditions } from '../conditions.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { SystemReading } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import type { BmcPhase } from './bmc-table.ts';
import { describeServer } from './describe-server.ts';
import { courseOf, describeCourse, type ReadingCourse, type RememberedReading } from './reading-course.ts';

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
  const { server, obstacle } = seen;
  const { name } = server.metadata;
  const course = courseOf({ ...seen, phase: phaseOf(server) }, now);
  const { current, isReading } = course;
  const reading = obstacle === undefined && current?.reading.kind === 'read' ? current.reading : undefined;
  const system = reading === undefined ? undefined : findSystem(server, reading.systems);
  const fault = system === undefined ? describeFault(seen, course) : undefined;
  const effects: InlineEffect[] = [];
  if (system !== undefined && server.spec.systemURI === undefined) {
    effects.push({ kind: 'name-system', key: `system/${name}`, path: system.path });
  }
  if (isReading) {
    effects.push({ kind: 'read-bmc', key: `read/${name}`, isFull: server.status?.networkInterfaces === undefined });
  }
  return {
    effects,
    status: fault === undefined ? describe(server, system, now) : withFault(server, { fault, course, now }),
    wake: course.wake,
    why: [fault ?? { code: 'Read', message: 'it was read through its BMC' }],
    state: course.phase,
  };
}

/** Where the last look left it: what was written then tells. */
function phaseOf({ status }: OwnedServer): BmcPhase {
  const known = conditionOf(status?.conditions, ready)?.status;
  return known === 'True' ? 'Enabled' : known === 'False' ? 'Error' : 'Pending';
}

/** Only by what it goes by: at the place that somebody wrote may be another machine by now. */
function findSystem({ spec }: OwnedServer, systems: readonly SystemReading[]): SystemReading | undefined {
  const id = spec.systemUUID.toLowerCase();
  return systems.find((system) => system.id === id || system.fallbackId === id);
}

function describeFault({ server, obstacle }: InlineSeen, course: ReadingCourse): Inertness {
  const { reading } = course.current ?? {};
  if (obstacle !== undefined || reading?.kind !== 'read') return describeCourse(course, obstacle);
  const there = reading.systems.map(({ id, path }) => `${id} at ${path}`).join(', ') || 'none';
  const message = `its BMC has no system with the UUID ${server.spec.systemUUID}; correct spec.systemUUID or spec.bmc. There are: ${there}`;
  return { code: 'SystemNotFound', message };
}

function describe(server: OwnedServer, system: SystemReading | undefined, now: Instant): ServerStatus | undefined {
  return system === undefined ? undefined : describeServer(server, system, now);
}

function withFault(
  { metadata, status = {} }: OwnedServer,
  { fault, course, now }: { readonly fault: Inertness; readonly course: ReadingCourse; readonly now: Instant },
): ServerStatus {
  const context = { before: status.conditions, generation: metadata.generation, now };
  const draft = {
    type: ready,
    status: course.phase === 'Pending' ? 'Unknown' : 'False',
    reason: fault.code,
    message: fault.message,
  } as const;
  return { ...status, conditions: writeConditions([draft], context, [ready]) };
}
