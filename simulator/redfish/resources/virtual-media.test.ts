import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const drive = '/redfish/v1/Managers/bmc/VirtualMedia/Cd';
const insert = `${drive}/Actions/VirtualMedia.InsertMedia`;
const eject = `${drive}/Actions/VirtualMedia.EjectMedia`;
const Image = 'http://127.0.0.1/images/agent.iso';

test('an image goes into an empty drive, once, and out again', async () => {
  const { ask, get, machine } = createAskedMachine();
  assert.equal((await ask('POST', insert, { body: { Image } })).status, 204);
  const body = await get(drive);
  assert.deepEqual(
    [body.Inserted, body.Image, body.ImageName, body.ConnectedVia, body.WriteProtected],
    [true, Image, 'agent.iso', 'URI', true],
  );
  assert.deepEqual(messageIds(await ask('POST', insert, { body: { Image } })), ['Base.1.8.ResourceInUse']);
  assert.equal((await ask('POST', eject)).status, 204);
  assert.equal(machine.media.get('Cd'), undefined);
  assert.equal((await ask('POST', eject)).status, 409);
});

test('an image without an address, or with none that can be fetched, is refused', async () => {
  const { ask } = createAskedMachine();
  assert.deepEqual(messageIds(await ask('POST', insert)), ['Base.1.8.ActionParameterMissing']);
  for (const bad of ['agent.iso', 'gopher://127.0.0.1/x', 7]) {
    assert.deepEqual(messageIds(await ask('POST', insert, { body: { Image: bad } })), [
      'Base.1.8.ActionParameterValueFormatError',
    ]);
  }
});

test('the older form writes Image, and null ejects', async () => {
  const { ask, get } = createAskedMachine();
  assert.equal((await ask('PATCH', drive, { body: { Image, Inserted: true, WriteProtected: false } })).status, 200);
  const body = await get(drive);
  assert.deepEqual([body.Image, body.WriteProtected], [Image, false]);
  assert.equal((await ask('PATCH', drive, { body: { Image: null } })).status, 200);
  assert.equal((await get(drive)).Inserted, false);
  assert.deepEqual(messageIds(await ask('PATCH', drive, { body: {} })), ['Base.1.8.PropertyMissing']);
});

test('drives that hang under the system are there and not under the manager', async () => {
  const ids = { ...plainPersonality.ids, isVirtualMediaOfSystem: true };
  const { ask, get } = createAskedMachine({ personality: { ...plainPersonality, ids } });
  assert.equal((await get('/redfish/v1/Systems/system/VirtualMedia/Cd')).Inserted, false);
  assert.equal((await ask('GET', drive)).status, 404);
  assert.equal((await get('/redfish/v1/Managers/bmc')).VirtualMedia, undefined);
});
