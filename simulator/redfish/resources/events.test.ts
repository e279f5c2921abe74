import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineEvent } from '../../machine/machine.ts';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const subscriptions = '/redfish/v1/EventService/Subscriptions';
const order = {
  Destination: 'https://127.0.0.1:9/events',
  Protocol: 'Redfish',
  Context: 'mine',
  EventTypes: ['Alert'],
};

test('a subscription is made, shown, changed where it can be, and taken away', async () => {
  const { ask, get, machine } = createAskedMachine();
  const made = await ask('POST', subscriptions, { body: order });
  assert.equal(made.status, 201);
  const path = made.headers?.Location ?? '';
  const body = await get(path);
  assert.deepEqual(
    [body.Destination, body.Context, body.EventTypes, body.EventFormatType],
    [order.Destination, 'mine', ['Alert'], 'Event'],
  );
  assert.equal((await ask('PATCH', path, { body: { EventTypes: ['StatusChange'] } })).status, 200);
  assert.deepEqual((await get(path)).EventTypes, ['StatusChange']);
  assert.deepEqual(messageIds(await ask('PATCH', path, { body: { Destination: 'http://x/' } })), [
    'Base.1.8.PropertyNotWritable',
  ]);
  assert.equal((await ask('DELETE', path)).status, 204);
  assert.deepEqual(machine.events.subscriptions, []);
  assert.equal(machine.notes.size, 0);
  assert.equal((await ask('DELETE', path)).status, 404);
});

test('a subscription is refused when it misses something, cannot be reached, or is one too many', async () => {
  const { ask } = createAskedMachine();
  const refused: [object, string][] = [
    [{ Destination: undefined }, 'PropertyMissing'],
    [{ Protocol: undefined }, 'PropertyMissing'],
    [{ Protocol: 'SNMPv2c' }, 'PropertyValueNotInList'],
    [{ Destination: 'somewhere' }, 'PropertyValueFormatError'],
    [{ Context: 7 }, 'PropertyValueTypeError'],
  ];
  for (const [change, key] of refused) {
    const answer = await ask('POST', subscriptions, { body: { ...order, ...change } });
    assert.deepEqual(messageIds(answer), [`Base.1.8.${key}`]);
  }
  for (let count = 0; count < plainPersonality.limits.subscriptions; count++) {
    assert.equal((await ask('POST', subscriptions, { body: order })).status, 201);
  }
  assert.deepEqual(messageIds(await ask('POST', subscriptions, { body: order })), [
    'Base.1.8.CreateLimitReachedForResource',
  ]);
});

test('a test event reaches those who listen', async () => {
  const { ask, machine } = createAskedMachine();
  const seen: MachineEvent[] = [];
  const stop = machine.events.listen((event) => seen.push(event));
  const body = { MessageId: 'ResourceEvent.1.0.ResourceChanged', Severity: 'Warning', Message: 'Hello' };
  assert.equal(
    (await ask('POST', '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent', { body })).status,
    204,
  );
  stop();
  assert.deepEqual(
    seen.map(({ messageId, severity, message }) => [messageId, severity, message]),
    [['ResourceEvent.1.0.ResourceChanged', 'Warning', 'Hello']],
  );
});

test('a service without a stream of events does not offer one', async () => {
  const { get } = createAskedMachine();
  assert.equal((await get('/redfish/v1/EventService')).ServerSentEventUri, '/redfish/v1/EventService/SSE');
  const service = { ...plainPersonality.service, hasEventStream: false };
  const other = createAskedMachine({ personality: { ...plainPersonality, service } });
  assert.equal((await other.get('/redfish/v1/EventService')).ServerSentEventUri, undefined);
});
