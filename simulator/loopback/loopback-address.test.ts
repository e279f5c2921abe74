import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, refusalToReach } from './loopback-address.ts';

const own = ['127.0.0.1', '127.3.2.1', '[::1]', 'localhost', 'LOCALHOST'];
const foreign = ['192.0.2.1', '128.0.0.1', '0.0.0.0', '[::]', '[2001:db8::1]', 'example.com', '127.0.0.1.example.com'];

test('only loopback addresses count as loopback', () => {
  for (const host of [...own, '::1']) assert.ok(isLoopback(host), host);
  for (const host of foreign) assert.ok(!isLoopback(host), host);
});

test('only loopback addresses are reached, however they are written, and a refusal says why', async () => {
  for (const host of [...own, '2130706433', '0x7f.1']) {
    assert.equal(await refusalToReach(new URL(`http://${host}:8080/x`)), undefined, host);
  }
  for (const host of [...foreign, '3221225985']) {
    assert.match((await refusalToReach(new URL(`http://${host}/x`))) ?? '', /stays on loopback/, host);
  }
});
