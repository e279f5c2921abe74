import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noMachineNetwork } from '../ports.ts';
import { aHost, consumer } from '../testing/objects.ts';
import { chooseHost, type HostPreference } from './choose-host.ts';
import { judgeHost } from './judge-host.ts';
import { matchesLabels, type Requirement } from './match-labels.ts';

const wish = { selector: undefined, networkConfiguration: [], network: noMachineNetwork, reuse: undefined };
const preference: HostPreference = { ...wish, seed: 'm1', failureDomain: undefined };

describe('labels that are asked for', () => {
  const labels = { rack: 'r1', slots: '12' };
  const cases: readonly [Requirement, boolean][] = [
    [{ key: 'rack', operator: 'in', values: ['r1', 'r2'] }, true],
    [{ key: 'rack', operator: 'In', values: ['r2'] }, false],
    [{ key: 'gone', operator: 'in', values: ['r1'] }, false],
    [{ key: 'rack', operator: 'NOTIN', values: ['r2'] }, true],
    [{ key: 'gone', operator: 'notin', values: ['r2'] }, true],
    [{ key: 'rack', operator: 'exists' }, true],
    [{ key: 'gone', operator: 'Exists' }, false],
    [{ key: 'gone', operator: '!' }, true],
    [{ key: 'rack', operator: 'DoesNotExist' }, false],
    [{ key: 'rack', operator: '=', values: ['r1'] }, true],
    [{ key: 'rack', operator: '==', values: ['r2'] }, false],
    [{ key: 'rack', operator: '!=', values: ['r1'] }, false],
    [{ key: 'slots', operator: 'gt', values: ['9'] }, true],
    [{ key: 'slots', operator: 'Lt', values: ['9'] }, false],
    [{ key: 'rack', operator: 'gt', values: ['9'] }, false],
    [{ key: 'gone', operator: 'lt', values: ['9'] }, false],
    [{ key: 'rack', operator: 'about', values: ['r1'] }, false],
  ];
  for (const [each, expected] of cases) {
    test(`${each.key} ${each.operator} ${each.values ?? ''}: ${expected}`, () => {
      assert.equal(matchesLabels({ matchExpressions: [each] }, labels), expected);
    });
  }
  test('all of it must hold, and nothing asked for takes all', () => {
    assert.equal(matchesLabels({ matchLabels: { rack: 'r1', slots: '13' } }, labels), false);
    assert.equal(matchesLabels({ matchLabels: { rack: 'r1' } }, labels), true);
    assert.equal(matchesLabels({}, undefined), true);
    assert.equal(matchesLabels(undefined, labels), true);
  });
});

describe('why a host is not taken', () => {
  const image = { url: 'http://x/y', checksum: 'z' };
  const cases: readonly [string, Parameters<typeof aHost>[1], string | undefined][] = [
    ['one that is free', {}, undefined],
    ['one that is ready, as old versions say', { state: 'ready' }, undefined],
    ['one that goes', { isGoing: true }, 'Deleting'],
    ['one that another machine has', { spec: { consumerRef: consumer('other') } }, 'InUse'],
    ['one that somebody else has', { spec: { consumerRef: { kind: 'Thing', name: 'x' } } }, 'InUse'],
    ['one that was deployed by hand', { spec: { image } }, 'InUse'],
    ['one that somebody else installed', { spec: { externallyProvisioned: true } }, 'InUse'],
    ['one in error', { status: { errorMessage: 'broken' } }, 'Error'],
    ['one in error without a word', { status: { operationalStatus: 'error' } }, 'Error'],
    ['one that is paused', { annotations: { 'baremetalhost.metal3.io/paused': '' } }, 'Paused'],
    ['one in quarantine', { labels: { 'discovery.rackwright.io/quarantine': 'true' } }, 'Quarantined'],
    ['one that is unhealthy', { annotations: { 'capm3.metal3.io/unhealthy': '' } }, 'Unhealthy'],
    ['one that is unhealthy, as it was once spelled', { annotations: { 'capi.metal3.io/unhealthy': '' } }, 'Unhealthy'],
    ['one that is to be detached', { annotations: { 'baremetalhost.metal3.io/detached': '' } }, 'Detached'],
    ['one that is detached', { status: { operationalStatus: 'detached' } }, 'Detached'],
    ['one that is serviced', { status: { operationalStatus: 'servicing' } }, 'Busy'],
    ['one that is delayed', { status: { operationalStatus: 'delayed' } }, 'Busy'],
    ['one that came by itself, without a BMC', { spec: { bmc: undefined as never } }, undefined],
    ['one that is imported', { state: 'importing' }, 'NotAvailable'],
    ['one that was discovered only', { state: 'unmanaged' }, 'NotAvailable'],
    ['one that is inspected', { state: 'inspecting' }, 'NotAvailable'],
    ['one that is deprovisioned', { state: 'deprovisioning' }, 'NotAvailable'],
    [
      'one that is kept for others',
      { labels: { 'infrastructure.cluster.x-k8s.io/node-reuse': 'md-a' } },
      'KeptForReuse',
    ],
  ];
  for (const [name, more, expected] of cases) {
    test(`${name}: ${expected ?? 'taken'}`, () => assert.equal(judgeHost(aHost('h', more), wish), expected));
  }

  test('one that is a duplicate of another', () => {
    const conditions = [
      {
        type: 'DuplicateMachine',
        status: 'True' as const,
        reason: 'X',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    assert.equal(judgeHost(aHost('h', { status: { conditions } }), wish), 'Duplicate');
  });

  test('one whose switch ports do not do', () => {
    const network = { filter: () => 'no smart NIC' };
    assert.equal(judgeHost(aHost('h'), { ...wish, network }), 'Network');
  });

  test('one that is kept for this very machine is taken, also with its Cluster as consumer', () => {
    const labels = { 'infrastructure.cluster.x-k8s.io/node-reuse': 'md-a' };
    const host = aHost('h', { labels, spec: { consumerRef: { kind: 'Cluster', name: 'prod' } } });
    assert.equal(judgeHost(host, { ...wish, reuse: 'md-a' }), undefined);
    assert.equal(judgeHost(host, { ...wish, reuse: 'md-b' }), 'KeptForReuse');
  });
});

describe('which host is taken', () => {
  const chosen = (hosts: Parameters<typeof chooseHost>[1], more: Partial<HostPreference> = {}) => {
    const choice = chooseHost({ ...preference, ...more }, hosts);
    return choice.kind === 'host' ? choice.host.metadata.name : choice.code;
  };
  const near = { labels: { 'infrastructure.cluster.x-k8s.io/failure-domain': 'row-b' } };
  const kept = { labels: { 'infrastructure.cluster.x-k8s.io/node-reuse': 'md-a' } };

  test('one of the failure domain, or any where there is none', () => {
    const hosts = [aHost('h1'), aHost('h2', near), aHost('h3')];
    for (const seed of ['a', 'b', 'c', 'd', 'e']) assert.equal(chosen(hosts, { seed, failureDomain: 'row-b' }), 'h2');
    assert.notEqual(chosen(hosts, { failureDomain: 'row-z' }), 'NoHostAvailable');
  });

  test('one that is kept comes before all others, and is waited for', () => {
    const hosts = [aHost('h1'), aHost('h2', kept), aHost('h3', near)];
    for (const seed of ['a', 'b', 'c', 'd', 'e'])
      assert.equal(chosen(hosts, { seed, reuse: 'md-a', failureDomain: 'row-b' }), 'h2');
    const late = [aHost('h1'), aHost('h2', { ...kept, state: 'deprovisioning' })];
    assert.equal(chosen(late, { reuse: 'md-a' }), 'WaitingForReusedHost');
    assert.equal(chosen(late, { reuse: 'md-b' }), 'h1');
  });

  test('a kept host that will not become ready is not waited for', () => {
    const hosts = [aHost('h1'), aHost('h2', { ...kept, status: { errorMessage: 'broken' } })];
    assert.equal(chosen(hosts, { reuse: 'md-a' }), 'h1');
  });

  test('many machines spread over hosts instead of all wanting one', () => {
    const hosts = Array.from({ length: 100 }, (_, index) => aHost(`h${index}`));
    const wanted = new Set(Array.from({ length: 100 }, (_, index) => chosen(hosts, { seed: `m${index}` })));
    assert.ok(wanted.size > 50, `only ${wanted.size} different hosts`);
  });

  test('where none can be had it says why, in numbers', () => {
    const hosts = [
      aHost('h1', { state: 'inspecting' }),
      aHost('h2', { spec: { consumerRef: consumer('x') } }),
      aHost('h3', { spec: { consumerRef: consumer('y') } }),
    ];
    const choice = chooseHost(preference, hosts);
    assert.equal(
      choice.kind === 'none' && choice.message,
      'No BareMetalHost of the namespace can be taken: 2 in use, 1 not available yet.',
    );
    assert.equal(chosen([]), 'NoHostAvailable');
  });
});
