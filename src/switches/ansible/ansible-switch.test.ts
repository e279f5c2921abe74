import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ansibleSwitchSystems } from '../../api/index.ts';
import { systemClock } from '../../kube/index.ts';
import { switchContract } from '../contract/switch-contract.ts';
import type { PortSettings } from '../port-settings.ts';
import type { SwitchDevice } from '../switch-device.ts';
import { createMemoryHostKeys, openAnsibleSwitch } from './index.ts';
import type { RunnerAnswer, RunnerOrder } from './runner-order.ts';
import type { AnsibleRunner } from './runner-process.ts';
import { createFakeEos } from './testing/fake-eos.ts';
import { createFakeNxos } from './testing/fake-nxos.ts';

const names = ['Ethernet1', 'Ethernet2/1'] as const;
const access: PortSettings = { isDisabled: false, untaggedVlan: 10, taggedVlans: [], acl: [] };

function open(runner: AnsibleRunner, os: (typeof ansibleSwitchSystems)[number] = 'eos'): SwitchDevice {
  return openAnsibleSwitch({
    clock: systemClock,
    runner,
    object: { namespace: 'default', name: 'leaf' },
    hostKeys: createMemoryHostKeys(),
    spec: {
      os,
      ip: '192.0.2.1',
      hostKey: 'ssh-ed25519 AAAA',
      credentialsSecret: { name: 'login' },
      ...(os === 'openvswitch' ? { bridge: 'br0' } : {}),
    },
    credentials: { username: 'admin', password: 'secret-word' },
  });
}

/** Systems that network-runner sets VLANs of, and that tell nothing. */
const blind = ansibleSwitchSystems.filter((each) => !['openvswitch', 'eos', 'nxos'].includes(each));

/** A runner that answers every order alike and remembers them. */
function answering(answer: RunnerAnswer): AnsibleRunner & { readonly orders: RunnerOrder[] } {
  const orders: RunnerOrder[] = [];
  return {
    orders,
    async run(order) {
      orders.push(order);
      return answer;
    },
    close: async () => undefined,
  };
}

function failing(msg: string, status: 'failed' | 'unreachable' = 'unreachable') {
  return answering({ results: [{ name: 'task', status, result: { msg } }] });
}

switchContract({
  name: 'a make-believe EOS by Ansible',
  async open() {
    const eos = createFakeEos(names);
    return {
      device: open(eos.runner),
      ports: names,
      setUntaggedVlan: async (port, vlan) => eos.type(`interface ${port}`, `switchport access vlan ${vlan}`),
      unreachable: open(failing('Connection timed out')),
      denied: open(failing('admin@192.0.2.1: Permission denied (publickey,password).')),
      close: async () => undefined,
    };
  },
});

switchContract({
  name: 'a make-believe NX-OS by Ansible',
  async open() {
    const nxos = createFakeNxos(names);
    return {
      device: open(nxos.runner, 'nxos'),
      ports: names,
      setUntaggedVlan: async (port, vlan) => nxos.type(`interface ${port}`, `switchport access vlan ${vlan}`),
      unreachable: open(failing('Connection timed out'), 'nxos'),
      denied: open(failing('Failed to authenticate: Authentication failed.'), 'nxos'),
      close: async () => undefined,
    };
  },
});

test('hostile names of ports never reach the runner', async () => {
  for (const os of ansibleSwitchSystems) {
    const runner = answering({ results: [] });
    const device = open(runner, os);
    for (const port of [
      'swp1; reboot',
      '{{ lookup("pipe","id") }}',
      'a\nshutdown',
      '$(id)',
      '`id`',
      "x' y",
      '-rf',
      '!unsafe',
    ]) {
      assert.equal((await device.apply([{ port, wanted: access }])).get(port)?.kind, 'no-port', `${os} ${port}`);
    }
    assert.deepEqual(runner.orders, []);
  }
});

test('every system sets an access port or says why not, and refuses access lists that it cannot set', async () => {
  const deny = { family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] } as const;
  for (const os of blind) {
    const runner = answering({ results: [] });
    const device = open(runner, os);
    assert.equal((await device.apply([{ port: 'Ethernet1', wanted: access }])).get('Ethernet1')?.kind, 'done', os);
    const roles = runner.orders.flatMap(({ tasks }) => tasks).map((task) => ('role' in task ? task.role : undefined));
    assert.deepEqual(roles, ['create_vlan', 'conf_access_port'], os);
    const listed = (await device.apply([{ port: 'Ethernet1', wanted: { ...access, acl: [deny] } }])).get('Ethernet1');
    assert.equal(listed?.kind, 'unsupported');
    const down = (await device.apply([{ port: 'Ethernet1', wanted: { ...access, isDisabled: true } }])).get(
      'Ethernet1',
    );
    assert.equal(down?.kind, 'unsupported');
    const bare = (await device.clear([{ port: 'Ethernet1' }])).get('Ethernet1');
    assert.match(bare?.kind === 'unsupported' ? bare.message : '', /parkingVLAN/);
  }
});

test('systems that are set blindly are logged in to before they count as there', async () => {
  for (const os of blind) {
    const greeted = answering({ results: [{ name: 'log in', status: 'ok', result: { stdout: 'some system' } }] });
    const verified = await open(greeted, os).verify();
    assert.equal(verified.kind === 'done' && verified.value.system, os);
    assert.deepEqual(verified.kind === 'done' && verified.value.hostKeys, ['63c1dd951ffe']);
    const modules = greeted.orders.flatMap(({ tasks }) => tasks).map((task) => ('module' in task ? task.module : ''));
    const isShell = os === 'cumulus';
    assert.deepEqual(modules, isShell ? ['ansible.builtin.raw'] : ['ansible.netcommon.cli_command', ''], os);
    // Nothing at all is no answer.
    assert.equal((await open(answering({ results: [] }), os).verify()).kind, 'refused', os);
  }
});

test('a system that is set blindly and is away or refuses the password says so, before and during a change', async () => {
  const cases = [
    ['unreachable', 'uncertain', failing('ssh: connect to host 192.0.2.1 port 22: No route to host')],
    ['unreachable', 'uncertain', failing('timed out', 'failed')],
    ['unreachable', 'uncertain', answering({ error: 'the run was ended before it was over' })],
    ['denied', 'denied', failing('admin@192.0.2.1: Permission denied (publickey,password).')],
    ['denied', 'denied', failing('Failed to authenticate: Authentication failed.', 'failed')],
  ] as const;
  for (const os of blind) {
    for (const [verified, applied, runner] of cases) {
      assert.equal((await open(runner, os).verify()).kind, verified, os);
      const change = (await open(runner, os).apply([{ port: 'Ethernet1', wanted: access }])).get('Ethernet1');
      assert.equal(change?.kind, applied, os);
    }
  }
});

test('what went wrong is told by kind, whatever words Ansible finds for it', async () => {
  const cases = [
    ['untrusted', 'Failed to connect to the host via ssh: Host key verification failed.'],
    ['untrusted', 'paramiko: host key mismatch for 192.0.2.1'],
    ['untrusted', 'Using a SSH password instead of a key is not possible because Host Key checking is enabled.'],
    ['denied', 'Invalid/incorrect username/password. Skipping remaining 0 retries'],
    ['denied', 'Authentication failed.'],
    ['unreachable', 'ssh: connect to host 192.0.2.1 port 22: No route to host'],
    ['unreachable', 'unable to set terminal parameters'],
  ] as const;
  for (const [kind, words] of cases) {
    const result = await open(failing(words)).verify();
    assert.equal(result.kind, kind, words);
  }
  assert.equal((await open(answering({ error: 'the run was ended' })).verify()).kind, 'unreachable');
});

test('the order holds the credentials and the host key, and the message of a failure none of them', async () => {
  const runner = failing('Permission denied, please try again.');
  const result = await open(runner).verify();
  assert.equal(runner.orders[0]?.password, 'secret-word');
  assert.equal(runner.orders[0]?.knownHosts, '192.0.2.1 ssh-ed25519 AAAA');
  assert.doesNotMatch(JSON.stringify(result), /secret-word/);
});

test('a play that is lost half-way leaves the port uncertain', async () => {
  const eos = createFakeEos(names);
  const device = open({
    ...eos.runner,
    run: (order, signal) =>
      order.tasks.some((task) => 'module' in task && task.module.endsWith('cli_config'))
        ? failing('Connection reset by peer').run(order, signal)
        : eos.runner.run(order, signal),
  });
  assert.equal((await device.apply([{ port: 'Ethernet1', wanted: access }])).get('Ethernet1')?.kind, 'uncertain');
});

test('a switch that prints nonsense is refused, not thrown at the caller', async () => {
  const printed = ['swp1\n{"headings": oops', '', ''];
  const runner = answering({ results: [{ name: 'read ports and access lists', status: 'ok', result: { printed } }] });
  assert.equal((await open(runner, 'openvswitch').verify()).kind, 'refused');
});

test('EOS tells who is plugged in, in the words of everybody else', async () => {
  const eos = createFakeEos(names);
  eos.plug('Ethernet1', {
    chassisIdType: 'macAddress',
    chassisId: '5254.00aa.0001',
    systemName: 'h1',
    neighborInterfaceInfo: { interfaceIdType: 'macAddress', interfaceId: '5254.00aa.0002' },
  });
  eos.plug('Ethernet2/1', {
    chassisIdType: 'local',
    chassisId: 'rack-7',
    neighborInterfaceInfo: { interfaceIdType: 'interfaceName', interfaceId: '"eno1"' },
  });
  const heard = await open(eos.runner).readNeighbours();
  assert.deepEqual(heard.kind === 'done' && heard.value, [
    { port: 'Ethernet1', chassisId: '52:54:00:aa:00:01', portId: '52:54:00:aa:00:02', systemName: 'h1' },
    { port: 'Ethernet2/1', chassisId: 'rack-7', portId: 'eno1' },
  ]);
});

test('an EOS that says something else about its neighbours is not believed', async () => {
  for (const stdout of [['% Invalid input'], [{}], []]) {
    const results = [{ name: 'read who is plugged in', status: 'ok', result: { stdout } }] as const;
    const heard = await open(answering({ results: [...results] })).readNeighbours();
    assert.equal(heard.kind, 'refused');
  }
});

test('an EOS port whose access list was opened in any way is found different', async () => {
  const deny = { family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] } as const;
  const wanted = { ...access, acl: [deny] };
  const list = 'ip access-list rackwright-Ethernet1';
  for (const lines of [
    [list, '150 permit ip any any'],
    [list, '900000 permit ip any any'],
    [`no ipv6 ${list.slice(3)}`],
  ]) {
    const eos = createFakeEos(names);
    const device = open(eos.runner);
    assert.equal((await device.apply([{ port: 'Ethernet1', wanted }])).get('Ethernet1')?.kind, 'done');
    eos.type(...lines);
    const plan = (await device.plan([{ port: 'Ethernet1', wanted }])).get('Ethernet1');
    assert.ok(plan?.kind === 'done' && plan.value.differences.length > 0, lines.join(', '));
    assert.equal((await device.apply([{ port: 'Ethernet1', wanted }])).get('Ethernet1')?.kind, 'done');
  }
});

test('nothing is sent to a switch whose first host key could not be kept', async () => {
  const runner = answering({ results: [] });
  const lost = async () => Promise.reject(new Error('the API server is away'));
  const device = openAnsibleSwitch({
    clock: systemClock,
    runner,
    object: { namespace: 'default', name: 'leaf' },
    hostKeys: { find: lost, keep: lost },
    spec: { os: 'junos', ip: '192.0.2.1', credentialsSecret: { name: 'login' } },
    credentials: { username: 'admin', password: 'secret-word' },
  });
  const verified = await device.verify();
  assert.match(verified.kind === 'unreachable' ? verified.message : '', /host key of 192\.0\.2\.1 cannot be kept/);
  assert.deepEqual(runner.orders, []);
});

describe('a port of NX-OS', () => {
  const only = async (device: SwitchDevice, wanted: PortSettings) =>
    (await device.apply([{ port: 'Ethernet1', wanted }])).get('Ethernet1');
  const stateOf = async (device: SwitchDevice) => {
    const seen = (await device.readPorts(['Ethernet1'])).get('Ethernet1');
    assert.ok(seen?.kind === 'done', JSON.stringify(seen));
    return seen.value;
  };

  test('is routed, switched or shut as the defaults of the switch say, where it says nothing itself', async () => {
    const shut = 'system default switchport shutdown';
    for (const [defaults, lines, isRouted, isDisabled] of [
      [['no system default switchport', `no ${shut}`], [], true, false],
      [['no system default switchport', shut], ['switchport'], false, true],
      [['system default switchport', shut], [], false, true],
      [['system default switchport', `no ${shut}`], [], false, false],
    ] as const) {
      const nxos = createFakeNxos(names, { defaults });
      nxos.type('interface Ethernet1', ...lines);
      const { strays, isDisabled: isDown } = await stateOf(open(nxos.runner, 'nxos'));
      assert.deepEqual([strays.includes('the port is routed'), isDown], [isRouted, isDisabled], defaults.join(', '));
    }
  });

  test('is cleaned without a parking VLAN: a trunk that carries nothing', async () => {
    const nxos = createFakeNxos(names);
    const device = open(nxos.runner, 'nxos');
    assert.equal((await only(device, access))?.kind, 'done');
    const cleared = (await device.clear([{ port: 'Ethernet1' }])).get('Ethernet1');
    assert.equal(cleared?.kind, 'done', JSON.stringify(cleared));
    assert.ok(nxos.typed.includes('switchport trunk allowed vlan none'));
  });

  test('keeps untagged frames out of VLAN 1 when that is tagged, and says so of what it cannot have', async () => {
    const device = open(createFakeNxos(names).runner, 'nxos');
    const tagged = (first: number, last: number) => ({ isDisabled: false, taggedVlans: [{ first, last }], acl: [] });
    assert.equal((await only(device, tagged(1, 9)))?.kind, 'done');
    assert.equal((await stateOf(device)).untaggedVlan, undefined);
    assert.equal((await only(device, tagged(1, 4094)))?.kind, 'unsupported');
  });

  test('has a list of VLANs of many lines', async () => {
    const device = open(createFakeNxos(names).runner, 'nxos');
    const taggedVlans = Array.from({ length: 100 }, (_, at) => ({ first: 2 * at + 10, last: 2 * at + 10 }));
    assert.equal((await only(device, { isDisabled: false, taggedVlans, acl: [] }))?.kind, 'done');
    assert.deepEqual((await stateOf(device)).taggedVlans, taggedVlans);
  });

  test('whose change is refused half-way is refused, and is not as it was', async () => {
    const nxos = createFakeNxos(names);
    const device = open(nxos.runner, 'nxos');
    await only(device, access);
    nxos.refuseAfter(6);
    const result = await only(device, { ...access, untaggedVlan: 20 });
    assert.equal(result?.kind, 'denied');
    assert.equal((await stateOf(device)).untaggedVlan, 20);
  });

  test('whose access list was opened in any way is found different', async () => {
    const deny = {
      family: 'ipv4',
      action: 'deny',
      protocol: 'tcp',
      sourcePorts: [],
      destinationPorts: [{ first: 22, last: 22 }],
    } as const;
    const wanted = { ...access, acl: [deny] };
    const list = 'ip access-list rackwright-Ethernet1';
    for (const lines of [
      [list, '150 permit ip any any'],
      ['interface Ethernet1', 'no ip port access-group rackwright-Ethernet1 in'],
      ['interface Ethernet1', 'ip port access-group other in'],
      [`no ${list}`],
      ['interface Ethernet1', 'switchport voice vlan 30'],
      ['interface Ethernet1', 'no switchport'],
    ]) {
      const nxos = createFakeNxos(names);
      const device = open(nxos.runner, 'nxos');
      const set = await only(device, wanted);
      assert.equal(set?.kind, 'done', JSON.stringify(set));
      nxos.type(...lines);
      const plan = (await device.plan([{ port: 'Ethernet1', wanted }])).get('Ethernet1');
      assert.ok(plan?.kind === 'done' && plan.value.differences.length > 0, lines.join(', '));
    }
  });
});
