import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImageLinks } from '../ports.ts';
import type { Workplace } from '../workplace.ts';
import { findImages } from './find-images.ts';

const image = { checksum: 'sha256:ab', sizeBytes: 7 };

/** A host of a BMC that tells its maker, beside links that lead there; without them only the catalogue counts. */
function placeWith(links?: ImageLinks): Workplace {
  const request = async () => ({ body: { Manufacturer: 'Dell Inc.', Model: 'R640' } });
  const bmc = { systemPath: '/redfish/v1/Systems/1', gate: { request } };
  const parts = { catalogue: { find: async () => undefined }, links };
  return { parts, reach: () => ({ kind: 'bmc', bmc, origin: 'https://h' }) } as unknown as Workplace;
}

const nic = { component: 'nic:NIC.1-1', url: 'http://user:s3cret@h/nic.bin?sig=1' };

test('a link is an image of unknown version, for the card that is named and nothing else', async () => {
  const found = await findImages(placeWith({ read: async () => ({ kind: 'image', image }) }), {}, [nic]);
  assert.ok(found.kind === 'found');
  assert.deepEqual(found.links, { [nic.url]: image });
  const [{ id, ...order } = {}] = found.images;
  assert.match(String(id), /^link-[0-9a-f]{12}$/);
  assert.deepEqual(order, {
    ...{ vendor: 'Dell Inc.', version_unknown: true, component: 'nic', filename: 'nic.bin', URL: nic.url },
    ...{ checksum: 'sha256:ab', size: 7, models: [], slots: ['NIC.1-1'] },
  });
});

test('what a link led to when it was specified is installed, and it is not read again', async () => {
  const links: ImageLinks = { read: async () => assert.fail('it is read again') };
  const found = await findImages(placeWith(links), { links: { [nic.url]: image } }, [nic]);
  assert.equal(found.kind === 'found' && found.images[0]?.checksum, 'sha256:ab');
});

test('an image that is in no catalogue is refused where links are not allowed, and no secret is shown', async () => {
  const found = await findImages(placeWith(), {}, [nic]);
  assert.ok(found.kind === 'refused');
  assert.match(found.messages[0] ?? '', /nic:NIC.1-1 is not in the catalogue: add it .* \(--firmware-links any\)/);
  assert.doesNotMatch(JSON.stringify(found), /s3cret/);
});

test('while one image is read nothing is found, and a refusal of another is said at once', async () => {
  const read: ImageLinks['read'] = async (url) =>
    url === nic.url ? { kind: 'reading' } : { kind: 'refused', message: 'the server answered 404' };
  const place = placeWith({ read });
  assert.deepEqual(await findImages(place, {}, [nic]), { kind: 'reading' });
  const bios = { component: 'bios', url: 'http://h/bios.bin' };
  const both = await findImages(place, {}, [nic, bios]);
  assert.deepEqual(both.kind === 'refused' && both.messages, ['the image of bios: the server answered 404']);
});
