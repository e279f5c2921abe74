import type { BMC, DiscoveredFirmware, ServerFirmwareGroup } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { createFleet, type Fleet } from '../fleet/fleet.ts';
import type { LoadedFleet } from '../fleet/load-fleet.ts';
import { firmwareIndexers, type OwnedFirmware, type OwnedServer, serverIndexers } from '../fleet/objects.ts';
import { createTable, type ObjectTable } from '../fleet/table.ts';
import { decideGroup, type GroupDecision } from '../group/decide-group.ts';
import { type ApplyEntries, decideMember } from '../group/decide-member.ts';
import { readMemberSeen } from '../group/member-controller.ts';
import { createStandings } from '../group/member-standing.ts';
import type { ServerReading } from '../server/read-server.ts';
import { asIfTold, asIfWritten } from './as-if-written.ts';

/** All objects that a plan looks at. */
export interface PlanFacts {
  readonly servers: readonly OwnedServer[];
  readonly firmwares: readonly OwnedFirmware[];
  readonly groups: readonly ServerFirmwareGroup[];
  readonly bmcs: readonly BMC[];
  readonly discovered: ObjectTable<DiscoveredFirmware>;
  /** Who keeps updates of a machine waiting, as a sentence, by system UUID in small letters. */
  readonly inUse?: ReadonlyMap<string, string> | undefined;
}

/** The facts of a fleet that was listed. */
export function factsOf({ tables, bmcs, discovered }: LoadedFleet): PlanFacts {
  return {
    servers: tables.servers.list(),
    firmwares: tables.firmwares.list(),
    groups: tables.groups.list(),
    bmcs,
    discovered,
  };
}

/** A fleet after its groups have done all they would do now, and what that was. */
export interface SettledFleet {
  readonly fleet: Fleet;
  readonly firmwares: readonly OwnedFirmware[];
  readonly decisions: ReadonlyMap<string, GroupDecision>;
  /** What groups would write, by name of the ServerFirmware. */
  readonly writes: ReadonlyMap<string, ApplyEntries>;
}

/** Lets the server-group-controller decide about everything, and takes what it decides to be done. Pure. */
export function settleFleet(facts: PlanFacts, reading: ServerReading, now: Instant): SettledFleet {
  const decisions = decideGroups(facts, reading, now);
  const groups = facts.groups.map((group) => {
    const status = decisions.get(nameOf(group))?.status;
    return status === undefined ? group : { ...group, status };
  });
  const told = new Set(
    [...decisions.values()].flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === 'retry-member' ? effect.name : [])),
    ),
  );
  const firmwares = facts.firmwares.map((each) => (told.has(nameOf(each)) ? asIfTold(each) : each));
  const decided = fleetOf({ ...facts, firmwares, groups });
  const writes = new Map<string, ApplyEntries>();
  const written = firmwares.map((firmware) => {
    const seen = readMemberSeen(decided, nameOf(firmware));
    const [effect] = seen === undefined ? [] : decideMember(seen).effects;
    if (effect === undefined) return firmware;
    writes.set(nameOf(firmware), effect);
    return asIfWritten(firmware, effect);
  });
  return { fleet: fleetOf({ ...facts, firmwares: written, groups }), firmwares: written, decisions, writes };
}

function decideGroups(
  facts: PlanFacts,
  { compare, settings }: ServerReading,
  now: Instant,
): ReadonlyMap<string, GroupDecision> {
  const fleet = fleetOf(facts);
  const standingsOf = createStandings({ fleet, compare, maxAttempts: settings.maxAttempts });
  const alive = facts.groups.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(
    alive.map((group) => [nameOf(group), decideGroup({ group, selected: standingsOf(group), settings }, now)]),
  );
}

/** A fleet over lists. */
export function fleetOf({
  servers,
  firmwares,
  groups,
  bmcs,
  discovered,
}: Pick<PlanFacts, 'servers' | 'firmwares' | 'groups' | 'bmcs' | 'discovered'>): Fleet {
  return createFleet({
    servers: createTable(servers, serverIndexers),
    firmwares: createTable(firmwares, firmwareIndexers),
    groups: createTable(groups),
    bmcs: createTable(bmcs),
    discovered,
  });
}

/** The name of an object; every object of a listing has one. */
export function nameOf({ metadata }: { readonly metadata?: { readonly name?: string } | undefined }): string {
  return metadata?.name ?? '';
}
