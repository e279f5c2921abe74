import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { excludeLabel, ironcoreApiVersion } from '../../api/index.ts';
import { type ApiRig, startApi, startControllers, until, uuidOf } from '../testing/rig.ts';
import { aServer, noOwnership } from '../testing/server-seen.ts';
import { decideOnboarding, type OnboardingSeen } from './decide-onboarding.ts';

const now = Date.UTC(2030, 0, 1);

function seen(labels: Record<string, string>, isBmcExcluded: boolean): OnboardingSeen {
  const { metadata, ...server } = aServer();
  const labelled = { ...server, metadata: { ...metadata, labels }, ownership: noOwnership };
  return {
    server: labelled,
    twins: [labelled],
    isBmcExcluded,
    firmware: undefined,
    isFirmwareNameTaken: false,
    hasDiscovered: false,
    isDiscoveredNameTaken: () => false,
    mirror: undefined,
    mirrored: undefined,
  };
}

test('a Server that is opted out, or whose BMC is, gets neither ServerFirmware nor DiscoveredFirmware', () => {
  const made = (labels: Record<string, string>, isBmcExcluded = false): string[] =>
    decideOnboarding(seen(labels, isBmcExcluded), now).effects.map(({ kind }) => kind);
  assert.deepEqual(made({}), ['put-firmware', 'put-discovered']);
  assert.deepEqual(made({ [excludeLabel]: 'false' }), ['put-firmware', 'put-discovered']);
  assert.deepEqual(made({ [excludeLabel]: '' }), []);
  assert.deepEqual(made({}, true), []);
});

async function setUp(t: TestContext): Promise<ApiRig> {
  const api = await startApi();
  t.after(() => api.close());
  const controllers = await startControllers(api, { isOnboarding: true });
  t.after(() => controllers.stop());
  return api;
}

test('a Server gets its ServerFirmware when its BMC is opted out no more', async (t) => {
  const api = await setUp(t);
  const own = { apiVersion: ironcoreApiVersion } as const;
  const protocol = { name: 'Redfish', port: 443 } as const;
  await api.bmcs.create({
    ...own,
    kind: 'BMC',
    metadata: { name: 'b', labels: { [excludeLabel]: 'true' } },
    spec: { access: { ip: '192.0.2.1' }, bmcSecretRef: { name: 'b' }, protocol },
  });
  const spec = (name: string) => ({ systemUUID: uuidOf(name), bmcRef: { name: 'b' } });
  await api.servers.create({ ...own, kind: 'Server', metadata: { name: 'a' }, spec: spec('a') });
  const included = { metadata: { labels: { [excludeLabel]: null } } };
  await api.bmcs.patch({ name: 'b' }, { type: 'merge', body: included });
  await until(api.firmwares, 'a', () => true);
});
