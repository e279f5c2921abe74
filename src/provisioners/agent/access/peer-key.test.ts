import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../../kube/index.ts';
import { defaultAgentLimits } from '../limits.ts';
import { createDoor } from './door.ts';
import { peerKeyOf } from './peer-key.ts';

test('callers are counted by their address, and by their network where that is IPv6', () => {
  const cases: readonly [string, string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['', ''],
  ];
  for (const [peer, key] of cases) assert.equal(peerKeyOf(peer), key, peer);
});

test('another address of the same network begins with nothing of its own', () => {
  const limits = { ...defaultAgentLimits, perPeer: { burst: 1, perSecond: 1 } };
  const door = createDoor({ clock: createFakeClock(), limits });
  door.enter('2001:db8::1');
  assert.throws(() => door.enter('2001:db8::2'), /too many requests/);
  door.enter('2001:db8:0:1::1');
});
