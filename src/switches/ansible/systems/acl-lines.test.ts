import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AclEntry } from '../../port-settings.ts';
import { aclLines, readAclLines } from './acl-lines.ts';

const span = (first: number, last = first) => ({ first, last });
const rule = (more: Partial<AclEntry> = {}): AclEntry => ({
  family: 'ipv4',
  action: 'deny',
  protocol: 'tcp',
  source: undefined,
  sourcePorts: [],
  destination: undefined,
  destinationPorts: [],
  ...more,
});
const acl: readonly AclEntry[] = [
  rule({
    source: '192.0.2.0/24',
    sourcePorts: [span(1), span(3, 4)],
    destination: '198.51.100.7/32',
    destinationPorts: [span(22), span(80, 90)],
  }),
  rule({ family: 'ipv6', protocol: 'all', source: '2001:db8::/32' }),
  rule({ action: 'allow', protocol: 'all' }),
];
const words = {
  icmpv6: 'icmpv6',
  discovery: ['neighbor-solicitation', 'neighbor-advertisement', 'router-solicitation'],
};
const lists = () => ({ ipv4: aclLines(acl, 'ipv4', words), ipv6: aclLines(acl, 'ipv6', words) });
const read = (seen: Parameters<typeof readAclLines>[0]) => readAclLines(seen, words);

test('a list is read back as it was written', () => {
  assert.deepEqual(read(lists()), { acl, strays: [] });
  assert.deepEqual(read({ ipv4: undefined, ipv6: undefined }), { acl: [], strays: [] });
});

test('no line that somebody adds is taken for a part of a rule', () => {
  const cases = [
    ['ipv4', '104 permit ip any any'],
    ['ipv4', '150 permit ip any any'],
    ['ipv4', '150 deny tcp 203.0.113.0/24 any eq 22'],
    ['ipv4', '150 deny tcp 192.0.2.0/24 eq 1 host 198.51.100.7 eq 22'],
    ['ipv4', '900000 permit ip any any'],
    ['ipv6', '250 permit ipv6 any any'],
    ['ipv6', '899999 permit icmpv6 any any echo-request'],
    ['ipv6', '900003 permit icmpv6 any any echo-request'],
    ['ipv6', '900004 permit ipv6 any any'],
    ['ipv6', '900005 permit icmpv6 any any'],
  ] as const;
  for (const [family, line] of cases) {
    const seen = lists();
    const { strays } = read({ ...seen, [family]: [...seen[family], line] });
    assert.ok(
      strays.some((stray) => stray.includes(JSON.stringify(line))),
      `${line}: ${JSON.stringify(strays)}`,
    );
  }
});

test('no line that somebody deletes goes unseen', () => {
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const line of lists()[family]) {
      const seen = lists();
      const found = read({ ...seen, [family]: seen[family].filter((each) => each !== line) });
      assert.notDeepEqual(found, { acl, strays: [] }, line);
    }
  }
});

test('ports are known by the names that switches print for them, and a name that nobody knows is not taken for any port', () => {
  const seen = lists();
  const named = seen.ipv4.map((line) => line.replace(/eq 22$/, 'eq ssh').replace(/range 80 90$/, 'range www 90'));
  assert.notDeepEqual(named, seen.ipv4);
  assert.deepEqual(read({ ...seen, ipv4: named }), { acl, strays: [] });
  const strange = seen.ipv4.map((line) => line.replace(/eq 22$/, 'eq no-such-port'));
  assert.ok(read({ ...seen, ipv4: strange }).strays.some((stray) => stray.includes('no-such-port')));
});
