import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AclEntry,
  cleanSettings,
  formatAcl,
  type PortAspect,
  type PortSettings,
  type PortState,
  type SwitchDevice,
  type SwitchEvent,
  type SwitchResult,
  vlanSetOf,
} from '../index.ts';

/** One switch that the contract is tried on. */
export interface ContractSwitch {
  readonly device: SwitchDevice;
  /** Two ports that nothing else uses. */
  readonly ports: readonly [string, string];
  /** Changes the untagged VLAN of a port by another way than the device. */
  setUntaggedVlan(port: string, vlan: number): Promise<void>;
  /** Devices to the same switch that are to fail, where the set-up can make them. */
  readonly unreachable?: SwitchDevice;
  readonly denied?: SwitchDevice;
  close(): Promise<void>;
}

/** A kind of switch that the contract is tried on. */
export interface ContractTarget {
  readonly name: string;
  open(): Promise<ContractSwitch>;
}

const deny22: AclEntry = {
  family: 'ipv4',
  action: 'deny',
  protocol: 'tcp',
  source: '192.0.2.0/24',
  sourcePorts: [],
  destinationPorts: [
    { first: 22, last: 30 },
    { first: 8080, last: 8080 },
  ],
};
const acl: readonly AclEntry[] = [
  deny22,
  {
    family: 'ipv4',
    action: 'deny',
    protocol: 'icmp',
    destination: '198.51.100.7/32',
    sourcePorts: [],
    destinationPorts: [],
  },
  {
    family: 'ipv6',
    action: 'allow',
    protocol: 'udp',
    source: '2001:db8::/32',
    sourcePorts: [{ first: 53, last: 53 }],
    destinationPorts: [],
  },
  { family: 'ipv4', action: 'allow', protocol: 'all', sourcePorts: [], destinationPorts: [] },
];

const access: PortSettings = { isDisabled: false, untaggedVlan: 10, taggedVlans: [], acl: [] };
const trunk: PortSettings = {
  isDisabled: false,
  untaggedVlan: 99,
  taggedVlans: vlanSetOf([{ first: 20, last: 22 }, 40]),
  acl: [],
};
const taggedOnly: PortSettings = { isDisabled: false, taggedVlans: vlanSetOf([20, 21]), acl: [] };

/** What every way to a switch must do. The target is opened once; each test leaves the ports as it likes. */
export function switchContract(target: ContractTarget): void {
  describe(`the switch contract on ${target.name}`, { concurrency: false }, () => {
    let opened: Promise<ContractSwitch> | undefined;
    const at = (): Promise<ContractSwitch> => {
      opened ??= target.open();
      return opened;
    };
    const check = (name: string, run: (seen: ContractSwitch) => Promise<void>): void => {
      it(name, async () => run(await at()));
    };

    check('verifies without writing and lists the ports it can list', async ({ device, ports }) => {
      valueIn(await device.verify());
      const listed = await device.listPorts();
      if (!device.abilities.canListPorts) return assert.equal(listed.kind, 'unsupported');
      const names = valueIn(listed).map(({ port }) => port);
      for (const port of ports) assert.ok(names.includes(port), `${port} is in ${names.join(' ')}`);
    });

    check('sets an access port and reads it back', async ({ device, ports: [port] }) => {
      const state = await applied(device, { port, wanted: access });
      assertIs(state, access);
      assertIs(await seenOn(device, port), access);
    });

    check('says what it would change, and writes nothing for it', async ({ device, ports: [port] }) => {
      await applied(device, { port, wanted: access });
      const plan = valueIn(only(await device.plan([{ port, wanted: { ...access, untaggedVlan: 11 } }])));
      if (plan.unread.includes('untaggedVlan')) return;
      assert.deepEqual(plan.differences, [{ aspect: 'untaggedVlan', seen: '10', wanted: '11' }]);
      assertIs(await seenOn(device, port), access);
      assert.deepEqual(valueIn(only(await device.plan([{ port, wanted: access }]))).differences, []);
    });

    check('goes from trunk to access and leaves nothing of the trunk', async ({ device, ports: [port] }) => {
      if (!device.abilities.writes.includes('taggedVlans')) {
        assert.equal(only(await device.apply([{ port, wanted: trunk }])).kind, 'unsupported');
        return;
      }
      assertIs(await applied(device, { port, wanted: trunk }), trunk);
      assertIs(await applied(device, { port, wanted: access }), access);
    });

    check('sets a port that carries tagged frames only, or says that it cannot', async ({ device, ports: [port] }) => {
      const result = only(await device.apply([{ port, wanted: taggedOnly }]));
      if (result.kind !== 'unsupported') assertIs(valueIn(result), taggedOnly);
    });

    check(
      'puts access lists on a port in order, changes them and takes them off',
      async ({ device, ports: [port] }) => {
        const wanted = { ...access, acl };
        const result = only(await device.apply([{ port, wanted }]));
        if (!device.abilities.writes.includes('acl')) return assert.equal(result.kind, 'unsupported');
        assertIs(valueIn(result), wanted);
        const turned = { ...access, acl: acl.toReversed() };
        assertIs(await applied(device, { port, wanted: turned }), turned);
        assertIs(await applied(device, { port, wanted: access }), access);
      },
    );

    check('shuts a port down and opens it again', async ({ device, ports: [port] }) => {
      const wanted = { ...access, isDisabled: true };
      const result = only(await device.apply([{ port, wanted }]));
      if (!device.abilities.writes.includes('disabled')) return assert.equal(result.kind, 'unsupported');
      assertIs(valueIn(result), wanted);
      assertIs(await applied(device, { port, wanted: access }), access);
    });

    check('cleans a port into the parking VLAN, and into none', async ({ device, ports: [port] }) => {
      await applied(device, { port, wanted: device.abilities.writes.includes('acl') ? { ...access, acl } : access });
      assertIs(valueIn(only(await device.clear([{ port, parkingVlan: 999 }]))), cleanSettings(999));
      const bare = only(await device.clear([{ port }]));
      if (bare.kind !== 'unsupported') assertIs(valueIn(bare), cleanSettings());
    });

    check(
      'sets several ports in one call, and one bad port spoils no other',
      async ({ device, ports: [one, other] }) => {
        const missing = 'nosuchport7';
        const results = await device.apply([
          { port: one, wanted: { ...access, untaggedVlan: 31 } },
          { port: missing, wanted: access },
          { port: other, wanted: { ...access, untaggedVlan: 32 } },
        ]);
        assert.notEqual(results.get(missing)?.kind, 'done');
        assertIs(await seenOn(device, one), { ...access, untaggedVlan: 31 });
        assertIs(await seenOn(device, other), { ...access, untaggedVlan: 32 });
      },
    );

    check('sees what somebody else changed, where it can read that', async (seen) => {
      const [port] = seen.ports;
      await applied(seen.device, { port, wanted: access });
      await seen.setUntaggedVlan(port, 77);
      if (!seen.device.abilities.reads.includes('untaggedVlan')) {
        assert.equal((await seenOn(seen.device, port)).untaggedVlan, undefined);
        return;
      }
      assert.equal((await seenOn(seen.device, port)).untaggedVlan, 77);
    });

    check('tells watchers of a change that somebody else made, or has none', async (seen) => {
      if (!seen.device.abilities.canWatch) {
        assert.equal(
          seen.device.watch(() => {}),
          undefined,
        );
        return;
      }
      const [port] = seen.ports;
      await applied(seen.device, { port, wanted: access });
      const watch = await watched(seen.device);
      await seen.setUntaggedVlan(port, 78);
      await watch.until((event) => event.kind === 'changed' && event.ports.includes(port));
      watch.close();
      assert.equal((await seenOn(seen.device, port)).untaggedVlan, 78);
    });

    check('refuses VLANs that do not exist and names that are none', async ({ device, ports: [port] }) => {
      for (const vlan of [0, 4095, 1.5]) {
        assert.equal(only(await device.apply([{ port, wanted: { ...access, untaggedVlan: vlan } }])).kind, 'refused');
      }
      for (const name of hostileNames) {
        assert.equal(only(await device.apply([{ port: name, wanted: access }])).kind, 'no-port', name);
        assert.equal(only(await device.readPorts([name])).kind, 'no-port', name);
      }
    });

    check('hears its neighbours, or says that it cannot', async ({ device }) => {
      const heard = await device.readNeighbours();
      assert.equal(heard.kind, device.abilities.canReadNeighbours ? 'done' : 'unsupported');
    });

    check(
      'says what is wrong when the switch is gone or refuses the login',
      async ({ unreachable, denied, ports: [port] }) => {
        if (unreachable !== undefined) {
          assert.equal((await unreachable.verify()).kind, 'unreachable');
          assert.equal(only(await unreachable.apply([{ port, wanted: access }])).kind, 'unreachable');
        }
        if (denied === undefined) return;
        assert.match((await denied.verify()).kind, /^(denied|untrusted)$/);
        assert.match(only(await denied.apply([{ port, wanted: access }])).kind, /^(denied|untrusted)$/);
      },
    );

    check('gives up when the caller does, and when it is closed', async (seen) => {
      const { device, ports } = seen;
      const [port] = ports;
      const signal = AbortSignal.abort();
      assert.equal(only(await device.apply([{ port, wanted: trunk }], { signal })).kind, 'cancelled');
      await device.close();
      assert.equal((await device.verify()).kind, 'cancelled');
      await seen.close();
    });
  });
}

const hostileNames = [
  '',
  'a b',
  'x; reboot',
  '$(reboot)',
  '`id`',
  "a'b",
  'a"b',
  '{{ 7*7 }}',
  '{% raw %}',
  'a\nshutdown',
  '-rf',
  '../etc',
  'a: b',
  '!unsafe x',
  'swp1\u0000',
];

function only<T>(results: ReadonlyMap<string, SwitchResult<T>>): SwitchResult<T> {
  assert.equal(results.size, 1);
  const [result] = results.values();
  assert.ok(result !== undefined);
  return result;
}

function valueIn<T>(result: SwitchResult<T>): T {
  assert.ok(result.kind === 'done', JSON.stringify(result));
  return result.value;
}

async function applied(device: SwitchDevice, change: { readonly port: string; readonly wanted: PortSettings }) {
  return valueIn(only(await device.apply([change])));
}

async function seenOn(device: SwitchDevice, port: string): Promise<PortState> {
  return valueIn(only(await device.readPorts([port])));
}

/** Compares what can be read. */
function assertIs(seen: PortState, wanted: PortSettings): void {
  const told = (aspect: PortAspect): boolean => !seen.unread.includes(aspect);
  const shown = (settings: PortSettings) => ({
    disabled: told('disabled') && settings.isDisabled,
    untaggedVlan: told('untaggedVlan') ? settings.untaggedVlan : undefined,
    taggedVlans: told('taggedVlans') ? settings.taggedVlans : [],
    acl: told('acl') ? formatAcl(settings.acl) : '',
  });
  assert.deepEqual(shown(seen), shown(wanted));
  assert.deepEqual(seen.strays, []);
}

/** Watches, and resolves when the watch is in force. */
async function watched(device: SwitchDevice) {
  const events: SwitchEvent[] = [];
  let look = (): void => undefined;
  const watch = device.watch((event) => {
    events.push(event);
    look();
  });
  assert.ok(watch !== undefined);
  const until = (isIt: (event: SwitchEvent) => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (events.some(isIt)) resolve();
      };
      look();
    });
  await until(({ kind }) => kind === 'restarted');
  return { until, close: () => watch.close() };
}
