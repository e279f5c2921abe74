import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { sleep, systemClock } from '../../kube/index.ts';
import { createDrive } from '../contract/index.ts';
import type { HostIdentity, Outcome } from '../provisioner.ts';
import { createDemoProvisioners } from '../testing/demo/index.ts';
import { type ServedImage, serveImage, startMachine } from './testing/simulated-machine.ts';
import {
  bootToken,
  hostOf,
  inventoryOf,
  registration,
  type StartedAgents,
  startedAgents,
} from './testing/started-agents.ts';

const drive = createDrive(() => sleep(systemClock, 50));
const attempt = { isRetry: false, isForced: false };

/** A simulated machine that came by itself, and the host that was made of it. */
async function discovered(t: TestContext, started: StartedAgents) {
  const machine = await startMachine({ url: `${started.url}/agents`, token: bootToken });
  t.after(() => machine.dataCentre.close());
  machine.bootFromNetwork();
  const known = await drive.done(async (): Promise<Outcome<string>> => {
    const listed = await started.agents.source.list();
    const [first] = listed.kind === 'done' ? listed.value : [];
    return first === undefined ? { kind: 'continue', afterMs: 0 } : { kind: 'done', value: first.id };
  });
  const host: HostIdentity = {
    ...{ namespace: 'fleet', name: 'worker-1', id: known, uid: 'uid-of-the-host', isPowerOffDisabled: false },
    ...{ bmc: { address: '', isCertificateUnchecked: false }, bootMacAddress: machine.macs[0] },
  };
  const provisioner = () => started.agents.provisioners.of(host);
  assert.deepEqual(await provisioner().importHost?.({ isRetry: false }), { kind: 'done', value: { id: known } });
  return { machine, host, provisioner };
}

async function served(t: TestContext): Promise<ServedImage> {
  const image = await serveImage();
  t.after(() => image.close());
  return image;
}

/** An API server that only hears of nodes; resolves with the first. */
async function hearNode(t: TestContext) {
  const node = Promise.withResolvers<{ readonly metadata: { readonly name: string; readonly labels: object } }>();
  const server = createServer(async (request, response) => {
    const hasBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
    const body = (hasBody ? await json(request) : {}) as Awaited<typeof node.promise>;
    if (request.method === 'POST') node.resolve(body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, node: node.promise };
}

test('a machine that came by itself is provisioned without a BMC, and its node carries the uid of its host (security.md: agent-user-data)', async (t) => {
  const started = await startedAgents(t);
  const image = await served(t);
  const cluster = await hearNode(t);
  const { machine, provisioner } = await discovered(t, started);
  const join = {
    clusters: [{ name: 'c', cluster: { server: cluster.url } }],
    users: [{ name: 'u', user: { token: 'the-token-to-join-with' } }],
  };
  const file = { path: '/etc/kubernetes/bootstrap-kubelet.conf', content: JSON.stringify(join) };
  const config = { userData: `#cloud-config\n${JSON.stringify({ write_files: [file] })}\n` };
  const deployment = {
    image: { url: image.url, checksum: image.sumsUrl, checksumType: 'sha256', format: 'raw' },
    bootMode: 'UEFI',
  } as const;
  await drive.done(() => provisioner().provision({ ...attempt, deployment, config }));
  const { metadata } = await cluster.node;
  assert.deepEqual(metadata, {
    name: 'worker-1',
    labels: { 'kubernetes.io/hostname': 'worker-1', 'metal3.io/uuid': 'uid-of-the-host' },
  });
  assert.equal(machine.host.disk?.sha256, image.sha256);
  assert.equal(machine.host.running, 'deployed image');
  const rows = await started.database.read((tx) => tx.all('SELECT * FROM agent_machines'));
  for (const kept of [JSON.stringify(rows), started.log.join('\n'), machine.host.machine.log.text()]) {
    assert.ok(!kept.includes('the-token-to-join-with'), 'what a host is told in confidence is kept nowhere');
  }
});

test('an image that is not what was promised is not run, and a right one is written when it is tried anew', async (t) => {
  const started = await startedAgents(t);
  const image = await served(t);
  const { machine, provisioner } = await discovered(t, started);
  const order = (checksum: string, isRetry: boolean) => ({
    ...{ isRetry, isForced: false, config: {} },
    deployment: { image: { url: image.url, checksum, format: 'raw' }, bootMode: 'UEFI' } as const,
  });
  const failed = await drive.until(() => provisioner().provision(order('0'.repeat(64), false)));
  assert.match(failed.kind === 'failed' ? failed.message : failed.kind, /has sha256/);
  assert.equal((await provisioner().provision(order('0'.repeat(64), false))).kind, 'failed', 'it stays so');
  assert.equal(machine.host.running, 'agent');
  await drive.done(({ hasStarted }) => provisioner().provision(order(image.sha256, !hasStarted)));
  assert.equal(machine.host.disk?.sha256, image.sha256);
  const other = { image: { url: `${image.url}-2`, checksum: 'a' }, bootMode: 'UEFI' } as const;
  const refused = await provisioner().provision({ ...attempt, deployment: other, config: {} });
  assert.equal(refused.kind === 'failed' ? refused.isInUse : refused.kind, true);
});

test('what an agent cannot write is refused before anything is done', async (t) => {
  const started = await startedAgents(t);
  const { body } = await started.introduce(inventoryOf(1));
  const it = started.agents.provisioners.of(hostOf(1, String(body.id)));
  await it.importHost?.({ isRetry: false });
  const cases = [
    [{ image: { url: 'http://files/live.iso', format: 'live-iso' } }, /virtual drive/],
    [{ image: { url: 'oci://registry/image' } }, /not from oci:/],
    [{ image: { url: 'http://files/image' } }, /without a checksum/],
    [{ customDeploy: { method: 'install_coreos' } }, /needs an Ironic/],
    [{}, /no image/],
  ] as const;
  for (const [wanted, message] of cases) {
    const deployment = { ...wanted, bootMode: 'UEFI' as const };
    const refused = await it.provision({ ...attempt, deployment, config: {} });
    assert.match(refused.kind === 'failed' ? refused.message : refused.kind, message);
  }
  const [question] = [await started.ask('GET', `/${String(body.id)}/command`, { token: String(body.token) })];
  assert.equal(question.status, 204);
});

test('a command that never ends fails, and the agent hears of a new one only', async (t) => {
  const started = await startedAgents(t, { times: { commandMs: 60_000 } });
  const { body } = await started.introduce(inventoryOf(1));
  const [id, token] = [String(body.id), String(body.token)];
  const it = started.agents.provisioners.of(hostOf(1, id));
  await it.importHost?.({ isRetry: false });
  const deployment = { image: { url: 'http://127.0.0.1/a', checksum: 'a'.repeat(64) }, bootMode: 'UEFI' as const };
  const provision = (isRetry: boolean) => it.provision({ isRetry, isForced: false, deployment, config: {} });
  assert.equal((await provision(false)).kind, 'continue');
  const first = await started.ask('GET', `/${id}/command?wait=30`, { token });
  assert.deepEqual([first.status, first.body.name], [200, 'standby.prepare_image']);
  await started.clock.advance(60_000);
  const failed = await provision(false);
  assert.match(failed.kind === 'failed' ? failed.message : failed.kind, /not ended within 1 minutes/);
  assert.equal((await provision(true)).kind, 'continue');
  const second = await started.ask('GET', `/${id}/command?wait=30`, { token });
  assert.notEqual(second.body.id, first.body.id);
  const end = { token, body: { status: 'SUCCEEDED' } };
  assert.equal((await started.ask('PUT', `/${id}/command/${String(first.body.id)}`, end)).status, 404);
  assert.equal((await started.ask('PUT', `/${id}/command/${String(second.body.id)}`, end)).status, 200);
  assert.equal(
    (await started.ask('PUT', `/${id}/command/${String(second.body.id)}`, end)).status,
    200,
    'twice is fine',
  );
  assert.equal((await provision(false)).kind, 'continue');
  const third = await started.ask('GET', `/${id}/command?wait=30`, { token });
  assert.equal(third.body.name, 'standby.run_image');
  const late = { token, body: { status: 'FAILED', error: { message: 'late' } } };
  assert.equal((await started.ask('PUT', `/${id}/command/${String(second.body.id)}`, late)).status, 200);
  await started.ask('PUT', `/${id}/command/${String(third.body.id)}`, end);
  assert.equal((await started.ask('PUT', `/${id}/command/${String(third.body.id)}`, late)).status, 200);
  assert.equal((await provision(false)).kind, 'done', 'what was told late changes nothing');
});

test('a host that gets credentials of its BMC keeps its id, and is switched by its BMC from then on', async (t) => {
  const beside = createDemoProvisioners();
  const started = await startedAgents(t, { beside });
  const { body } = await started.introduce(inventoryOf(1));
  const id = String(body.id);
  const bare = hostOf(1, id);
  await started.agents.provisioners.of(bare).importHost?.({ isRetry: false });
  const off = { target: 'off', mode: 'hard', isForced: false, isRetry: false } as const;
  assert.equal((await started.agents.provisioners.of(bare).setPower(off)).kind, 'failed');
  const credentials = { username: 'admin', password: 'secret' };
  const managed = started.agents.provisioners.of({
    ...bare,
    bmc: { ...bare.bmc, address: 'redfish://bmc', credentials },
  });
  assert.deepEqual(await managed.register(registration), { kind: 'done', value: { id } });
  assert.equal((await managed.readInventory()).kind, 'done');
  const on = { ...off, target: 'on' } as const;
  for (const [order, isPoweredOn] of [
    [on, true],
    [off, false],
  ] as const) {
    assert.equal((await managed.setPower(order)).kind, 'done');
    const seen = await managed.look();
    assert.equal(seen.kind === 'done' ? seen.value.isPoweredOn : seen.kind, isPoweredOn);
  }
  assert.equal((await managed.remove()).kind, 'done');
  assert.equal((await managed.look()).kind, 'unregistered');
});
