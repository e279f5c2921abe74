import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFirmwareRow } from './firmware-row.ts';
import { toHostRow } from './host-row.ts';
import { indexFirmware, joinFirmware } from './join-firmware.ts';
import { bmcHost, type ServerRow, toServerRow } from './server-row.ts';

interface Marks {
  readonly mac?: string;
  readonly serial?: string;
  readonly address?: string;
}

function host(key: string, { mac, serial, address }: Marks = {}) {
  const [namespace = '', name = ''] = key.split('/');
  return toHostRow({
    metadata: { namespace, name },
    spec: { bootMACAddress: mac, ...(address === undefined ? {} : { bmc: { address } }) },
    status: serial === undefined ? {} : { hardware: { systemVendor: { serialNumber: serial } } },
  } as Parameters<typeof toHostRow>[0]);
}

function server(name: string, { mac, serial, address }: Marks = {}): ServerRow {
  return toServerRow({
    metadata: { name },
    spec: address === undefined ? {} : { bmc: { address } },
    status: { serialNumber: serial, networkInterfaces: mac === undefined ? [] : [{ macAddress: mac }] },
  } as Parameters<typeof toServerRow>[0]);
}

/** Which server's firmware each host gets; every server has one. */
function joined(hosts: readonly ReturnType<typeof host>[], servers: readonly ServerRow[]): Record<string, string> {
  const firmwares = servers.map(({ name }) =>
    toFirmwareRow({ metadata: { name: `of-${name}` }, spec: { serverRef: { name } } } as Parameters<
      typeof toFirmwareRow
    >[0]),
  );
  const found = joinFirmware(hosts, indexFirmware(firmwares, servers));
  return Object.fromEntries([...found].map(([key, row]) => [key, row.server]));
}

test('a host that is called unlike its BMC has the firmware of its machine', () => {
  const [mac, serial] = ['02:00:00:00:00:01', 'SN1'];
  assert.deepEqual(joined([host('a/web', { mac })], [server('r01-s01-system-0', { mac })]), {
    'a/web': 'r01-s01-system-0',
  });
  assert.deepEqual(joined([host('a/web', { serial })], [server('r01-s01-system-0', { serial })]), {
    'a/web': 'r01-s01-system-0',
  });
  const address = 'redfish+https://192.0.2.7:443/redfish/v1/Systems/1';
  assert.deepEqual(joined([host('a/web', { address })], [server('one', { address: '192.0.2.7' })]), {
    'a/web': 'one',
  });
  assert.deepEqual(joined([host('a/web', { mac: mac.toUpperCase() })], [server('one', { mac })]), { 'a/web': 'one' });
});

test('two hosts of one name in two namespaces have the firmware of their own machines, or none', () => {
  const machine = server('x-system-0', { serial: 'SN1', mac: '02:00:00:00:00:01' });
  assert.deepEqual(joined([host('a/x', { serial: 'SN1' }), host('b/x', { serial: 'SN2' })], [machine]), {
    'a/x': 'x-system-0',
  });
  assert.deepEqual(joined([host('a/x', { serial: 'SN1' }), host('b/x')], [machine]), { 'a/x': 'x-system-0' });
  assert.deepEqual(joined([host('a/x'), host('b/x')], [machine]), {});
});

test('a name counts where nothing else is known, and not where the machine is another one', () => {
  const plain = server('x-system-0');
  assert.deepEqual(joined([host('a/x', { serial: 'SN1', mac: '02:00:00:00:00:01' })], [plain]), {
    'a/x': 'x-system-0',
  });
  const others: [Marks, Marks][] = [
    [{ serial: 'SN1' }, { serial: 'SN2' }],
    [{ mac: '02:00:00:00:00:01' }, { mac: '02:00:00:00:00:02' }],
    [{ address: 'redfish://192.0.2.7' }, { address: '192.0.2.8' }],
  ];
  for (const [one, other] of others) assert.deepEqual(joined([host('a/x', one)], [server('x-system-0', other)]), {});
  const [byName, byAddress] = [{ address: 'redfish://bmc-x.example' }, { address: '192.0.2.8' }];
  assert.deepEqual(joined([host('a/x', byName)], [server('x-system-0', byAddress)]), { 'a/x': 'x-system-0' });
});

test('a serial number that several servers have tells of none of them', () => {
  const serial = 'To be filled by O.E.M.';
  const servers = [server('y-system-0', { serial }), server('x-system-0', { serial })];
  assert.deepEqual(joined([host('a/x', { serial })], servers), { 'a/x': 'x-system-0' });
});

test('servers that may not be read are found by the name that their firmware has', () => {
  const row = toFirmwareRow({ metadata: { name: 'x-system-0' } });
  assert.equal(joinFirmware([host('a/x')], indexFirmware([row], [])).get('a/x'), row);
});

test('the place of a BMC is read out of its address', () => {
  const rows: [string | undefined, string][] = [
    ['redfish-virtualmedia+https://127.0.1.8:37693/redfish/v1/Systems/1', '127.0.1.8'],
    ['ipmi://BMC-7.example:623', 'bmc-7.example'],
    ['192.0.2.7', '192.0.2.7'],
    ['redfish://[2001:db8::7]:443/x', '2001:db8::7'],
    ['2001:DB8::7', '2001:db8::7'],
    [undefined, ''],
  ];
  for (const [address, place] of rows) assert.equal(bmcHost(address), place);
});
