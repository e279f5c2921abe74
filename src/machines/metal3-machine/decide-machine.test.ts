import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BareMetalHost, Metal3Machine, NetworkConfiguration } from '../../api/index.ts';
import { checkTable, type KubeObject } from '../../kube/index.ts';
import {
  configureNetwork,
  deconfigureNetwork,
  machinePortsAnnotation,
  reconfigureNetwork,
} from '../../network/index.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import {
  aCluster,
  aHost,
  aMachine,
  aMetal3Cluster,
  aMetal3Machine,
  consumer,
  readerOf,
  type tablesOf,
} from '../testing/objects.ts';
import { decideMetal3Machine, type Metal3MachineDecision } from './decide-machine.ts';
import { machineTable } from './machine-table.ts';
import { readMachineSeen } from './read-machine.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const image = { url: 'http://images.example/node.qcow2', checksum: 'abc' };

type Given = Parameters<typeof tablesOf>[0] & Parameters<typeof readerOf>[1];

async function decide(object: Metal3Machine & KubeObject, given: Given = {}): Promise<Metal3MachineDecision> {
  const { node, network, ...objects } = given;
  const more = { ...(node === undefined ? {} : { node }), ...(network === undefined ? {} : { network }) };
  const reader = readerOf({ metal3Machines: [object], machines: [aMachine('m1')], ...objects }, more);
  const seen = await readMachineSeen(reader, 'fleet/m1');
  assert.ok(seen !== undefined);
  return decideMetal3Machine(seen, now);
}

function conditionOf({ status }: Metal3MachineDecision, type: string): string | undefined {
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

function patchOf({ effects }: Metal3MachineDecision) {
  const found = effects.find((effect) => effect.kind === 'write-host');
  return found?.kind === 'write-host' ? found.patch : undefined;
}

const held = aHost('h1', { spec: { consumerRef: consumer('m1') } });
const running = aHost('h1', {
  spec: { consumerRef: consumer('m1'), image, userData: { name: 'boot' } },
  state: 'provisioned',
});

/** Ports that are as they should be already. */
const asIs = { reconfigureNetwork: () => ({ kind: 'fits', ports: undefined }) as const };

test('its table can be gone through', () => assert.deepEqual(checkTable(machineTable), []));

describe('what comes before a host is taken', () => {
  const unready = aCluster({ isReady: false });
  const cases: readonly [string, Metal3Machine & KubeObject, Given, string][] = [
    ['a Machine that owns it', aMetal3Machine('m1', { isAlone: true }), {}, 'WaitingForMetal3MachineOwnerRef'],
    ['its Cluster', aMetal3Machine('m1'), { clusters: [] }, 'WaitingForCluster'],
    ['the Metal3Cluster', aMetal3Machine('m1'), { metal3Clusters: [] }, 'WaitingForMetal3Cluster'],
    ['the infrastructure', aMetal3Machine('m1'), { clusters: [unready] }, 'WaitingForClusterInfrastructure'],
    [
      'the bootstrap data',
      aMetal3Machine('m1'),
      { machines: [aMachine('m1', { spec: { bootstrap: {} } })] },
      'WaitingForBootstrapReady',
    ],
    [
      'data that is not rendered here',
      aMetal3Machine('m1', { spec: { dataTemplate: { name: 'd' } } }),
      {},
      'DataTemplateNotServed',
    ],
    [
      'a Secret of its own namespace',
      aMetal3Machine('m1', { spec: { userData: { name: 's', namespace: 'other' } } }),
      {},
      'SecretNotAllowed',
    ],
  ];
  for (const [name, object, given, reason] of cases) {
    test(name, async () => {
      const decision = await decide(object, { hosts: [aHost('h1')], ...given });
      assert.deepEqual(decision.effects, []);
      assert.equal(conditionOf(decision, 'Ready'), `False ${reason}`);
      assert.equal(conditionOf(decision, 'AssociateBareMetalHost'), `False ${reason}`);
    });
  }

  test('a template of data is said not to be served; with Secrets named instead the machine goes on', async () => {
    const spec = { dataTemplate: { name: 'd' }, metaData: { name: 'meta' } };
    const decision = await decide(aMetal3Machine('m1', { spec, host: 'h1' }), { hosts: [aHost('h1')] });
    assert.equal(conditionOf(decision, 'Unsupported'), 'True DataTemplateNotServed');
    const [claim] = decision.effects;
    assert.deepEqual(claim?.kind === 'claim-host' && claim.patch.spec?.metaData, { name: 'meta', namespace: 'fleet' });
  });

  test('an older Cluster API tells by a condition that the infrastructure is there', async () => {
    const conditions = [{ type: 'InfrastructureReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const cluster = { ...unready, status: { deprecated: { v1beta1: { conditions } } } };
    const decision = await decide(aMetal3Machine('m1'), { clusters: [cluster], hosts: [aHost('h1')] });
    assert.equal(decision.effects[0]?.kind, 'choose');
  });
});

describe('how a host is taken', () => {
  test('it is noted down first, with the finalizer, before anything is done to it', async () => {
    const decision = await decide(aMetal3Machine('m1'), { hosts: [aHost('h1')] });
    assert.deepEqual(
      decision.effects.map(({ kind }) => kind),
      ['choose'],
    );
    assert.equal(decision.status, undefined);
  });

  test('then taken in one write of exactly the version seen, with all that it runs', async () => {
    const spec = { image: { ...image, diskFormat: 'raw' as const }, automatedCleaningMode: 'disabled' as const };
    const hosts = [aHost('h1', { spec: { bmc: { address: 'x', credentialsName: 'bmc' } } })];
    const decision = await decide(aMetal3Machine('m1', { host: 'h1', spec }), { hosts });
    const [claim, label] = decision.effects;
    assert.deepEqual(claim?.kind === 'claim-host' && claim.patch, {
      metadata: {
        resourceVersion: '1',
        uid: 'uid-h1',
        labels: { 'cluster.x-k8s.io/cluster-name': 'prod', 'infrastructure.cluster.x-k8s.io/node-reuse': null },
      },
      spec: {
        image: { ...image, format: 'raw' },
        userData: { name: 'boot', namespace: 'fleet' },
        automatedCleaningMode: 'disabled',
        online: true,
        consumerRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'Metal3Machine',
          name: 'm1',
          namespace: 'fleet',
        },
      },
    });
    assert.deepEqual(label?.kind === 'label-secret' && [label.secret, label.cluster], ['bmc', 'prod']);
  });

  test('a chosen host that another machine got is let go of, and another chosen', async () => {
    const hosts = [aHost('h1', { spec: { consumerRef: consumer('other') } }), aHost('h2')];
    const { effects } = await decide(aMetal3Machine('m1', { host: 'h1' }), { hosts });
    assert.deepEqual(
      effects.map((effect) => [effect.kind, 'host' in effect ? effect.host : '']),
      [['choose', 'h2']],
    );
  });

  test('the network is brought to the host in the same write', async () => {
    const wanted = [{ ConfigurationRef: { name: 'nc1' } }];
    const ports = [{ mac: '52:54:00:00:00:01', port: { name: 'p1' }, configuration: { name: 'nc1' } }];
    const network = {
      filter: (_: unknown, host: KubeObject) => (host.metadata?.name === 'h1' ? undefined : 'wrong ports'),
      configureNetwork: () => ({ kind: 'fits', ports }) as const,
      ...asIs,
      deconfigureNetwork: () => [],
    };
    const object = aMetal3Machine('m1', { host: 'h1', spec: { networkConfiguration: wanted } });
    const { effects } = await decide(object, { hosts: [aHost('h1')], network });
    const [claim] = effects;
    assert.ok(claim?.kind === 'claim-host');
    assert.deepEqual(claim.patch.spec?.ports, ports);
    assert.deepEqual(claim.patch.metadata.annotations, { [machinePortsAnnotation]: '52:54:00:00:00:01=fleet/nc1' });
    const refused = await decide(object, { hosts: [aHost('h2')], network });
    assert.match(conditionOf(refused, 'Ready') ?? '', /NoHostAvailable/);
  });

  test('a host that lost a port for its networks is not told to run anything, and it is said why', async () => {
    const network = {
      filter: () => undefined,
      configureNetwork: () => ({ kind: 'unfit', message: 'the host h1 has no interface' }) as const,
      ...asIs,
      deconfigureNetwork: () => undefined,
    };
    const spec = { networkConfiguration: [{ ConfigurationRef: { name: 'nc1' } }] };
    const object = aMetal3Machine('m1', { host: 'h1', spec });
    for (const host of [aHost('h1'), held]) {
      const decision = await decide(object, { hosts: [host], network });
      assert.deepEqual(decision.effects, []);
      assert.equal(conditionOf(decision, 'Ready'), 'False NetworkConfigurationUnfit');
    }
  });

  test('where networks of machines are not served, a machine that asks for one finds no host', async () => {
    const object = aMetal3Machine('m1', { spec: { networkConfiguration: [{ ConfigurationRef: { name: 'nc1' } }] } });
    const decision = await decide(object, { hosts: [aHost('h1')] });
    assert.deepEqual(decision.effects, []);
    assert.match(decision.why[0]?.message ?? '', /1 without the right switch ports/);
  });

  test('a host that it has, but was not told what to run, is told', async () => {
    const { effects } = await decide(aMetal3Machine('m1', { host: 'h1' }), { hosts: [held] });
    assert.deepEqual(effects[0]?.kind === 'write-host' && effects[0].key, 'deploy/fleet/m1');
  });

  test('a machine that was moved here is held again', async () => {
    const { effects } = await decide(aMetal3Machine('m1'), { hosts: [running] });
    assert.deepEqual(
      effects.map(({ kind }) => kind),
      ['choose'],
    );
  });
});

describe('how a machine becomes ready', () => {
  const object = aMetal3Machine('m1', { host: 'h1' });
  const node = (more: object): NodeSearch => ({
    kind: 'found',
    isFollowed: true,
    node: { metadata: { name: 'n' }, ...more },
  });

  test('while the host is provisioned it says so, and what is wrong with it', async () => {
    const busy = aHost('h1', { spec: running.spec ?? {}, state: 'provisioning', status: { errorMessage: 'no disk' } });
    const decision = await decide(object, { hosts: [busy] });
    assert.equal(conditionOf(decision, 'Ready'), 'False HostError');
    assert.match(decision.why[0]?.message ?? '', /h1 is provisioning: no disk/);
    assert.equal(conditionOf(decision, 'AssociateBareMetalHost'), 'True AssociateBareMetalHostSuccess');
  });

  test('its node is waited for, and looked for again', async () => {
    const decision = await decide(object, { hosts: [running] });
    assert.equal(conditionOf(decision, 'Ready'), 'False WaitingForNode');
    assert.deepEqual(decision.wake, { after: 10_000 });
    assert.equal(decision.status?.initialization, undefined);
  });

  test('a cluster that cannot be asked is said to be so', async () => {
    const decision = await decide(object, { hosts: [running], node: { kind: 'unreachable', message: 'no answer' } });
    assert.equal(conditionOf(decision, 'Ready'), 'False ClusterUnreachable');
  });

  test('the node and the machine get the same id, the node first', async () => {
    const { effects } = await decide(object, { hosts: [running], node: node({}) });
    assert.deepEqual(
      effects.map((effect) => [effect.kind, 'providerId' in effect && effect.providerId]),
      [
        ['name-node', 'metal3://fleet/h1/m1'],
        ['set-provider-id', 'metal3://fleet/h1/m1'],
      ],
    );
  });

  test('an id that the node has already is taken over, and one that a cloud provider gives is waited for', async () => {
    const named = await decide(object, { hosts: [running], node: node({ spec: { providerID: 'cloud://1' } }) });
    assert.deepEqual(
      named.effects.map((effect) => [effect.kind, 'providerId' in effect && effect.providerId]),
      [['set-provider-id', 'cloud://1']],
    );
    const metal3Clusters = [aMetal3Cluster({ cloudProviderEnabled: true })];
    assert.deepEqual((await decide(object, { hosts: [running], node: node({}), metal3Clusters })).effects, []);
  });

  test('with the id it is provisioned, and stays so whatever becomes of the host', async () => {
    const named = aMetal3Machine('m1', { host: 'h1', spec: { providerID: 'metal3://fleet/h1/m1' } });
    const decision = await decide(named, { hosts: [running] });
    assert.equal(conditionOf(decision, 'Ready'), 'True Ready');
    assert.deepEqual(decision.status?.initialization, { provisioned: true });
    const legacy = decision.status?.deprecated?.v1beta1?.conditions?.map(({ type, status }) => `${type} ${status}`);
    assert.deepEqual(legacy, ['Ready True', 'AssociateBareMetalHost True']);
    const { status } = decision;
    const lost = await decide({ ...named, ...(status === undefined ? {} : { status }) }, { hosts: [aHost('h2')] });
    assert.equal(conditionOf(lost, 'Ready'), 'False HostMissing');
    assert.deepEqual([lost.effects, lost.status?.initialization], [[], { provisioned: true }]);
  });

  test('other networks that it asks for while its host runs are brought there, and those it needs no more go', async () => {
    const entry = (at: number) => ({ mac: `52:54:00:00:00:0${at}`, port: { name: `p${at}`, namespace: 'infra' } });
    const link = (name: string) => ({ configuration: { name, namespace: 'fleet' } });
    const annotations = { [machinePortsAnnotation]: `${entry(1).mac}=fleet/nc1` };
    const nics = [1, 2, 3].map((at) => ({ name: `eth${at}`, mac: entry(at).mac }));
    const ports = [{ ...entry(1), ...link('nc1') }, entry(2), { ...entry(3), ...link('of-the-owner') }];
    const host = aHost('h1', {
      spec: { ...running.spec, ports },
      state: 'provisioned',
      annotations,
      status: { hardware: { nics } },
    });
    const network = {
      filter: () => undefined,
      configureNetwork: (wanted: NetworkConfiguration, of: BareMetalHost) =>
        configureNetwork(of, { networkConfiguration: wanted }),
      reconfigureNetwork: (wanted: NetworkConfiguration, of: BareMetalHost, written: readonly string[]) =>
        reconfigureNetwork(of, { networkConfiguration: wanted }, written),
      deconfigureNetwork,
    };
    const asking = (...needs: readonly [string, string][]) => {
      const networkConfiguration = needs.map(([name, nic]) => ({ ConfigurationRef: { name }, nicHint: { name: nic } }));
      const spec = { providerID: 'metal3://fleet/h1/m1', networkConfiguration };
      return decide(aMetal3Machine('m1', { host: 'h1', spec }), { hosts: [host], network });
    };
    assert.deepEqual((await asking(['nc1', 'eth1'])).effects, []);
    const moved = patchOf(await asking(['nc2', 'eth2']));
    assert.deepEqual(moved?.spec?.ports, [entry(1), { ...entry(2), ...link('nc2') }, ports[2]]);
    assert.deepEqual(moved?.metadata.annotations, { [machinePortsAnnotation]: `${entry(2).mac}=fleet/nc2` });
    assert.deepEqual(patchOf(await asking())?.spec?.ports, [entry(1), entry(2), ports[2]]);
    const unfit = await asking(['nc2', 'eth9']);
    assert.deepEqual([unfit.effects, conditionOf(unfit, 'Ready')], [[], 'True Ready']);
    const ready = unfit.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.match(ready?.message ?? '', /cannot have its networkConfiguration: .* nc2 \(eth9\)/);
  });

  test('addresses are those that inspection found', async () => {
    const hardware = {
      hostname: 'node-1',
      nics: [
        { name: 'eth0', mac: 'x', ip: '192.0.2.7' },
        { name: 'eth1', mac: 'y' },
      ],
    };
    const host = aHost('h1', {
      spec: running.spec ?? {},
      state: 'provisioned',
      status: { hardware: hardware as never },
    });
    const { status } = await decide(object, { hosts: [host] });
    assert.deepEqual(
      status?.addresses?.map(({ type, address }) => `${type} ${address}`),
      ['InternalIP 192.0.2.7', 'Hostname node-1', 'InternalDNS node-1'],
    );
  });
});

describe('how a machine goes', () => {
  const object = aMetal3Machine('m1', { host: 'h1', isGoing: true });

  test('the host is told to stop; only what was given for the machine is taken away', async () => {
    const spec = { ...running.spec, networkData: { name: 'of-the-owner' } };
    const decision = await decide(object, { hosts: [aHost('h1', { spec, state: 'provisioned' })] });
    assert.deepEqual(patchOf(decision)?.spec, { image: null, customDeploy: null, userData: null, online: false });
  });

  test('its ports are cleared only of what a machine asked for', async () => {
    const network = {
      filter: () => undefined,
      configureNetwork: () => ({ kind: 'fits', ports: undefined }) as const,
      ...asIs,
      deconfigureNetwork: () => [],
    };
    const spec = { networkConfiguration: [{ ConfigurationRef: { name: 'nc1' } }] };
    const asking = aMetal3Machine('m1', { host: 'h1', isGoing: true, spec });
    assert.deepEqual(patchOf(await decide(asking, { hosts: [running], network }))?.spec?.ports, []);
    assert.equal(patchOf(await decide(object, { hosts: [running], network }))?.spec?.ports, undefined);
  });

  test('what the machine wrote to ports is taken away, however it and its host were edited since', async () => {
    const mac = (at: number): string => `52:54:00:00:00:0${at}`;
    const entry = (at: number) => ({ mac: mac(at), port: { name: `p${at}` } });
    const ports = [
      { ...entry(1), configuration: { name: 'nc1' } },
      { ...entry(2), configuration: { name: 'of-the-owner' } },
    ];
    const network = {
      filter: () => undefined,
      configureNetwork: () => ({ kind: 'fits', ports: undefined }) as const,
      ...asIs,
      deconfigureNetwork,
    };
    const left = [entry(1), ports[1]];
    const annotations = { [machinePortsAnnotation]: mac(1) };
    const { image: _, ...stopped } = running.spec ?? { online: true };
    for (const [spec, state] of [
      [running.spec, 'provisioned'],
      [stopped, 'available'],
      [stopped, 'externally provisioned'],
    ] as const) {
      const host = aHost('h1', { spec: { ...spec, ports }, state, annotations });
      assert.deepEqual(patchOf(await decide(object, { hosts: [host], network }))?.spec?.ports, left);
    }
    const free = aHost('h1', { spec: { ...stopped, ports: [entry(1)] }, annotations });
    const released = patchOf(await decide(object, { hosts: [free], network }));
    assert.deepEqual(released?.metadata.annotations, { [machinePortsAnnotation]: null });
  });

  test('a host that must not be powered off stays on', async () => {
    const spec = { ...running.spec, disablePowerOff: true, online: true };
    const decision = await decide(object, { hosts: [aHost('h1', { spec, state: 'provisioned' })] });
    assert.equal(patchOf(decision)?.spec?.online, true);
  });

  for (const state of ['provisioned', 'deprovisioning', 'preparing', 'provisioning', 'deleting'] as const) {
    test(`a host that is ${state} is waited for`, async () => {
      const decision = await decide(object, { hosts: [aHost('h1', { spec: held.spec ?? {}, state })] });
      assert.deepEqual([decision.effects, decision.state], [[], 'Deprovisioning']);
    });
  }

  test('a free host is given back, then the machine is let go of', async () => {
    const decision = await decide(object, { hosts: [held] });
    assert.deepEqual(patchOf(decision), {
      metadata: { resourceVersion: '1', uid: 'uid-h1', labels: { 'cluster.x-k8s.io/cluster-name': null } },
      spec: { consumerRef: null },
    });
    const { effects } = await decide(object, { hosts: [aHost('h1')] });
    assert.deepEqual(
      effects.map(({ kind }) => kind),
      ['remove-finalizer'],
    );
  });

  test('a host that is gone does not hold it', async () => {
    const { effects } = await decide(aMetal3Machine('m1', { host: 'h1', isGoing: true, spec: { providerID: 'x' } }));
    assert.deepEqual(
      effects.map(({ kind }) => kind),
      ['remove-finalizer'],
    );
  });

  test('neither do things that are missing: Machine, Cluster, Metal3Cluster', async () => {
    const decision = await decide(object, { hosts: [running], machines: [], clusters: [], metal3Clusters: [] });
    assert.equal(patchOf(decision)?.spec?.image, null);
  });

  test('a host that somebody else installed is switched off and then given back', async () => {
    const own = { consumerRef: consumer('m1'), externallyProvisioned: true, online: true };
    const on = aHost('h1', { spec: own, state: 'externally provisioned', status: { poweredOn: true } });
    assert.deepEqual(patchOf(await decide(object, { hosts: [on] }))?.spec, { online: false });
    const going = aHost('h1', {
      spec: { ...own, online: false },
      state: 'externally provisioned',
      status: { poweredOn: true },
    });
    assert.deepEqual((await decide(object, { hosts: [going] })).effects, []);
    const off = aHost('h1', { spec: { ...own, online: false }, state: 'externally provisioned' });
    assert.deepEqual(patchOf(await decide(object, { hosts: [off] }))?.spec, { consumerRef: null });
  });
});

describe('pause', () => {
  test('nothing is done but to pause the host too, once', async () => {
    const clusters = [aCluster({ isPaused: true })];
    const decision = await decide(aMetal3Machine('m1', { host: 'h1' }), { hosts: [running], clusters });
    assert.equal(decision.effects[0]?.key, 'pause/fleet/m1');
    assert.equal(conditionOf(decision, 'Paused'), 'True Paused');
    const annotations = { 'baremetalhost.metal3.io/paused': 'by somebody else' };
    const other = aHost('h1', { spec: running.spec ?? {}, annotations, state: 'provisioned' });
    assert.deepEqual((await decide(aMetal3Machine('m1', { host: 'h1' }), { hosts: [other], clusters })).effects, []);
    assert.deepEqual((await decide(aMetal3Machine('m1', { host: 'h1' }), { hosts: [other] })).effects, []);
  });

  test('also of the machine alone, and while it is being deleted', async () => {
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const decision = await decide(aMetal3Machine('m1', { host: 'h1', annotations, isGoing: true }), { hosts: [held] });
    assert.equal(decision.effects[0]?.key, 'pause/fleet/m1');
  });
});
