import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type BMC,
  type BMCSecret,
  ironcoreApiVersion,
  ironcoreGroup,
  ironcoreKinds,
  ironcoreVersion,
} from '../../api/index.ts';
import { startApiServer } from '../../apiserver/index.ts';
import { createClient, type ResourceRef } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { installKinds } from '../plane/install-kinds.ts';
import { createBmcObjects } from './bmc-objects.ts';

async function setUp(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'bmc-objects-'));
  const server = await startApiServer({ dataDir, port: 0 });
  const client = await createClient({ server: server.url, caPem: server.caPem, token: server.adminToken });
  t.after(async () => {
    await client.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const kinds = ironcoreKinds.filter(({ kind }) => kind === 'BMC' || kind === 'BMCSecret');
  const { signal } = new AbortController();
  await installKinds(client, { kinds, isReplacingOthers: true, conversion: 'in-process', signal });
  const ref = (resource: string, kind: string): ResourceRef => ({
    group: ironcoreGroup,
    version: ironcoreVersion,
    resource,
    kind,
    namespaced: false,
  });
  const bmcs = client.resource<BMC>(ref('bmcs', 'BMC'));
  const secrets = client.resource<BMCSecret>(ref('bmcsecrets', 'BMCSecret'));
  const names = async () => ({
    bmcs: (await bmcs.list()).items.map(({ metadata }) => metadata.name),
    secrets: (await secrets.list()).items.map(({ metadata }) => metadata.name),
  });
  return { plane: createBmcObjects(client, silentLogger), bmcs, secrets, names };
}

const id = '0a000000-0000-4000-8000-00000000000a';
const login = { username: 'root', password: 'calvin' };

test('enrolling makes a BMC and its secret, twice is once, and deleting the server takes them away', async (t) => {
  const { plane, bmcs, names } = await setUp(t);
  const server = { id, facility: 'fc1', bmc: { ...login, address: 'https://192.0.2.7:8443' } };
  await plane.bmcEnrolled(server);
  await plane.bmcEnrolled(server);
  const { spec } = await bmcs.get({ name: `server-${id}` });
  assert.deepEqual(spec.access, { ip: '192.0.2.7' });
  assert.deepEqual(spec.protocol, { name: 'Redfish', port: 8443, scheme: 'https' });
  assert.deepEqual(await names(), { bmcs: [`server-${id}`], secrets: [`server-${id}`] });
  await plane.bmcRemoved(id);
  await plane.bmcRemoved(id);
  assert.deepEqual(await names(), { bmcs: [], secrets: [] });
});

test('a BMC that somebody declared is left as it is, and stays when the server goes', async (t) => {
  const { plane, bmcs, names } = await setUp(t);
  await bmcs.create({
    apiVersion: ironcoreApiVersion,
    kind: 'BMC',
    metadata: { name: 'rack1-bmc7' },
    spec: {
      access: { ip: '192.0.2.7' },
      bmcSecretRef: { name: 'rack1' },
      protocol: { name: 'Redfish', port: 443, scheme: 'https' },
    },
  });
  await plane.bmcEnrolled({ id, facility: 'fc1', bmc: { ...login, address: '192.0.2.7' } });
  await plane.bmcRemoved(id);
  assert.deepEqual(await names(), { bmcs: ['rack1-bmc7'], secrets: [] });
});

test('a BMC that is known by name only is not made an object', async (t) => {
  const { plane, names } = await setUp(t);
  await plane.bmcEnrolled({ id, facility: 'fc1', bmc: { ...login, address: 'https://bmc7.example.org' } });
  assert.deepEqual(await names(), { bmcs: [], secrets: [] });
});
