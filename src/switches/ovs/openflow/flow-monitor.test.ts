import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFlowChanges, encodeFlowMonitor } from './flow-monitor.ts';

const hex = (...parts: readonly string[]): Buffer => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
const own = '52414b57 00000000';

/** A change as OpenFlow 1.4 writes it, of a flow that matches IPv4 on a port. */
const changed = (event: string, { priority = '9c40', cookie = own, port = '00000002' } = {}): Buffer =>
  hex(
    `0030 ${event} 00 00 0000 0000 ${priority} 00000000 ${cookie}`,
    `0001 0012 80000004 ${port} 80000a02 0800 000000000000`,
  );

test('a monitor asks for changes of table 0 by others, and is ended by its number', () => {
  const rest = (command: string) => hex('00000001 ffffffff ffffffff 000e 00', command, '0001 0004 00000000');
  assert.deepEqual(encodeFlowMonitor('add'), rest('00'));
  assert.deepEqual(encodeFlowMonitor('delete'), rest('02'));
});

test('flows that were added, taken away or changed name the ports that they are on, each once', () => {
  const body = Buffer.concat([changed('0001'), changed('0002', { port: '00000007' }), changed('0003')]);
  assert.deepEqual(decodeFlowChanges(body), { ofports: [2, 7], isIncomplete: false });
});

test('a flow counts by its cookie or by its priority, for somebody may put another one in the place of ours', () => {
  const ofports = (flow: object) => decodeFlowChanges(changed('0001', flow)).ofports;
  assert.deepEqual(ofports({ cookie: '0000000000000000' }), [2]);
  assert.deepEqual(ofports({ priority: '0001' }), [2]);
  assert.deepEqual(ofports({ cookie: '0000000000000000', priority: '0001' }), []);
});

test('changes of our own, which name no flow, and a pause are no changes; after a pause nothing is certain', () => {
  const short = (event: string) => hex('0008', event, '00000000');
  assert.deepEqual(decodeFlowChanges(short('0004')), { ofports: [], isIncomplete: false });
  assert.deepEqual(decodeFlowChanges(short('0005')), { ofports: [], isIncomplete: false });
  assert.deepEqual(decodeFlowChanges(Buffer.concat([short('0004'), short('0006')])), {
    ofports: [],
    isIncomplete: true,
  });
});

test('an update whose length cannot be is an error', () => {
  assert.throws(() => decodeFlowChanges(hex('0000 0001 00000000')), /a flow update of 0 bytes/);
  assert.throws(() => decodeFlowChanges(changed('0001').subarray(0, 40)), /a flow update of 48 bytes/);
  assert.throws(() => decodeFlowChanges(hex('0010 0002 0000000000000000 00000000')), /a changed flow of 16 bytes/);
});
