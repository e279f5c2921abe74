import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DiscoveredFirmware,
  excludeLabel,
  type Firmware,
  ironcoreApiVersion,
  operationAnnotation,
  parkedAnnotation,
} from '../../api/index.ts';
import { desiredHash, desiredOf } from '../server/desired.ts';
import {
  ago,
  planFacts,
  plannedBmc,
  plannedFirmware,
  plannedGroup,
  plannedServer,
  planReading,
  planTime,
} from '../testing/plan-facts.ts';
import { fw } from '../testing/rig.ts';
import type { ServerPlan } from './plan.ts';
import { type PlanOrder, planFirmware } from './plan-firmware.ts';
import type { PlanFacts } from './settle-fleet.ts';

const plan = (facts: PlanFacts, more: Partial<PlanOrder> = {}) =>
  planFirmware({ facts, reading: planReading, ...more }, planTime);

function only(facts: PlanFacts): ServerPlan {
  const { servers } = plan(facts);
  assert.equal(servers.length, 1);
  return servers[0] as ServerPlan;
}

const codesOf = ({ reasons }: ServerPlan): string[] => reasons.map(({ code }) => code);

describe('what would be installed', () => {
  test('is what the controller would ask for, in the order and with the restarts of the flasher', () => {
    const installed = [fw('nic', '1', 'Intel'), fw('bmc', '1', 'Lenovo'), fw('psu', '1', 'ACME')];
    const own = [fw('nic', '2', 'Intel'), fw('bmc', '2', 'Lenovo'), fw('psu', '2', 'ACME')];
    const facts = planFacts({
      servers: [plannedServer('s', { status: { powerState: 'Off' } })],
      firmwares: [plannedFirmware('s', { own, bios: '9', installed, status: { bios: { version: '8' } } })],
    });
    const server = only(facts);
    assert.equal(server.state, 'update');
    assert.deepEqual(
      server.installs.map(({ order, name, installed: from, wanted, restarts, isByItself }) => [
        order,
        name,
        from,
        wanted,
        restarts,
        isByItself,
      ]),
      [
        // XCC wants to be told.
        [1, 'bmc', '1', '2', 'bmc', false],
        [2, 'bios', '8', '9', 'host', false],
        [3, 'nic', '1', '2', 'host', false],
        [4, 'psu', '1', '2', 'none', false],
      ],
    );
    assert.deepEqual([server.hostReboots, server.bmcRestarts, server.isHostOff], [2, 1, true]);
    assert.deepEqual(server.asks, ['update']);
  });

  test('goes by the maker of the BMC where that is not the maker of the server', () => {
    const bmc = plannedBmc('b', { manufacturer: 'OpenBMC', model: 'OpenBmc' });
    const firmwares = [plannedFirmware('s', { bios: '2', status: { bios: { version: '1' } } })];
    const server = only(planFacts({ servers: [plannedServer('s', { bmc: 'b' })], firmwares, bmcs: [bmc] }));
    assert.equal(server.installs[0]?.isHostOff, true);
  });

  test('is told of before a scan that is due as far as the last one goes, and not at all before the first', () => {
    const stale = plannedFirmware('a', {
      own: [fw('nic', '2')],
      installed: [fw('nic', '1')],
      status: { lastScanTime: ago(60) },
    });
    const fresh = plannedFirmware('b', { own: [fw('nic', '2')], isNeverScanned: true });
    const facts = planFacts({ servers: [plannedServer('a'), plannedServer('b')], firmwares: [stale, fresh] });
    const [a, b] = plan(facts).servers as [ServerPlan, ServerPlan];
    assert.deepEqual([a.state, a.isScanFirst, a.asks, a.installs.length], ['update', true, ['scan'], 1]);
    assert.deepEqual([b.state, b.asks, b.installs.length, codesOf(b)], ['scan', ['scan'], 0, ['NeverScanned']]);
    assert.equal(plan(facts).totals.scans, 2);
  });

  test('says who wants it: the group, an override of it, or the server alone', () => {
    const group = plannedGroup('g', { firmwares: [fw('nic', '2'), fw('ssd', '2')] });
    const firmware = plannedFirmware('s', {
      labels: { group: 'g' },
      group: 'g',
      entries: [fw('nic', '2')],
      own: [fw('ssd', '3'), fw('gpu', '3')],
      installed: [fw('nic', '1'), fw('ssd', '1'), fw('gpu', '1')],
    });
    const server = only(planFacts({ servers: [plannedServer('s')], firmwares: [firmware], groups: [group] }));
    assert.deepEqual(Object.fromEntries(server.installs.map(({ name, wantedBy }) => [name, wantedBy])), {
      nic: { kind: 'group', group: 'g' },
      ssd: { kind: 'override', group: 'g', groupVersion: '2' },
      gpu: { kind: 'server' },
    });
  });

  test('an entry that applies to no installed part is not asked for, and says why', () => {
    const own = [fw('nic', '2'), fw('gpu', '3')];
    const firmwares = [plannedFirmware('s', { own, installed: [fw('nic', '1')] })];
    const server = only(planFacts({ servers: [plannedServer('s')], firmwares }));
    assert.deepEqual([server.state, server.asks, server.hostReboots], ['update', ['update'], 1]);
    assert.deepEqual(
      server.installs.map(({ name, relation, restarts }) => [name, relation, restarts]),
      [['nic', 'different', 'host']],
    );
    assert.deepEqual(
      server.waiting.map(({ name, relation, reason }) => [name, relation, reason]),
      [['gpu', 'missing', 'NotApplicable']],
    );
  });

  test('warns of versions that discovery did not find', () => {
    const discovered: DiscoveredFirmware = {
      apiVersion: ironcoreApiVersion,
      kind: 'DiscoveredFirmware',
      metadata: { name: 'm' },
      spec: { manufacturer: 'LENOVO', model: '7X21' },
      status: { lastDiscoveryTime: ago(5), firmwares: [{ name: 'nic', manufacturer: 'ACME', versions: ['1', '2'] }] },
    };
    const planned = (version: string): ServerPlan =>
      only(
        planFacts({
          servers: [plannedServer('s')],
          firmwares: [plannedFirmware('s', { own: [fw('nic', version)], installed: [fw('nic', '0')] })],
          discovered: [discovered],
        }),
      );
    assert.deepEqual(planned('2').notes, []);
    assert.match(
      planned('3').notes[0]?.message ?? '',
      /nic 3 is not among the newest versions .*\(1, 2; spec\.versionsToStore of DiscoveredFirmware m is 3\)/,
    );
  });
});

describe('a version that is listed for another product', () => {
  const part = (model: string, version: string) => ({ ...fw('nic', version), model, slot: model });
  const products = ['A', 'B'].map((model, at) => ({ ...part(model, ''), versions: ['1', `${at + 2}`] }));
  const discovered: DiscoveredFirmware = {
    ...{ apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata: { name: 'm' } },
    spec: { manufacturer: 'LENOVO', model: '7X21' },
    status: {
      lastDiscoveryTime: ago(5),
      firmwares: products.map(({ slot: _, version: __, ...product }) => product),
    },
  };
  const planOf = (...own: Firmware[]): ServerPlan => {
    const firmwares = [plannedFirmware('s', { own, installed: [part('A', '1'), part('B', '1')] })];
    return only(planFacts({ servers: [plannedServer('s')], firmwares, discovered: [discovered] }));
  };
  const ofA = { ...fw('nic', '3'), model: 'A' };

  test('is asked for, and is no install of the plan', () => {
    const { state, installs, waiting, notes, hostReboots } = planOf(ofA);
    assert.deepEqual([state, installs, hostReboots], ['update', [], 0]);
    assert.deepEqual(
      waiting.map(({ model, wanted, reason }) => [model, wanted, reason]),
      [['A', '3', 'NotApplicable']],
    );
    const message = /^nic A \(ACME\) 3 is listed for other products than nic ACME A in A\. /;
    assert.match(notes.find(({ code }) => code === 'NotApplicable')?.message ?? '', message);
  });

  test('leaves the installs of other entries in the plan', () => {
    const { installs, waiting } = planOf(ofA, { ...fw('nic', '3'), model: 'B' });
    assert.deepEqual([installs.map(({ model }) => model), waiting.map(({ model }) => model)], [['B'], ['A']]);
  });
});

describe('a group that has not written yet', () => {
  test('is planned as if it had', () => {
    const group = plannedGroup('g', { firmwares: [fw('nic', '2')] });
    const firmwares = [
      plannedFirmware('a', { labels: { group: 'g' }, installed: [fw('nic', '1')] }),
      plannedFirmware('b', { labels: { group: 'g' }, own: [fw('nic', '7')], installed: [fw('nic', '7')] }),
      plannedFirmware('c', { group: 'g', entries: [fw('nic', '1')], installed: [fw('nic', '1')] }),
    ];
    const servers = ['a', 'b', 'c'].map((name) => plannedServer(name));
    const { servers: plans, groups, totals } = plan(planFacts({ servers, firmwares, groups: [group] }));
    const [a, b, c] = plans as [ServerPlan, ServerPlan, ServerPlan];
    assert.deepEqual([a.state, a.installs[0]?.wantedBy], ['update', { kind: 'group', group: 'g' }]);
    assert.deepEqual(a.writes, { group: 'g', set: [fw('nic', '2')], takenBack: [] });
    assert.deepEqual([b.state, b.installs], ['up-to-date', []]);
    assert.deepEqual([c.state, c.writes?.takenBack], ['no-target', [fw('nic', '1')]]);
    assert.deepEqual([groups[0]?.serversInGroup, groups[0]?.writesTo], [2, 2]);
    assert.deepEqual([totals.writes, totals.updates, totals.hostReboots], [3, 1, 1]);
  });

  test('and is paused or halted shows what it holds back', () => {
    const halted = {
      conditions: [
        {
          type: 'Halted',
          status: 'True' as const,
          reason: 'TooManyFailed',
          message: '',
          lastTransitionTime: ago(9),
          observedGeneration: 1,
        },
      ],
    };
    const groups = [
      plannedGroup('paused', { firmwares: [fw('nic', '2')], paused: true }),
      plannedGroup('halted', { firmwares: [fw('nic', '2')] }, { status: halted }),
    ];
    const inGroup = (name: string, group: string) =>
      plannedFirmware(name, { labels: { group }, own: [fw('ssd', '2')], installed: [fw('nic', '1'), fw('ssd', '2')] });
    const firmwares = [inGroup('a', 'paused'), inGroup('b', 'halted')];
    const { servers } = plan(planFacts({ servers: [plannedServer('a'), plannedServer('b')], firmwares, groups }));
    assert.deepEqual(
      servers.map((each) => [each.state, codesOf(each), each.waiting.map(({ name, reason }) => `${name} ${reason}`)]),
      [
        ['blocked', ['GroupPaused'], ['nic GroupPaused']],
        ['blocked', ['GroupHalted'], ['nic GroupHalted']],
      ],
    );
  });

  test('and was told to try again lets its servers try again', () => {
    const entries = [fw('nic', '2')];
    const group = plannedGroup('g', { firmwares: entries }, { annotations: { [operationAnnotation]: 'retry' } });
    const bare = plannedFirmware('s', {
      labels: { group: 'g' },
      group: 'g',
      entries,
      installed: [fw('nic', '1')],
    });
    const hash = desiredHash(desiredOf(bare, 'Lenovo'));
    const attempts = { desiredHash: hash, failed: 3, lastFailureTime: ago(1), message: 'broken.' };
    const firmware = { ...bare, status: { ...bare.status, attempts } };
    const facts = (groups: PlanFacts['groups']) =>
      planFacts({ servers: [plannedServer('s')], firmwares: [firmware], groups });
    assert.equal(only(facts([group])).state, 'update');
    const told = only(facts([plannedGroup('g', { firmwares: entries })]));
    assert.deepEqual([told.state, codesOf(told)], ['blocked', ['AttemptsExhausted']]);
    assert.match(told.reasons[0]?.message ?? '', /3 attempts .* broken\..*retry/);
  });
});

describe('what is blocked, and why', () => {
  const differing = { own: [fw('nic', '2')], installed: [fw('nic', '1')] };
  const withServer = (server: ReturnType<typeof plannedServer>) =>
    only(planFacts({ servers: [server], firmwares: [plannedFirmware('s', differing)] }));

  test('servers that are left alone', () => {
    const cases: [ReturnType<typeof plannedServer>, string][] = [
      [plannedServer('s', { labels: { [excludeLabel]: '' } }), 'Excluded'],
      [plannedServer('s', { annotations: { [parkedAnnotation]: 'true' } }), 'ServerParked'],
      [plannedServer('s', { annotations: { [operationAnnotation]: 'ignore' } }), 'ServerIgnored'],
    ];
    for (const [server, code] of cases) {
      const planned = withServer(server);
      assert.deepEqual([planned.state, codesOf(planned), planned.waiting[0]?.reason], ['inert', [code], code]);
    }
  });

  test('servers that are missing, claimed twice, or not taken on', () => {
    const firmwares = [plannedFirmware('a', { server: 's' }), plannedFirmware('z', { server: 's' })];
    const { servers } = plan(planFacts({ servers: [plannedServer('s')], firmwares }));
    assert.deepEqual(servers.map(codesOf), [['NoTarget'], ['DuplicateServer']]);
    assert.deepEqual(codesOf(only(planFacts({ firmwares: [plannedFirmware('s')] }))), ['ServerNotFound']);
    const bare = plan(
      planFacts({ servers: [plannedServer('a'), plannedServer('b', { labels: { [excludeLabel]: '' } })] }),
    );
    assert.deepEqual(bare.servers.map(codesOf), [['NoServerFirmware'], ['Excluded']]);
  });

  test('servers that groups do not agree on or are not for', () => {
    const labels = { group: 'g', env: 'prod' };
    const both = plannedGroup('h', { serverSelector: { matchLabels: { env: 'prod' } } });
    const facts = (groups: PlanFacts['groups'], status = {}) =>
      planFacts({ servers: [plannedServer('s', { status })], firmwares: [plannedFirmware('s', { labels })], groups });
    assert.deepEqual(codesOf(only(facts([plannedGroup('g'), both]))), ['SelectorConflict']);
    assert.deepEqual(codesOf(only(facts([plannedGroup('g', { model: 'other' })]))), ['OtherHardware']);
    assert.deepEqual(codesOf(only(facts([plannedGroup('g')], { model: '' }))), ['HardwareUnknown']);
  });

  test('servers whose request is under way, has just failed, or was not taken', () => {
    const request = { kind: 'Scan' as const, jobID: 'j', time: ago(2) };
    const firmware = (status: object) => plannedFirmware('s', { ...differing, status });
    const planned = (status: object) =>
      only(planFacts({ servers: [plannedServer('s')], firmwares: [firmware(status)] }));
    const open = planned({ request });
    assert.deepEqual([open.state, codesOf(open), open.asks], ['under-way', ['ScanRequested'], []]);
    const desired = desiredHash(desiredOf(firmware({}), 'Lenovo'));
    const failed = planned({ attempts: { desiredHash: desired, failed: 2, lastFailureTime: ago(1), message: 'no.' } });
    assert.deepEqual([failed.state, codesOf(failed), failed.reasons[0]?.until], ['waits', ['UpdateFailed'], ago(-1)]);
    const notFound = {
      type: 'Progressing',
      status: 'False' as const,
      reason: 'FirmwareNotFound',
      message: 'nic 2 is nowhere',
      lastTransitionTime: ago(3),
      observedGeneration: 1,
    };
    const refused = planned({ conditions: [notFound] });
    assert.deepEqual([refused.state, codesOf(refused)], ['blocked', ['FirmwareNotFound']]);
    assert.deepEqual(
      refused.waiting.map(({ reason }) => reason),
      ['FirmwareNotFound'],
    );
    const old = planned({ conditions: [{ ...notFound, observedGeneration: 0 }] });
    assert.equal(old.state, 'update', 'what was refused of another list says nothing of this one');
  });
});

test('an update of a machine in use is told to wait, and nothing is said of its power', () => {
  const differing = plannedFirmware('s', { own: [fw('nic', '2')], installed: [fw('nic', '1')] });
  const servers = [plannedServer('s', { status: { powerState: 'Off' } })];
  const facts = planFacts({ servers, firmwares: [differing] });
  const told = (inUse: ReadonlyMap<string, string>) => {
    const [server] = plan({ ...facts, inUse }).servers;
    return [server?.state, server?.notes.filter(({ code }) => code === 'HostInUse'), server?.isHostOff];
  };
  const message = 'a host runs on it.';
  assert.deepEqual(told(new Map([['uuid-s', message]])), ['update', [{ code: 'HostInUse', message }], false]);
  assert.deepEqual(told(new Map([['uuid-t', message]])), ['update', [], true]);
});

test('only those that are chosen are told of, and the rest still counts for their groups', () => {
  const firmwares = ['a', 'b'].map((name) => plannedFirmware(name, { labels: { group: 'g', name } }));
  const facts = planFacts({
    servers: firmwares.map(({ spec }) => plannedServer(spec.serverRef.name)),
    firmwares,
    groups: [plannedGroup('g'), plannedGroup('h')],
  });
  const { servers, groups, totals } = plan(facts, { isChosen: ({ labels }) => labels?.name === 'b' });
  assert.deepEqual(
    servers.map(({ server }) => server),
    ['b'],
  );
  assert.deepEqual(
    groups.map(({ name, serversInGroup }) => [name, serversInGroup]),
    [['g', 2]],
  );
  assert.equal(totals.servers, 1);
});
