import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AnsibleSwitch, metal3ApiVersion } from '../../api/index.ts';
import { createClient, type KubeObject } from '../../kube/index.ts';
import { providerResources } from '../resources.ts';
import { type ApiRig, startApi } from '../testing/rig.ts';
import { createStatusHostKeys } from './status-host-keys.ts';

const never = new AbortController().signal;
const leaf = { namespace: 'default', name: 'leaf' };
const owner = { ...leaf, place: '192.0.2.1' };
const first = '192.0.2.1 ssh-ed25519 AAAA\n192.0.2.1 ssh-rsa BBBB\n';

describe('host keys that are kept with their AnsibleSwitch', () => {
  let api: ApiRig;
  before(async () => {
    api = await startApi();
    const object: AnsibleSwitch & KubeObject = {
      apiVersion: metal3ApiVersion,
      kind: 'AnsibleSwitch',
      metadata: leaf,
      spec: { os: 'nxos', ip: '192.0.2.1', credentialsSecret: { name: 'login' } },
    };
    await api.client.resource<AnsibleSwitch & KubeObject>(providerResources.AnsibleSwitch).create(object);
  });
  after(() => api?.close());

  test('what was seen first counts for every process that follows', async () => {
    const book = createStatusHostKeys(api.client);
    assert.equal(await book.find(owner, never), undefined);
    assert.equal(await book.keep(owner, first, never), first);
    const other = await createClient(api.connection);
    const later = createStatusHostKeys(other);
    assert.equal(await later.find(owner, never), first);
    assert.equal(await later.keep(owner, '192.0.2.1 ssh-ed25519 CCCC\n', never), first);
    assert.equal(await book.find(owner, never), first);
    await other.close();
  });

  test('another address is a first contact again', async () => {
    const book = createStatusHostKeys(api.client);
    const moved = { ...owner, place: '[192.0.2.1]:2222' };
    assert.equal(await book.find(moved, never), undefined);
    const keys = '[192.0.2.1]:2222 ssh-ed25519 DDDD\n';
    assert.equal(await book.keep(moved, keys, never), keys);
    assert.equal(await book.find(moved, never), keys);
  });

  test('an AnsibleSwitch that is gone is told, and nothing is believed', async () => {
    await assert.rejects(createStatusHostKeys(api.client).keep({ ...owner, name: 'gone' }, first, never));
  });
});
