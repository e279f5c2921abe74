import assert from 'node:assert/strict';
import type { CatalogEntry, SimulatedServer } from './simulator.ts';

/** Versions of one component of one model, oldest first. */
export type Versions = readonly string[];

/** A server, and what it is called as an object. */
export interface RoleServer extends SimulatedServer {
  /** Of its Server and its ServerFirmware. */
  readonly object: string;
  /** In which of the two groups its label puts it. */
  readonly tier: Tier;
}

/** The value of the label by which the groups select. */
export type Tier = 'steady' | 'edge';

/** Who plays which part in the run. */
export interface Roles {
  readonly all: readonly RoleServer[];
  /** Of one HPE model: the group `steady`, with two components. */
  readonly steady: readonly RoleServer[];
  /** Of one Dell model: the group `edge`, with one component. */
  readonly edge: readonly RoleServer[];
  /** Of Lenovo: selected by the labels of both groups, of other hardware than either, and with wishes of their own. */
  readonly alone: readonly RoleServer[];
  /** One of `steady` with another BIOS than its group wants. */
  readonly overridden: RoleServer;
  /** One of `edge` with another BMC firmware than its group wants, and with a BIOS of its own. */
  readonly kept: RoleServer;
  readonly manufacturerOf: (server: RoleServer) => string;
  /** What can be had for a server, oldest first. */
  readonly versionsOf: (server: RoleServer, component: 'bios' | 'bmc') => Versions;
}

/** Deals the parts: each vendor has one. */
export function dealRoles(servers: readonly SimulatedServer[], catalog: readonly CatalogEntry[]): Roles {
  const all = servers.map((server, at) => ({
    ...server,
    object: `${server.name}-system-0`,
    tier: tierOf(server, at),
  }));
  const of = (personality: string) => all.filter((server) => server.personality === personality);
  const steady = of('hpe-ilo5');
  const dells = of('dell-idrac9');
  const models = Map.groupBy(dells, ({ model }) => model);
  const edge = [...models.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  const [overridden, kept] = [steady[0], edge[0]];
  assert.ok(overridden !== undefined && kept !== undefined, 'a fleet this small has not all parts');
  const entriesOf = ({ model }: SimulatedServer) => catalog.filter(({ models }) => models.includes(model));
  return {
    all,
    steady,
    edge,
    alone: of('lenovo-xcc'),
    overridden,
    kept,
    manufacturerOf: (server) =>
      entriesOf(server)[0]?.manufacturer ?? assert.fail(`nothing is known of ${server.model}`),
    versionsOf: (server, component) =>
      entriesOf(server)
        .filter((entry) => entry.component === component)
        .map(({ version }) => version),
  };
}

function tierOf({ personality }: SimulatedServer, at: number): Tier {
  if (personality === 'lenovo-xcc') return at % 2 === 0 ? 'steady' : 'edge';
  return personality === 'hpe-ilo5' ? 'steady' : 'edge';
}
