import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AclEntry } from '../../port-settings.ts';
import { aclLines, readAclLines } from './eos-acl.ts';

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
const lists = () => ({ ipv4: aclLines(acl, 'ipv4'), ipv6: aclLines(acl, 'ipv6') });

test('a list is read back as it was written', () => {
  assert.deepEqual(readAclLines(lists()), { acl, strays: [] });
  assert.deepEqual(readAclLines({ ipv4: undefined, ipv6: undefined }), { acl: [], strays: [] });
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
    const { strays } = readAclLines({ ...seen, [family]: [...seen[family], line] });
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
      const read = readAclLines({ ...seen, [family]: seen[family].filter((each) => each !== line) });
      assert.notDeepEqual(read, { acl, strays: [] }, line);
    }
  }
});
