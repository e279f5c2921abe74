import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, systemClock } from '../../kube/index.ts';
import { switchContract } from '../contract/switch-contract.ts';
import type { PortSettings } from '../port-settings.ts';
import type { SwitchEvent } from '../switch-device.ts';
import { openOvsSwitch } from './index.ts';
import { type FakeOvs, startFakeOvs } from './testing/fake-ovs.ts';

const names = ['swp1', 'swp2'] as const;
const deny = { family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] } as const;
const guarded: PortSettings = { isDisabled: false, untaggedVlan: 10, taggedVlans: [], acl: [deny] };

function open(address: string, clock = systemClock) {
  return openOvsSwitch({ clock, random: Math.random, spec: { address, bridge: 'br0' } });
}

switchContract({
  name: 'a make-believe Open vSwitch',
  async open() {
    const fake = await startFakeOvs(names);
    return {
      device: open(fake.address),
      ports: names,
      setUntaggedVlan: async (port, vlan) => fake.setPort(port, { tag: vlan }),
      unreachable: open('unix:/nonexistent/db.sock'),
      close: () => fake.stop(),
    };
  },
});

/** Watches, and gives the next event of a kind, also one that came before it was asked for. */
function listen(device: ReturnType<typeof open>) {
  const events: SwitchEvent['kind'][] = [];
  let look = (): void => undefined;
  device.watch(({ kind }) => {
    events.push(kind);
    look();
  });
  return (kind: SwitchEvent['kind']): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        const at = events.indexOf(kind);
        if (at < 0) return;
        events.splice(0, at + 1);
        resolve();
      };
      look();
    });
}

async function withFake(run: (fake: FakeOvs) => Promise<void>): Promise<void> {
  const fake = await startFakeOvs(names);
  try {
    await run(fake);
  } finally {
    await fake.stop();
  }
}

test('a switch that restarted is told about, and its access lists are found missing', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    await device.apply([{ port: 'swp1', wanted: guarded }]);
    const next = listen(device);
    await next('restarted');
    fake.restartSwitch();
    await next('lost');
    await next('restarted');
    const plan = (await device.plan([{ port: 'swp1', wanted: guarded }])).get('swp1');
    assert.deepEqual(plan?.kind === 'done' && plan.value.differences.map(({ aspect }) => aspect), ['acl']);
    await device.close();
  }));

test('a lost line to the database is dialled again, for calls and for watchers', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    const next = listen(device);
    await next('restarted');
    fake.dropLines();
    await next('lost');
    await next('restarted');
    assert.equal((await device.verify()).kind, 'done');
    await device.close();
  }));

test('an echo of the server is answered', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    await device.verify();
    await fake.probeLines();
    await device.close();
  }));

test('a server that says nothing is unreachable for reads, and leaves no write in doubt that was never sent', () =>
  withFake(async (fake) => {
    fake.setSilent(true);
    const clock = createFakeClock();
    const device = open(fake.address, clock);
    const reading = device.readPorts(['swp1']);
    const writing = device.apply([{ port: 'swp1', wanted: guarded }]);
    const isOver = Promise.all([reading, writing]);
    let isDone = false;
    void isOver.then(() => {
      isDone = true;
    });
    while (!isDone) {
      clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await reading).get('swp1')?.kind, 'unreachable');
    assert.equal((await writing).get('swp1')?.kind, 'unreachable');
    await device.close();
  }));

test('a write that was sent before its line was lost is uncertain, for the switch may still carry it out', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    const transact = fake.database.transact.bind(fake.database);
    fake.database.transact = (operations) => {
      if (operations.some(({ op }) => op === 'update')) fake.dropLines();
      return transact(operations);
    };
    assert.equal((await device.apply([{ port: 'swp1', wanted: guarded }])).get('swp1')?.kind, 'uncertain');
    await device.close();
  }));

test('without an OpenFlow address access lists and shutting down are unsupported, and VLANs are set', () =>
  withFake(async (fake) => {
    const device = open(fake.tcpAddress);
    const plain = { ...guarded, acl: [] };
    const kindOf = async (wanted: PortSettings) => (await device.apply([{ port: 'swp1', wanted }])).get('swp1')?.kind;
    assert.equal(await kindOf(guarded), 'unsupported');
    assert.equal(await kindOf({ ...plain, isDisabled: true }), 'unsupported');
    assert.equal(await kindOf(plain), 'done');
    assert.deepEqual((await device.readPorts(['swp1'])).get('swp1'), {
      kind: 'done',
      value: { port: 'swp1', ...plain, isLinkUp: true, unread: ['acl'], strays: [] },
    });
    await device.close();
  }));

test('a port that is down is opened only once it has its VLANs, and not at all when they cannot be set', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    const shut = { ...guarded, untaggedVlan: 66, isDisabled: true };
    assert.equal((await device.apply([{ port: 'swp1', wanted: shut }])).get('swp1')?.kind, 'done');
    const transact = fake.database.transact.bind(fake.database);
    let isRefusing = true;
    fake.database.transact = (operations) => {
      const isChange = operations.some(({ op }) => op === 'update');
      if (isChange) assert.equal(fake.flows.down.size, 1);
      return isChange && isRefusing
        ? { results: [{ error: 'resources exhausted', details: '' }], changes: new Map() }
        : transact(operations);
    };
    const clear = async () => (await device.clear([{ port: 'swp1', parkingVlan: 999 }])).get('swp1')?.kind;
    assert.equal(await clear(), 'refused');
    assert.equal(fake.flows.down.size, 1);
    isRefusing = false;
    assert.equal(await clear(), 'done');
    assert.equal(fake.flows.down.size, 0);
    await device.close();
  }));

/** Watches, and gives the ports of the next event that names any, or `all`. */
async function hear(device: ReturnType<typeof open>): Promise<() => Promise<readonly string[] | 'all'>> {
  const told: (readonly string[] | 'all')[] = [];
  let look = (): void => undefined;
  device.watch((event) => {
    if (event.kind === 'lost') return;
    told.push(event.kind === 'changed' ? event.ports : 'all');
    look();
  });
  const next = (): Promise<readonly string[] | 'all'> =>
    new Promise((resolve) => {
      look = () => {
        const event = told.shift();
        if (event === undefined) return;
        look = () => undefined;
        resolve(event);
      };
      look();
    });
  assert.equal(await next(), 'all');
  return next;
}

const onPort = (ofport: number) => (flow: { readonly match: Buffer }) => flow.match.readUInt32BE(8) === ofport;

test('a flow of an access list that somebody takes away or adds is told with its port', () =>
  withFake(async ({ address, flows }) => {
    const device = open(address);
    await device.apply(names.map((port) => ({ port, wanted: guarded })));
    const next = await hear(device);
    const [flow] = flows.flows.filter(onPort(2));
    assert.ok(flow !== undefined);
    flows.putIn({ ...flow, cookie: 0n, priority: 7 });
    flows.takeAway((each) => each === flow);
    assert.deepEqual(await next(), ['swp2'], 'the flow that is not of an access list is not told');
    flows.putIn({ ...flow, cookie: 0n });
    assert.deepEqual(await next(), ['swp2']);
    flows.takeAway(() => true);
    assert.deepEqual((await next()).toString(), 'swp1,swp2');
    flows.resume();
    assert.equal(await next(), 'all');
    await device.close();
  }));

test('changed flows are told again after either line was lost', () =>
  withFake(async (fake) => {
    const device = open(fake.address);
    await device.apply([{ port: 'swp1', wanted: guarded }]);
    const next = await hear(device);
    fake.dropLines();
    assert.equal(await next(), 'all');
    fake.flows.takeAway(onPort(1));
    assert.deepEqual(await next(), ['swp1']);
    fake.restartSwitch();
    assert.equal(await next(), 'all');
    await device.apply([{ port: 'swp1', wanted: guarded }]);
    assert.deepEqual(await next(), ['swp1'], 'the database tells our own write');
    fake.flows.takeAway(onPort(1));
    assert.deepEqual(await next(), ['swp1']);
    await device.close();
  }));

test('a switch that cannot monitor flows is watched by its database', () =>
  withFake(async (fake) => {
    fake.flows.hasMonitors = false;
    const device = open(fake.address);
    const next = await hear(device);
    fake.setPort('swp1', { tag: 78 });
    assert.deepEqual(await next(), ['swp1']);
    await device.close();
  }));
