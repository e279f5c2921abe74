import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AnsibleSwitchSpec, metal3ApiVersion } from '../api/index.ts';
import { type AnyKubeObject, type KubeObject, parseKey, systemClock } from '../kube/index.ts';
import { type AnsibleRunner, createMemoryHostKeys, openAnsibleSwitch } from '../switches/index.ts';
import { providerResources, resources } from './resources.ts';
import {
  type ApiRig,
  type ControllerRig,
  eventsOf,
  link,
  putConfiguration,
  startApi,
  startControllers,
  until,
  untilEvent,
  untilState,
} from './testing/rig.ts';

type Order = Parameters<AnsibleRunner['run']>[0];

/** Switches that are set blindly, by their addresses: what each was told, and what goes wrong. */
class BlindSwitches {
  /** VLANs of untagged frames by `ADDRESS PORT`. */
  readonly vlans = new Map<string, number>();
  logIns = 0;
  writes = 0;
  /** What is said to an order; undefined does it. */
  fault: (order: Order) => string | undefined = () => undefined;

  readonly runner: AnsibleRunner = {
    run: async (order) => {
      const isWrite = order.tasks.some((task) => 'role' in task);
      if (isWrite) this.writes += 1;
      else this.logIns += 1;
      const msg = this.fault(order);
      if (msg !== undefined) return { results: [{ name: 'task', status: 'unreachable', result: { msg } }] };
      for (const task of order.tasks)
        if ('role' in task && task.role === 'conf_access_port')
          this.vlans.set(`${order.host} ${task.vars.port_name}`, Number(task.vars.vlan_id));
      return { results: order.tasks.map(({ name }) => ({ name, status: 'ok', result: {} })) };
    },
    close: async () => undefined,
  };
}

describe('switches that are set blindly', () => {
  const switches = new BlindSwitches();
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    api = await startApi();
    const hostKeys = createMemoryHostKeys();
    rig = await startControllers(api, {
      settings: { verifyMs: 100, driftMs: 100 },
      providers: {
        open(access) {
          assert.equal(access.kind, 'AnsibleSwitch');
          const { spec, credentials } = access as Extract<typeof access, { readonly kind: 'AnsibleSwitch' }>;
          const parts = { clock: systemClock, runner: switches.runner, hostKeys, object: access };
          return openAnsibleSwitch({ ...parts, spec, credentials });
        },
      },
    });
    await putConfiguration(api, 'default/ten', { untaggedVLAN: 10 });
    await putConfiguration(api, 'default/eleven', { untaggedVLAN: 11 });
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  const providers = () => api.client.resource<AnyKubeObject>(providerResources.AnsibleSwitch);

  async function putProvider(name: string, ip: string, more: Partial<AnsibleSwitchSpec> = {}): Promise<void> {
    const metadata = { name, namespace: 'default' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username: 'admin', password: 'word' } };
    await api.client.resource<AnyKubeObject>(resources.secrets).create(secret);
    const spec = { os: 'junos', ip, hostKey: 'ssh-ed25519 AAAA', credentialsSecret: { name }, ...more };
    await providers().create({ apiVersion: metal3ApiVersion, kind: 'AnsibleSwitch', metadata, spec });
  }

  async function putSwitch(name: string, ip: string): Promise<void> {
    await putProvider(name, ip);
    await api.switches.create({
      apiVersion: metal3ApiVersion,
      kind: 'Switch',
      metadata: { name, namespace: 'default' },
      spec: {
        provider: { kind: 'AnsibleSwitch', name },
        parkingVLAN: 999,
        ports: { [`${name}-1`]: { name: 'Ethernet1' } },
      },
    });
  }

  async function aSwitch(name: string, ip: string): Promise<void> {
    await putSwitch(name, ip);
    await untilState(api, `default/${name}-1`, 'Idle');
  }

  const change = (name: string, spec: Partial<AnsibleSwitchSpec>) =>
    providers().patch(parseKey(`default/${name}`), { type: 'merge', body: { spec } as unknown as KubeObject });

  const untilSet = (port: string, unit: RegExp) =>
    until(api.ports, port, ({ status }) => status?.state === 'Active' && unit.test(status.appliedTo ?? ''));

  test('a switch that takes the place of another one is set anew, and what stays on the old one is told', async () => {
    await aSwitch('moved', '192.0.2.1');
    await link(api, 'default/moved-1', 'default/ten');
    await untilSet('default/moved-1', /192\.0\.2\.1:22/);
    assert.equal(switches.vlans.get('192.0.2.1 Ethernet1'), 10);
    await change('moved', { ip: '192.0.2.2' });
    await untilSet('default/moved-1', /192\.0\.2\.2:22/);
    assert.equal(switches.vlans.get('192.0.2.2 Ethernet1'), 10);
    const left = await untilEvent(api, { about: 'default/moved-1', reason: 'LeftBehind' });
    assert.match(left, /192\.0\.2\.1:22 was left as it is \(untagged 10\)/);
  });

  test('so is one at the same address with another host key, but not one whose key is only told in more words', async () => {
    await aSwitch('swapped', '192.0.2.3');
    await link(api, 'default/swapped-1', 'default/ten');
    const first = await untilSet('default/swapped-1', /192\.0\.2\.3:22/);
    switches.vlans.delete('192.0.2.3 Ethernet1');
    await change('swapped', { hostKey: 'ssh-ed25519 AAAA\nssh-rsa BBBB' });
    await until(api.ports, 'default/swapped-1', ({ status }) => status?.appliedTo !== first.status?.appliedTo);
    assert.equal(switches.vlans.get('192.0.2.3 Ethernet1'), undefined);
    assert.equal(
      (await eventsOf(api, 'default/swapped-1')).some(({ reason }) => reason === 'LeftBehind'),
      false,
    );
    await change('swapped', { hostKey: 'ssh-ed25519 CCCC' });
    await untilEvent(api, { about: 'default/swapped-1', reason: 'LeftBehind' });
    assert.equal(switches.vlans.get('192.0.2.3 Ethernet1'), 10);
  });

  test('another provider of a Switch leaves what was set on the first one, and says so', async () => {
    await aSwitch('other', '192.0.2.4');
    await putProvider('other-new', '192.0.2.5');
    await link(api, 'default/other-1', 'default/ten');
    await untilSet('default/other-1', /192\.0\.2\.4:22/);
    const provider = { kind: 'AnsibleSwitch', name: 'other-new' };
    await api.switches.patch(parseKey('default/other'), { type: 'merge', body: { spec: { provider } } });
    assert.match(await untilEvent(api, { about: 'default/other-1', reason: 'LeftBehind' }), /192\.0\.2\.4:22/);
    assert.equal(switches.vlans.get('192.0.2.5 Ethernet1'), 10);
  });

  test('a password that is refused is known before anything is set, and waits between attempts grow', async () => {
    switches.fault = ({ host }) => (host === '192.0.2.6' ? 'Permission denied (password).' : undefined);
    await putSwitch('locked', '192.0.2.6');
    const refused = await until(
      api.switches,
      'default/locked',
      ({ status }) => status?.error?.reason === 'CredentialsRefused' && (status.error.attempts ?? 0) >= 3,
    );
    const valid = refused.status?.conditions?.find(({ type }) => type === 'CredentialsValid');
    assert.equal(valid?.status, 'False');
    switches.fault = () => undefined;
    await until(api.switches, 'default/locked', ({ status }) => status?.state === 'Running');
  });

  test('changes that are refused for the credentials while logging in works are tried with growing waits', async () => {
    await aSwitch('halfway', '192.0.2.7');
    const isWrite = ({ tasks }: Order) => tasks.some((task) => 'role' in task);
    switches.fault = (order) => (isWrite(order) ? 'Permission denied (password).' : undefined);
    await link(api, 'default/halfway-1', 'default/ten');
    const waiting = await until(api.ports, 'default/halfway-1', ({ status }) => (status?.error?.attempts ?? 0) >= 4);
    assert.equal(waiting.status?.error?.reason, 'CredentialsRefused');
    assert.notEqual(waiting.status?.error?.nextAttempt, undefined);
    switches.fault = () => undefined;
    await untilState(api, 'default/halfway-1', 'Active', 'ten');
  });

  test('a port goes on after an outage of many attempts', async () => {
    await aSwitch('away', '192.0.2.8');
    await link(api, 'default/away-1', 'default/ten');
    await untilSet('default/away-1', /192\.0\.2\.8:22/);
    // Changes are lost while logging in still works, then nothing works, then all of it.
    switches.fault = (order) =>
      order.tasks.some((task) => 'role' in task) ? 'ssh: connect to host: Connection timed out' : undefined;
    await link(api, 'default/away-1', 'default/eleven');
    await until(api.ports, 'default/away-1', ({ status }) => (status?.error?.attempts ?? 0) > 6);
    switches.fault = () => 'ssh: connect to host: No route to host';
    await until(api.switches, 'default/away', ({ status }) => (status?.error?.attempts ?? 0) > 6);
    switches.fault = () => undefined;
    await untilState(api, 'default/away-1', 'Active', 'eleven');
    assert.equal(switches.vlans.get('192.0.2.8 Ethernet1'), 11);
  });
});
