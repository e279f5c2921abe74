import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { sharedRoutes } from './index.ts';
import { createAskedMachine } from './testing/ask.ts';

test('the way in is open to everybody, and nothing else but the log-in', () => {
  assert.deepEqual(
    sharedRoutes.filter((route) => route.isPublic).map((route) => route.pattern),
    [
      '/redfish',
      '/redfish/v1',
      '/redfish/v1/odata',
      '/redfish/v1/$metadata',
      '/redfish/v1/SessionService/Sessions',
      '/redfish/v1/SessionService/Sessions/Members',
    ],
  );
});

test('the root says what the service can do and where sessions are', async () => {
  const { get } = createAskedMachine();
  const body = await get('/redfish/v1');
  assert.equal(body.RedfishVersion, '1.15.0');
  assert.equal(body.Vendor, undefined);
  const features = (root: typeof body) => root.ProtocolFeaturesSupported as { ExpandQuery: Record<string, unknown> };
  assert.equal(features(body).ExpandQuery.ExpandAll, true);
  assert.deepEqual(body.Links, { Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions' } });
  const service = { ...plainPersonality.service, hasExpand: false };
  const other = createAskedMachine({ personality: { ...plainPersonality, service, rootVendor: 'Plain' } });
  const otherBody = await other.get('/redfish/v1');
  assert.equal(features(otherBody).ExpandQuery.ExpandAll, false);
  assert.equal(otherBody.Vendor, 'Plain');
});

test('the BMC has a UUID of its own, the same at the root and the manager', async () => {
  const { get, machine } = createAskedMachine();
  const { UUID } = await get('/redfish/v1');
  assert.match(String(UUID), /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  assert.notEqual(UUID, machine.hardware.uuid);
  assert.equal((await get('/redfish/v1/Managers/bmc')).UUID, UUID);
});

test('the OData documents name the services; the metadata is XML', async () => {
  const { ask, get } = createAskedMachine();
  assert.deepEqual(await get('/redfish'), { v1: '/redfish/v1/' });
  const { value } = (await get('/redfish/v1/odata')) as { value: { url: string }[] };
  for (const { url } of value) await get(url.replace(/\/$/, ''));
  const metadata = await ask('GET', '/redfish/v1/$metadata');
  assert.match(metadata.headers?.['Content-Type'] ?? '', /^application\/xml/);
  const text = metadata.text ?? '';
  assert.match(text, /^<\?xml /);
  const open: string[] = [];
  for (const [, end, name = '', single] of text.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    if (end === '/') assert.equal(open.pop(), name);
    else if (single === '') open.push(name);
  }
  assert.deepEqual(open, []);
});
