import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import {
  excludeLabel,
  type Firmware,
  groupAnnotation,
  ironcoreApiVersion,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { createFleet, type FleetTables } from '../fleet/fleet.ts';
import { firmwareIndexers, type OwnedFirmware, type OwnedServer, serverIndexers } from '../fleet/objects.ts';
import { entryKey } from '../fleet/ownership.ts';
import { createTable, type ObjectTable } from '../fleet/table.ts';
import { desiredHash } from '../server/desired.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, noOwnership } from '../testing/server-seen.ts';
import { createStandings, type MemberStanding } from './member-standing.ts';

const names = ['s0', 's1', 's2'] as const;
const versions = fc.constantFrom('1', '2');
const groupNames = fc.constantFrom('g', 'h');
/** One thing that happens to a fleet of three servers and two groups. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('install' as const), name: fc.constantFrom(...names), version: versions }),
  fc.record({ kind: fc.constant('entry' as const), name: fc.constantFrom(...names), version: versions }),
  fc.record({ kind: fc.constant('label' as const), name: fc.constantFrom(...names), group: groupNames }),
  fc.record({
    kind: fc.constant('model' as const),
    name: fc.constantFrom(...names),
    model: fc.constantFrom('7x21', 'x'),
  }),
  fc.record({ kind: fc.constant('group' as const), group: groupNames, version: versions, isForAll: fc.boolean() }),
  fc.record({ kind: fc.constant('count' as const), group: groupNames }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function aGroup(name: string, version: string, isForAll: boolean): ServerFirmwareGroup {
  const serverSelector = isForAll ? {} : { matchLabels: { group: name } };
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name },
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector, firmwares: [fw('ssd', version)] },
  };
}

class World {
  readonly firmwares = new Map<string, OwnedFirmware>();
  readonly servers = new Map<string, OwnedServer>();
  readonly groups = new Map(['g', 'h'].map((name) => [name, aGroup(name, '1', false)]));

  constructor() {
    for (const name of names) {
      const firmware = aFirmware(
        { serverRef: { name }, firmwares: [fw('ssd', '1')] },
        { group: 'g', labels: { group: 'g' } },
      );
      this.firmwares.set(name, { ...firmware, metadata: { ...firmware.metadata, name } });
      const server = aServer();
      this.servers.set(name, { ...server, metadata: { ...server.metadata, name }, ownership: noOwnership });
    }
  }

  take(each: Step): void {
    if (each.kind === 'group') return void this.groups.set(each.group, aGroup(each.group, each.version, each.isForAll));
    if (each.kind === 'count') {
      const group = this.groups.get(each.group);
      if (group !== undefined) this.groups.set(each.group, { ...group, status: { updatesApplied: 1 } });
      return;
    }
    const firmware = this.firmwares.get(each.name) ?? assert.fail();
    const put = (more: Partial<OwnedFirmware>): void => void this.firmwares.set(each.name, { ...firmware, ...more });
    if (each.kind === 'install') {
      put({ status: { lastScanTime: '2030-01-01T00:00:00Z', firmwares: [fw('ssd', each.version)] } });
    } else if (each.kind === 'entry') {
      const firmwares = [fw('ssd', each.version)];
      put({ spec: { ...firmware.spec, firmwares } });
    } else if (each.kind === 'label') {
      const annotations = { [groupAnnotation]: each.group };
      put({ metadata: { ...firmware.metadata, annotations, labels: { group: each.group } } });
    } else {
      const server = this.servers.get(each.name) ?? assert.fail();
      this.servers.set(each.name, { ...server, status: { manufacturer: 'Lenovo', model: each.model } });
    }
  }

  tables(): FleetTables {
    return {
      firmwares: createTable([...this.firmwares.values()], firmwareIndexers),
      servers: createTable([...this.servers.values()], serverIndexers),
      groups: createTable([...this.groups.values()]),
    };
  }
}

/** A table that always shows the present one. */
function present<T>(now: () => ObjectTable<T>): ObjectTable<T> {
  return {
    get: (key) => now().get(key),
    list: () => now().list(),
    byIndex: (index, value) => now().byIndex(index, value),
  };
}

test('standings that are kept are those that would be worked out anew, whatever changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const world = new World();
      let tables = world.tables();
      const context = { compare: compareVersions, maxAttempts: 3 };
      const kept = createStandings({
        ...context,
        fleet: createFleet({
          firmwares: present(() => tables.firmwares),
          servers: present(() => tables.servers),
          groups: present(() => tables.groups),
        }),
      });
      for (const each of steps) {
        world.take(each);
        tables = world.tables();
        const anew = createStandings({ ...context, fleet: createFleet(tables) });
        for (const group of world.groups.values()) assert.deepEqual(kept(group), anew(group), JSON.stringify(each));
      }
    }),
  );
});

test('a server whose objects stay is not worked out again when another one changes', () => {
  const world = new World();
  let tables = world.tables();
  let compared = 0;
  const standings = createStandings({
    maxAttempts: 3,
    compare: (question) => {
      compared += 1;
      return compareVersions(question);
    },
    fleet: createFleet({
      firmwares: present(() => tables.firmwares),
      servers: present(() => tables.servers),
      groups: present(() => tables.groups),
    }),
  });
  const count = (): number => {
    compared = 0;
    tables = world.tables();
    standings(world.groups.get('g') ?? assert.fail());
    return compared;
  };
  for (const name of names) world.take({ kind: 'install', name, version: '1' });
  assert.equal(count(), 3);
  world.take({ kind: 'count', group: 'g' });
  assert.equal(count(), 0);
  world.take({ kind: 'install', name: 's1', version: '2' });
  assert.equal(count(), 1);
});

/** How a server stands to the group g after three failed attempts at its list. */
function exhausted(
  given: { readonly own?: Firmware[]; readonly group?: Firmware[]; readonly installed: Firmware[] },
  wanted = given.group ?? [],
): MemberStanding {
  const { own = [], group = [], installed } = given;
  const firmwares = [...own, ...group];
  const bare = aFirmware({ firmwares }, { group: 'g', labels: { group: 'g' } });
  const keys = (list: readonly Firmware[]): Set<string> => new Set(list.map(entryKey));
  const ownership = { ...bare.ownership, groupEntries: keys(group), otherEntries: keys(own), otherItems: keys(own) };
  const attempts = { desiredHash: desiredHash(firmwares), failed: 3 };
  const status = { lastScanTime: '2030-01-01T00:00:00Z', firmwares: installed, attempts };
  const spec = { ...aGroup('g', '1', false).spec, firmwares: wanted };
  return standingIn({ ...bare, ownership, status }, { ...aGroup('g', '1', false), spec });
}

function standingIn(firmware: OwnedFirmware, group: ServerFirmwareGroup, labels = {}): MemberStanding {
  const server = aServer();
  const owned = { ...server, metadata: { ...server.metadata, labels }, ownership: noOwnership };
  const fleet = createFleet({
    firmwares: createTable([firmware], firmwareIndexers),
    servers: createTable([owned], serverIndexers),
    groups: createTable([group]),
  });
  const [standing] = createStandings({ fleet, compare: compareVersions, maxAttempts: 3 })(group);
  return standing ?? assert.fail('it is not selected');
}

test('a server fails its group when something that the group wants is not installed, and not for a wish of its own', () => {
  const [ssd, nic] = [fw('ssd', '2'), fw('nic', '2', 'Intel')];
  const own = exhausted({ own: [nic], group: [ssd], installed: [ssd, fw('nic', '1', 'Intel')] });
  assert.deepEqual([own.isFailed, own.isApplied, own.stoppedBy], [false, false, 'AttemptsExhausted']);
  const both = exhausted({ own: [nic], group: [ssd], installed: [fw('ssd', '1'), fw('nic', '1', 'Intel')] });
  assert.equal(both.isFailed, true);
  // The group does not want any more what failed, and could not take it back yet.
  const dropped = exhausted({ group: [ssd, nic], installed: [fw('ssd', '1'), nic] }, [nic]);
  assert.equal(dropped.isFailed, false);
  // What kept the rest from being installed may be what is dropped: without it the rest was never tried.
  const rest = exhausted({ group: [ssd, nic], installed: [fw('ssd', '1'), fw('nic', '1', 'Intel')] }, [nic]);
  assert.equal(rest.isFailed, false);
});

test('a server that is left alone says why', () => {
  const [firmware, group] = [aFirmware({}, { labels: { group: 'g' } }), aGroup('g', '1', false)];
  assert.equal(standingIn(firmware, group).stoppedBy, undefined);
  assert.equal(standingIn(firmware, group, { [excludeLabel]: 'true' }).stoppedBy, 'Excluded');
});

test('a server whose update waits for people says so, of what its group wants now alone', () => {
  const standing = (version: string, { reason = 'FirmwareNotFound', generation = 4 } = {}) => {
    const firmware = aFirmware({ firmwares: [fw('ssd', '1')] }, { group: 'g', labels: { group: 'g' } });
    const told = {
      ...({
        type: 'UpToDate',
        status: 'False',
        reason,
        message: '',
        lastTransitionTime: '2025-01-01T00:00:00Z',
      } as const),
      observedGeneration: 4,
    };
    const status = { ...firmware.status, conditions: [told] };
    const asked = { ...firmware, metadata: { ...firmware.metadata, generation }, status };
    return standingIn(asked, aGroup('g', version, false)).stoppedBy;
  };
  assert.equal(standing('1'), 'FirmwareNotFound');
  assert.equal(standing('1', { reason: 'HostInUse' }), 'HostInUse');
  assert.equal(standing('1', { reason: 'Differs' }), undefined);
  assert.equal(standing('1', { generation: 5 }), undefined, 'it was told of another list');
  assert.equal(standing('2'), undefined, 'the group wants another by now');
});
