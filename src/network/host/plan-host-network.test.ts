import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type BareMetalHost,
  type HostPort,
  metal3ApiVersion,
  type Nic,
  provisioningStates,
  type SwitchPort,
  type SwitchPortStatus,
} from '../../api/index.ts';
import { writeLinkRecord } from '../fabric/link-records.ts';
import { linkedByAnnotation, linkedConfigurationAnnotation, machinePortsAnnotation } from '../resources.ts';
import { aSwitch } from '../testing/port-seen.ts';
import { tablesOf } from '../testing/tables.ts';
import { isSamePortName } from './cabling.ts';
import { type HostNetworkPhase, networkPhaseOf } from './host-phase.ts';
import { planHostNetwork } from './plan-host-network.ts';

const mac = '52:54:00:00:00:01';
const pxe = { name: 'pxe', namespace: 'infra' };
const net = { name: 'net', namespace: 'tenant' };
const entry: HostPort = {
  mac,
  port: { name: 'p1', namespace: 'infra' },
  provisioningConfiguration: pxe,
  configuration: { name: 'net' },
};

function host(ports: readonly HostPort[], name = 'h1', created = '2026-01-01T00:00:00Z'): BareMetalHost {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name, namespace: 'tenant', creationTimestamp: created },
    spec: { online: true, ports: [...ports] },
  };
}

type Link = { readonly name: string; readonly namespace: string };

/** A port that the host linked, where anything is linked; undefined as a record: as it is linked. */
function port(linked: Link | undefined, status: SwitchPortStatus, recorded: Link | undefined = linked): SwitchPort {
  const annotations = writeLinkRecord('tenant/h1', recorded) as Record<string, string>;
  return {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata: { name: 'p1', namespace: 'infra', generation: 3, ...(recorded === undefined ? {} : { annotations }) },
    spec: linked === undefined ? {} : { configuration: linked },
    status: { observedGeneration: 3, ...status },
  };
}

function plan(phase: HostNetworkPhase, at: SwitchPort | undefined, ports: readonly HostPort[] = [entry]) {
  const self = host(ports);
  const tables = tablesOf({ hosts: [self], ports: at === undefined ? [] : [at], switches: [aSwitch()] });
  return planHostNetwork({ host: self, phase, tables });
}

const active = (ref: { name: string; namespace: string }): SwitchPort =>
  port(ref, { state: 'Active', configurationRef: ref });
const idle = port(undefined, { state: 'Idle' });
const clean = port(undefined, { state: 'Idle', appliedTo: 'FixtureSwitch infra/leaf' });

describe('what a host wants of its ports', () => {
  const cases: readonly [string, HostNetworkPhase, Partial<HostPort>, object | undefined][] = [
    ['provisioning: its provisioningConfiguration', 'provisioning', {}, pxe],
    ['deployed: its configuration', 'deployed', {}, net],
    ['servicing: its provisioningConfiguration', 'servicing', {}, pxe],
    ['released: nothing', 'released', {}, undefined],
  ];
  for (const [name, phase, more, wanted] of cases) {
    test(name, () => assert.deepEqual(plan(phase, idle, [{ ...entry, ...more }]).ports[0]?.wanted, wanted));
  }

  test('a port without a provisioningConfiguration is clean while provisioning, and stays as deployed while serviced', () => {
    const { provisioningConfiguration: _, ...other } = entry;
    assert.equal(plan('provisioning', idle, [other]).ports[0]?.wanted, undefined);
    assert.deepEqual(plan('servicing', idle, [other]).ports[0]?.wanted, net);
  });

  test('a port without a configuration is clean after deploy', () => {
    const { configuration: _, ...other } = entry;
    const { effects, verdict } = plan('deployed', active(pxe), [other]);
    assert.deepEqual(
      effects.map(({ configuration }) => configuration),
      [undefined],
    );
    assert.equal(verdict, 'waiting');
    assert.equal(plan('deployed', clean, [other]).verdict, 'ready');
  });

  test('an idle port that was not found clean is cleaned first, and left as it is by a host that goes', () => {
    const { configuration: _, ...other } = entry;
    const { effects, verdict } = plan('deployed', idle, [other]);
    assert.deepEqual([verdict, effects.map(({ by }) => by)], ['waiting', ['tenant/h1']]);
    const annotations = { [linkedByAnnotation]: 'tenant/h1', [linkedConfigurationAnnotation]: '' };
    const named = { ...idle, metadata: { ...idle.metadata, annotations } };
    const waiting = plan('deployed', named, [other]);
    assert.deepEqual([waiting.verdict, waiting.effects, waiting.hinge?.code], ['waiting', [], 'PortCleaning']);
    assert.deepEqual([plan('released', idle).verdict, plan('released', idle).effects], ['ready', []]);
    assert.deepEqual(
      plan('released', named).effects.map(({ configuration, by }) => [configuration, by]),
      [[undefined, undefined]],
    );
  });

  test('a host without ports goes on, and says nothing', () => {
    const { verdict, effects, conditions } = plan('provisioning', undefined, []);
    assert.deepEqual([verdict, effects, conditions], ['ready', [], []]);
  });
});

describe('what a user linked to the port of a host', () => {
  const ten = { name: 'ten', namespace: 'tenant' };
  const linkedByHand = port(ten, { state: 'Active', configurationRef: ten }, net);

  test('becomes what the deployed host wants, and is recorded as such then', () => {
    const { adopted, effects } = plan('deployed', linkedByHand);
    assert.deepEqual([adopted, effects], [[{ ...entry, configuration: ten }], []]);
    const next = plan('deployed', linkedByHand, adopted);
    assert.deepEqual(
      [next.adopted, next.effects.map(({ configuration, by }) => [configuration, by])],
      [undefined, [[ten, 'tenant/h1']]],
    );
    const last = plan('deployed', port(ten, { state: 'Active', configurationRef: ten }), adopted);
    assert.deepEqual([last.adopted, last.effects, last.verdict], [undefined, [], 'ready']);
  });

  test('is taken over when they link nothing, too', () => {
    const { configuration: _, ...bare } = entry;
    assert.deepEqual(plan('deployed', port(undefined, { state: 'Idle' }, net)).adopted, [bare]);
  });

  test('is a link to a clean port as well, which the host has recorded as such', () => {
    const { configuration: _, ...bare } = entry;
    const [recorded] = plan('deployed', clean, [bare]).effects;
    assert.deepEqual([recorded?.configuration, recorded?.by], [undefined, 'tenant/h1']);
    const annotations = writeLinkRecord('tenant/h1', undefined) as Record<string, string>;
    const linked = { ...linkedByHand, metadata: { ...linkedByHand.metadata, annotations } };
    assert.deepEqual(plan('deployed', linked, [bare]).adopted, [{ ...bare, configuration: ten }]);
  });

  const linksOf = ({ effects, adopted }: ReturnType<typeof plan>) => [
    adopted,
    effects.map(({ configuration }) => configuration),
  ];

  test('is not taken over where the host has its ports for something else', () => {
    assert.deepEqual(linksOf(plan('provisioning', linkedByHand)), [undefined, [pxe]]);
    assert.deepEqual(linksOf(plan('servicing', linkedByHand)), [undefined, [pxe]]);
    assert.deepEqual(linksOf(plan('released', linkedByHand)), [undefined, [undefined]]);
  });

  test('gives way to a host that was edited too, to a machine, and to the namespace', () => {
    const edited = { ...entry, configuration: { name: 'other' } };
    assert.deepEqual(linksOf(plan('deployed', linkedByHand, [edited])), [
      undefined,
      [{ name: 'other', namespace: 'tenant' }],
    ]);
    assert.deepEqual(linksOf(plan('deployed', port(pxe, { state: 'Active' }, net))), [undefined, [net]]);
    const self = host([entry]);
    const annotations = { [machinePortsAnnotation]: `${mac}=tenant/net` };
    const consumerRef = { kind: 'Metal3Machine', name: 'm1', namespace: 'tenant' };
    const used = {
      ...self,
      metadata: { ...self.metadata, annotations },
      spec: { ...self.spec, online: true, consumerRef },
    };
    const tables = tablesOf({ hosts: [used], ports: [linkedByHand], switches: [aSwitch()] });
    assert.deepEqual(linksOf(planHostNetwork({ host: used, phase: 'deployed', tables })), [undefined, [net]]);
  });
});

describe('whether a host can go on', () => {
  test('not before its port is linked', () => {
    const { verdict, effects, message } = plan('deployed', active(pxe));
    assert.equal(verdict, 'waiting');
    assert.deepEqual(
      effects.map(({ configuration }) => configuration),
      [net],
    );
    assert.match(message, /^Waiting for port infra\/p1 of 52:54:00:00:00:01: it is being set to tenant\/net\.$/);
  });

  test('not before the port has what is linked', () => {
    const linked = port(net, { state: 'Active', configurationRef: pxe });
    assert.equal(plan('deployed', linked).verdict, 'waiting');
    assert.deepEqual(plan('deployed', linked).effects, []);
    assert.equal(plan('deployed', port(net, { state: 'Configuring' })).verdict, 'waiting');
    assert.equal(plan('deployed', active(net)).verdict, 'ready');
  });

  test('not by a status of before the change', () => {
    const { status, ...rest } = active(net);
    assert.equal(plan('deployed', { ...rest, status: { ...status, observedGeneration: 2 } }).verdict, 'waiting');
  });

  const error = { reason: 'SwitchUnreachable', message: 'no answer', since: '2026-01-01T00:00:00Z' };

  test('a port in error is an error of the host, unless that was about something else', () => {
    const failed = plan('deployed', port(net, { state: 'Configuring', error }));
    assert.equal(failed.verdict, 'error');
    assert.equal(failed.hinge?.code, 'SwitchUnreachable');
    assert.deepEqual(
      failed.conditions.map(({ type, status, reason }) => [type, status, reason]),
      [['NetworkConfigured', 'False', 'SwitchUnreachable']],
    );
    assert.equal(plan('deployed', port(pxe, { state: 'Configuring', error })).verdict, 'waiting');
  });

  test('a host that goes is not held by a port in error', () => {
    assert.equal(plan('released', port(undefined, { state: 'Cleaning', error })).verdict, 'ready');
    assert.equal(plan('released', port(undefined, { state: 'Cleaning' })).verdict, 'waiting');
    assert.equal(plan('released', undefined).verdict, 'ready');
  });

  test('a port that is not there is waited for', () => {
    assert.deepEqual(
      [plan('deployed', undefined).verdict, plan('deployed', undefined).hinge?.code],
      ['waiting', 'PortNotFound'],
    );
  });

  test('of two hosts on one port the older one has it', () => {
    const [first, second] = [host([entry], 'h1'), host([entry], 'h2', '2026-01-02T00:00:00Z')];
    const tables = tablesOf({ hosts: [second, first], ports: [active(net)], switches: [aSwitch()] });
    assert.equal(planHostNetwork({ host: first, phase: 'deployed', tables }).verdict, 'ready');
    const late = planHostNetwork({ host: second, phase: 'provisioning', tables });
    assert.deepEqual([late.verdict, late.hinge?.code, late.effects], ['error', 'PortInUse', []]);
  });

  test('a configuration of another namespace is not linked', () => {
    const { verdict, effects, hinge } = plan('deployed', idle, [
      { ...entry, configuration: { name: 'x', namespace: 'other' } },
    ]);
    assert.deepEqual([verdict, effects, hinge?.code], ['error', [], 'ConfigurationNotAllowed']);
  });
});

describe('whether a host is plugged in where it says', () => {
  const cabling = (nics: readonly Nic[], more: Parameters<typeof aSwitch>[0] = {}) => {
    const self = host([entry]);
    const owner = aSwitch({ macAddress: '02:00:00:00:00:99', ...more });
    const tables = tablesOf({ hosts: [self], ports: [active(net)], switches: [owner] });
    const found = planHostNetwork({ host: self, phase: 'deployed', tables, nics });
    return found.conditions.find(({ type }) => type === 'NetworkCabling');
  };
  const lldp = { switchID: '02:00:00:00:00:99', portID: 'Eth1' };

  test('before inspection nothing is said', () => assert.equal(cabling([]), undefined));
  test('a mac that inspection did not find', () => {
    assert.equal(cabling([{ mac: '52:54:00:00:00:02' }])?.reason, 'InterfaceNotFound');
  });
  test('as listed, in any spelling', () => {
    assert.equal(cabling([{ mac: mac.toUpperCase(), lldp }])?.status, 'True');
    assert.equal(cabling([{ mac }])?.status, 'True');
    assert.equal(cabling([{ mac, lldp: { switchID: '0200.0000.0099', portID: '17' } }])?.status, 'True');
  });
  test('another switch, another port', () => {
    const other = cabling([{ mac, lldp: { ...lldp, switchID: '02:00:00:00:00:11' } }]);
    assert.equal(other?.reason, 'LLDPMismatch');
    assert.match(other?.message ?? '', /hears the switch 02:00:00:00:00:11, not 02:00:00:00:00:99 \(leaf\)/);
    const moved = cabling([{ mac, lldp: { ...lldp, portID: 'Ethernet2' } }]);
    assert.match(moved?.message ?? '', /hears the port Ethernet2, not Ethernet1 \(infra\/p1\)/);
  });
  test('short names of ports are the ports', () => {
    assert.ok(isSamePortName('Eth1/7', 'Ethernet1/7') && isSamePortName('swp1', 'SWP1'));
    assert.ok(!isSamePortName('Eth1/7', 'Ethernet1/17') && !isSamePortName('swp1', 'eth1'));
  });
});

test('every state of a host says what its ports are for', () => {
  const found = Object.fromEntries(
    provisioningStates.map((state) => [state, networkPhaseOf(state, { isServicing: false })]),
  );
  assert.deepEqual(found, {
    '': undefined,
    unmanaged: undefined,
    importing: 'provisioning',
    registering: 'provisioning',
    'match profile': 'provisioning',
    inspecting: 'provisioning',
    preparing: 'provisioning',
    ready: 'provisioning',
    available: 'provisioning',
    provisioning: 'provisioning',
    provisioned: 'deployed',
    'externally provisioned': 'deployed',
    deprovisioning: 'provisioning',
    'powering off before delete': 'released',
    deleting: 'released',
  });
  assert.equal(networkPhaseOf('provisioned', { isServicing: true }), 'servicing');
  assert.equal(networkPhaseOf('inspecting', { isServicing: true }), 'provisioning');
});
