import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BareMetalHost,
  metal3ApiVersion,
  type ProvisioningState,
  type Switch,
  type SwitchPort,
  type SwitchPortConfigurationSpec,
} from '../../api/index.ts';
import { defaultNetworkSettings } from '../settings.ts';
import { aSwitch, noon } from '../testing/port-seen.ts';
import { tablesOf } from '../testing/tables.ts';
import { planNetwork } from './plan-network.ts';

const since = '2026-01-01T00:00:00Z';
const reachable = [
  { type: 'Reachable', status: 'True' as const, reason: 'Answered', message: '', lastTransitionTime: since },
];
const leaf: Switch = { ...aSwitch({ parkingVLAN: 999 }), status: { state: 'Running', conditions: reachable } };

const port: SwitchPort = {
  apiVersion: metal3ApiVersion,
  kind: 'SwitchPort',
  metadata: { name: 'p1', namespace: 'infra', generation: 1, finalizers: ['rackwright.io/network'] },
  spec: { configuration: { name: 'pxe', namespace: 'infra' } },
  status: {
    state: 'Active',
    observedGeneration: 1,
    physicalPortName: 'Ethernet1',
    configurationRef: { name: 'pxe', namespace: 'infra' },
    configuration: { untaggedVLAN: 100, disabled: false },
    observed: { untaggedVLAN: 100, disabled: false },
    lastReadTime: since,
  },
};

function configuration(namespace: string, name: string, spec: SwitchPortConfigurationSpec) {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPortConfiguration',
    metadata: { name, namespace },
    spec,
  } as const;
}

function host(state: ProvisioningState, configurationName?: string): BareMetalHost {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name: 'h1', namespace: 'tenant' },
    spec: {
      online: true,
      ports: [
        {
          mac: '52:54:00:00:00:01',
          port: { name: 'p1', namespace: 'infra' },
          provisioningConfiguration: { name: 'pxe', namespace: 'infra' },
          ...(configurationName === undefined ? {} : { configuration: { name: configurationName } }),
        },
      ],
    },
    status: { provisioning: { state } } as BareMetalHost['status'] & object,
  };
}

function plan(
  self: BareMetalHost,
  { ports = [port], only, switches = [leaf] }: { ports?: SwitchPort[]; only?: string[]; switches?: Switch[] } = {},
) {
  const tables = tablesOf({
    switches,
    ports,
    hosts: [self],
    configurations: [
      configuration('infra', 'pxe', { untaggedVLAN: 100 }),
      configuration('tenant', 'net', { untaggedVLAN: 10, vlans: '20-21' }),
      configuration('tenant', 'far', { untaggedVLAN: 66 }),
    ],
    limits: [
      {
        apiVersion: metal3ApiVersion,
        kind: 'SwitchResourceLimit',
        metadata: { name: 'user-limit', namespace: 'tenant' },
        spec: { vlanRange: '10-30' },
      },
    ],
  });
  return planNetwork({ tables, hosts: [self], settings: defaultNetworkSettings, only }, noon);
}

test('a host that was deployed takes its port to its own network, as a diff', () => {
  const { hosts, ports } = plan(host('provisioned', 'net'));
  assert.deepEqual(
    hosts.map(({ host: name, phase, verdict }) => [name, phase, verdict]),
    [['tenant/h1', 'deployed', 'waiting']],
  );
  const [one] = ports;
  assert.equal(one?.outcome, 'change');
  assert.deepEqual([one?.linked, one?.wouldLink], ['infra/pxe', 'tenant/net']);
  assert.deepEqual(
    one?.differences.map(({ aspect, seen, wanted }) => `${aspect} ${seen} ${wanted}`),
    ['untaggedVlan 100 10', 'taggedVlans none 20-21'],
  );
  assert.equal(one?.isClearedFirst, true);
});

test('without a configuration its port would be cleaned', () => {
  const [one] = plan(host('provisioned')).ports;
  assert.equal(one?.outcome, 'clean');
  assert.deepEqual(
    one?.differences.map(({ seen, wanted }) => [seen, wanted]),
    [['100', '999']],
  );
});

test('an idle port that a host wants clean would be cleaned of what was set by hand', () => {
  const { configuration: _, ...status } = port.status ?? {};
  const { configurationRef: __, ...bare } = status;
  const byHand = { ...port, spec: {}, status: { ...bare, state: 'Idle' } } as SwitchPort;
  assert.equal(plan(host('provisioned'), { ports: [byHand] }).ports[0]?.outcome, 'clean');
  assert.equal(plan(host(''), { ports: [byHand] }).ports[0]?.outcome, 'settled');
});

test('what limits refuse is told before it is tried', () => {
  const [one] = plan(host('provisioned', 'far')).ports;
  assert.deepEqual([one?.outcome, one?.reason?.code], ['blocked', 'VLANOutsideLimit']);
});

test('a port that is as it should be is settled, and one that drifted is not', () => {
  assert.equal(plan(host('available', 'net')).ports[0]?.outcome, 'settled');
  const drifted = { ...port, status: { ...port.status, observed: { untaggedVLAN: 7, disabled: false } } } as SwitchPort;
  const [one] = plan(host('available', 'net'), { ports: [drifted] }).ports;
  assert.deepEqual([one?.outcome, one?.differences[0]?.seen, one?.differences[0]?.wanted], ['change', '7', '100']);
});

test('what a switch does not tell is what was set on it, and only a change of that is planned', () => {
  const { lastReadTime: _, ...status } = port.status ?? {};
  const untold = { ...status, observed: {}, unobserved: ['disabled', 'untaggedVLAN', 'vlans', 'acl'] };
  const blind = { ...port, status: { ...untold, appliedTo: 'there' } } as SwitchPort;
  assert.equal(plan(host('available', 'net'), { ports: [blind] }).ports[0]?.outcome, 'settled');
  const [one] = plan(host('provisioned', 'net'), { ports: [blind] }).ports;
  assert.equal(one?.outcome, 'change');
  assert.deepEqual(
    one?.differences.map(({ aspect, seen, wanted }) => `${aspect} ${seen} ${wanted}`),
    ['untaggedVlan 100 10', 'taggedVlans none 20-21'],
  );
  // On the way there nobody knows what is set.
  const going = { ...port, status: { ...untold, state: 'Configuring' } } as SwitchPort;
  assert.equal(plan(host('available', 'net'), { ports: [going] }).ports[0]?.outcome, 'change');
});

test('a port that nobody has read, and a switch that does not answer', () => {
  const { observed: _, ...status } = port.status ?? {};
  const unread = { ...port, status } as SwitchPort;
  assert.equal(plan(host('provisioned', 'net'), { ports: [unread] }).ports[0]?.outcome, 'unread');
  const [away] = plan(host('provisioned', 'net'), { switches: [aSwitch()] }).ports;
  assert.deepEqual([away?.outcome, away?.reason?.code], ['blocked', 'SwitchUnreachable']);
});

test('a plan of a host is of its ports, and of a port of its host', () => {
  const other = { ...port, metadata: { ...port.metadata, name: 'p2' } };
  const self = host('provisioned', 'net');
  for (const only of [['h1'], ['tenant/h1'], ['p1'], ['infra/p1']]) {
    const { ports, hosts } = plan(self, { ports: [port, other], only });
    assert.deepEqual([ports.map((each) => each.port), hosts.map((each) => each.host)], [['infra/p1'], ['tenant/h1']]);
  }
  assert.deepEqual(plan(self, { ports: [port, other], only: ['p2'] }).hosts, []);
});
