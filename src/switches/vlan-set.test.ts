import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { formatAcl, parsePorts } from './acl.ts';
import { flowText, parseFlowLine } from './ansible/systems/flow-text.ts';
import { formatNetwork, parseNetwork } from './network-address.ts';
import { aclOfFlows, flowsOfAcl, masksOfSpan } from './ovs/openflow/index.ts';
import { createJsonFrames } from './ovs/ovsdb/index.ts';
import type { AclEntry } from './port-settings.ts';
import { recordOfSettings, settingsOfSpec } from './settings-of-spec.ts';
import { countVlans, formatVlans, idsOf, parseVlans, vlanSetOf, withoutVlans } from './vlan-set.ts';

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4094 }), { maxLength: 40 });

test('a set of VLANs is written and read back, and holds what was put in', () => {
  fc.assert(
    fc.property(ids, (some) => {
      const set = vlanSetOf(some);
      assert.deepEqual(
        idsOf(set),
        some.toSorted((a, b) => a - b),
      );
      assert.equal(countVlans(set), some.length);
      if (some.length > 0) assert.deepEqual(parseVlans(formatVlans(set)), set);
    }),
  );
});

test('taking VLANs away leaves exactly the others', () => {
  fc.assert(
    fc.property(ids, ids, (some, taken) => {
      const rest = idsOf(withoutVlans(vlanSetOf(some), vlanSetOf(taken)));
      assert.deepEqual(
        rest,
        some.filter((id) => !taken.includes(id)).toSorted((a, b) => a - b),
      );
    }),
  );
});

test('texts that are no VLANs, networks or ports are not read', () => {
  for (const text of ['', '0', '4095', '10-5', '1,,2', '1-', 'a', '1;2', '1-2-3', ' ', '99999'])
    assert.equal(parseVlans(text), undefined, text);
  for (const text of ['', '1.2.3', '1.2.3.4/33', '::/129', 'fe80::1%eth0', '1.2.3.4/', '1.2.3.4/8/8', 'x/8'])
    assert.equal(parseNetwork(text), undefined, text);
  for (const text of ['', '65536', '5-4', '-1', 'ssh']) assert.equal(parsePorts(text), undefined, text);
});

test('networks are written one way, without host bits', () => {
  const shown = (text: string) => formatNetwork(parseNetwork(text) ?? assert.fail(text));
  assert.equal(shown('192.0.2.77/24'), '192.0.2.0/24');
  assert.equal(shown('192.0.2.77'), '192.0.2.77/32');
  assert.equal(shown('2001:DB8:0:0::77/32'), '2001:db8::/32');
  assert.equal(shown('::ffff:192.0.2.1/128'), '::ffff:c000:201/128');
});

test('bad configurations are refused with the field that is wrong', () => {
  const bad = settingsOfSpec({
    untaggedVLAN: 4095,
    vlans: '20-10',
    acl: [
      { type: 'ipv4', action: 'deny', protocol: 'ICMP', desPortRange: '22' },
      { type: 'ipv4', action: 'deny', src: '2001:db8::/32' },
    ],
  });
  assert.equal(bad.kind, 'bad');
  assert.equal(bad.kind === 'bad' && bad.problems.length, 4);
  assert.match(
    bad.kind === 'bad' ? bad.problems.join('; ') : '',
    /untaggedVLAN 4095.*vlans "20-10".*acl\[0\].*acl\[1\]\.src/,
  );
});

test('settings are recorded so that reading the record gives the same settings', () => {
  const read = settingsOfSpec({
    untaggedVLAN: 10,
    vlans: '10-12, 40',
    acl: [{ type: 'ipv4', action: 'allow', protocol: 'TCP', src: '192.0.2.9/24', desPortRange: '80, 22-30' }],
  });
  assert.ok(read.kind === 'settings');
  assert.deepEqual(recordOfSettings(read.settings), {
    acl: [{ type: 'ipv4', action: 'allow', protocol: 'TCP', src: '192.0.2.0/24', desPortRange: '22-30,80' }],
    untaggedVLAN: 10,
    vlans: '11-12,40',
    disabled: false,
  });
});

test('masks cover exactly the ports of their span', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 65535 }), fc.integer({ min: 0, max: 65535 }));
  fc.assert(
    fc.property(span, fc.integer({ min: 0, max: 65535 }), ([a, b], port) => {
      const [first, last] = [Math.min(a, b), Math.max(a, b)];
      const isCovered = masksOfSpan({ first, last }).filter(({ value, mask }) => (port & mask) === value).length;
      assert.equal(isCovered, port >= first && port <= last ? 1 : 0);
    }),
  );
});

const ports = fc
  .array(fc.tuple(fc.nat(65534), fc.nat(65534)), { maxLength: 3 })
  .map((pairs) =>
    pairs.length === 0
      ? []
      : (parsePorts(pairs.map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`).join(',')) ?? []),
  );
const network = (family: 'ipv4' | 'ipv6') =>
  (family === 'ipv4'
    ? fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 }))
    : fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 128 }))
  ).map(([address, length]) => formatNetwork(parseNetwork(`${address}/${length}`) ?? assert.fail(address)));
const entry: fc.Arbitrary<AclEntry> = fc
  .tuple(
    fc.constantFrom('ipv4' as const, 'ipv6' as const),
    fc.constantFrom('tcp' as const, 'udp' as const, 'icmp' as const, 'all' as const),
  )
  .chain(([family, protocol]) =>
    fc.record({
      family: fc.constant(family),
      action: fc.constantFrom('allow' as const, 'deny' as const),
      protocol: fc.constant(protocol),
      source: fc.option(network(family), { nil: undefined }),
      destination: fc.option(network(family), { nil: undefined }),
      sourcePorts: protocol === 'tcp' || protocol === 'udp' ? ports : fc.constant([]),
      destinationPorts: protocol === 'tcp' || protocol === 'udp' ? ports : fc.constant([]),
    }),
  );

test('an access list becomes flows that read back as the same list, and one flow less is seen', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (acl) => {
      const flows = flowsOfAcl(acl, 7);
      const back = aclOfFlows(flows, 7);
      assert.equal(formatAcl(back.acl), formatAcl(acl));
      assert.deepEqual(back.strays, []);
      const less = aclOfFlows(flows.slice(0, -1), 7);
      assert.notEqual(less.strays.length, 0);
      assert.deepEqual(aclOfFlows(flows, 8).acl, []);
    }),
    { numRuns: 50 },
  );
});

test('flows are written for ovs-ofctl, and its own words for them are read back', () => {
  const acl: AclEntry[] = [
    {
      family: 'ipv4',
      action: 'deny',
      protocol: 'tcp',
      source: '192.0.2.0/24',
      sourcePorts: [],
      destinationPorts: [{ first: 22, last: 23 }],
    },
  ];
  const [flow] = flowsOfAcl(acl, 3);
  assert.equal(
    flow && flowText(flow),
    'cookie=0x52414b5700000000,priority=45000,in_port=3,eth_type=0x0800,ip_proto=0x06,nw_src=192.0.2.0/255.255.255.0,tcp_dst=0x0016/0xfffe,actions=drop',
  );
  const dumped = [
    ' cookie=0x52414b5700000000, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=45000,tcp,in_port=3,nw_src=192.0.2.0/24,tp_dst=0x16/0xfffe actions=drop',
    ' cookie=0x52414b570000ffff, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=40001,icmp6,in_port=3,icmp_type=133 actions=NORMAL',
    ' cookie=0x52414b570000ffff, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=40001,icmp6,in_port=3,icmp_type=135 actions=NORMAL',
    ' cookie=0x52414b570000ffff, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=40001,icmp6,in_port=3,icmp_type=136 actions=NORMAL',
    ' cookie=0x52414b570000ffff, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=40000,ip,in_port=3 actions=drop',
    ' cookie=0x52414b570000ffff, duration=1.2s, table=0, n_packets=0, n_bytes=0, priority=40000,ipv6,in_port=3 actions=drop',
  ].flatMap((line) => parseFlowLine(line) ?? []);
  const back = aclOfFlows(dumped, 3);
  assert.deepEqual(back.strays, []);
  assert.equal(formatAcl(back.acl), formatAcl(acl));
});

test('a stream of objects is cut right wherever the network cuts it', () => {
  const object = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('}{"\\'), fc.dictionary(fc.string(), fc.string())),
  );
  fc.assert(
    fc.property(fc.array(object, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (objects, step) => {
      const bytes = Buffer.from(objects.map((each) => JSON.stringify(each)).join(''));
      const frames = createJsonFrames({ maxBytes: 1 << 20 });
      const seen: unknown[] = [];
      for (let at = 0; at < bytes.length; at += step) seen.push(...frames.push(bytes.subarray(at, at + step)));
      assert.equal(JSON.stringify(seen), JSON.stringify(objects));
    }),
  );
});

test('a stream without end of an object is given up', () => {
  const frames = createJsonFrames({ maxBytes: 100 });
  assert.throws(() => frames.push(Buffer.from(`{"a":"${'x'.repeat(200)}`)), /more than 100 bytes/);
});
