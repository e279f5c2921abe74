import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type DataCentre, startDataCentre } from '../data-centre.ts';
import { parkedPort } from '../switches/switch-port.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** A provisioner that answers from a table and remembers what it was asked. */
class FakeProvisioner {
  readonly asked: Asked[] = [];
  readonly commands: object[] = [];
  readonly results: Record<string, unknown>[] = [];
  readonly image = Buffer.from('an operating system');
  inspectionToken: string | undefined;
  lookUpToken = 'secret';
  readonly server: Server = createServer((request, response) => {
    void this.#answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body instanceof Buffer ? body : JSON.stringify(body));
      this.#heard();
    });
  });
  #heard: () => void = () => {};

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when what was asked so far fits. */
  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => (this.#heard = resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object | Buffer }> {
    const path = request.url ?? '';
    const method = request.method ?? '';
    const body = method === 'GET' ? {} : ((await json(request)) as Record<string, unknown>);
    this.asked.push({ method, path, authorization: request.headers.authorization, body });
    if (path === '/image') return { status: 200, body: this.image };
    if (path === '/v1/continue_inspection') {
      return { status: 202, body: { node: { uuid: 'n1' }, config: { agent_token: this.inspectionToken } } };
    }
    if (path.startsWith('/v1/lookup')) {
      const config = { heartbeat_timeout: 60, agent_token: this.lookUpToken };
      return { status: 200, body: { node: { uuid: 'n1' }, config } };
    }
    if (path.startsWith('/v1/heartbeat')) return { status: 202, body: {} };
    if (path === '/agents') return { status: 201, body: { id: 'a1', token: 'mine' } };
    if (method === 'PUT') this.results.push(body);
    const command = path.split('?')[0] === '/agents/a1/command' ? this.commands.shift() : undefined;
    return command === undefined ? { status: 204, body: Buffer.alloc(0) } : { status: 200, body: command };
  }
}

const provisioner = new FakeProvisioner();
let dataCentre: DataCentre;

before(async () => {
  provisioner.server.listen(0, '127.0.0.1');
  await once(provisioner.server, 'listening');
  dataCentre = await startDataCentre({
    seed: 7,
    servers: 3,
    speed: 20_000,
    personalities: ['dell-idrac9'],
    isPlain: true,
  });
});

after(async () => {
  await dataCentre.close();
  provisioner.server.closeAllConnections();
  provisioner.server.close();
});

function bootFromNetwork(index: number): { name: string; host: DataCentre['hosts'][number] } {
  const host = dataCentre.hosts[index];
  assert.ok(host !== undefined);
  assert.equal(host.machine.boot.set({ enabled: 'Once', target: 'Pxe' }), 'ok');
  assert.equal(host.machine.power.reset(host.machine.power.state === 'Off' ? 'On' : 'ForceRestart'), 'ok');
  return { name: host.machine.name, host };
}

test('a host that boots from the network tells Ironic its inventory and takes commands with its token', async () => {
  dataCentre.setAgent({ kind: 'ironic', url: provisioner.url });
  const { host } = bootFromNetwork(0);
  await provisioner.until(() => provisioner.asked.some(({ path }) => path === '/v1/heartbeat/n1'));
  const inspection = provisioner.asked.find(({ path }) => path === '/v1/continue_inspection');
  assert.ok(inspection !== undefined);
  const { inventory } = inspection.body as { inventory: Record<string, Record<string, unknown>> };
  assert.equal(inventory.system_vendor?.serial_number, host.machine.hardware.serial);
  assert.equal((inventory.interfaces as unknown as unknown[]).length, 4);
  const beat = provisioner.asked.find(({ path }) => path === '/v1/heartbeat/n1');
  assert.equal(beat?.body.agent_token, 'secret');
  const ask = agentOf(beat?.body ?? {});
  assert.equal((await ask({ token: undefined })).status, 401);
  const { body: command } = await ask({ order: { name: 'clean.get_clean_steps', params: {} } });
  assert.equal(command.command_status, 'SUCCEEDED');
  assert.ok('clean_steps' in (command.command_result as object));
});

test('commands that an agent does not know are refused as such', async () => {
  const ask = agentOf(provisioner.asked.findLast(({ path }) => path === '/v1/heartbeat/n1')?.body ?? {});
  const dance = await ask({ order: { name: 'standby.dance', params: {} } });
  assert.deepEqual([dance.status, dance.body.faultcode], [400, 'Client']);
  assert.equal((await ask({ order: { name: 'ballet.dance', params: {} } })).status, 404);
  assert.equal((await ask({ order: { name: 'standby.sync' } })).status, 400, 'parameters are a must');
});

test('an agent tells of the end of a long command at once, and Ironic then sees what came of it', async () => {
  const beats = () => provisioner.asked.filter(({ path }) => path === '/v1/heartbeat/n1').length;
  const ask = agentOf(provisioner.asked.findLast(({ path }) => path === '/v1/heartbeat/n1')?.body ?? {});
  const image = { urls: [`${provisioner.url}/image`], checksum: createHash('md5').update('other').digest('hex') };
  for (const [checksum, status] of [
    [image.checksum, 'FAILED'],
    [createHash('md5').update(provisioner.image).digest('hex'), 'SUCCEEDED'],
  ]) {
    const before = beats();
    const step = { step: 'write_image', interface: 'deploy', args: { image_info: { ...image, checksum } } };
    await ask({ order: { name: 'deploy.execute_deploy_step', params: { step } } });
    await provisioner.until(() => beats() > before);
    const last = ((await ask({})).body.commands as Record<string, unknown>[]).at(-1);
    assert.deepEqual([last?.command_name, last?.command_status], ['execute_deploy_step', status]);
  }
  assert.notEqual(dataCentre.hosts[0]?.disk, undefined);
  await ask({ order: { name: 'clean.execute_clean_step', params: { step: { step: 'erase_devices_metadata' } } } });
  assert.equal(dataCentre.hosts[0]?.disk, undefined);
  const { body: unknown } = await ask({
    order: { name: 'clean.execute_clean_step', params: { step: { step: 'write_image' } } },
  });
  assert.equal(unknown.command_status, 'FAILED');
});

interface Order {
  readonly name: string;
  readonly params?: object;
}

/** Asks the agent as Ironic does: at the address and with the authority that its heartbeats tell. */
function agentOf(beat: Record<string, unknown>) {
  const ca = String(beat.agent_verify_ca);
  return async (wish: { order?: Order; token?: string | undefined }) => {
    const { order } = wish;
    const token = 'token' in wish ? wish.token : 'secret';
    const query = new URLSearchParams({
      wait: 'true',
      ...(token === undefined ? {} : { agent_token: token }),
    });
    const sent = request(`${String(beat.callback_url)}/v1/commands/?${query}`, {
      method: order === undefined ? 'GET' : 'POST',
      ca,
    });
    sent.end(order === undefined ? undefined : JSON.stringify(order));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: (await json(answer)) as Record<string, unknown> };
  };
}

test('a token that Ironic has given before is not given again, so the one of the inspection is used', async () => {
  provisioner.inspectionToken = 'of the inspection';
  provisioner.lookUpToken = '******';
  const before = provisioner.asked.length;
  bootFromNetwork(0);
  // A heartbeat of the agent that ran before may still be on its way: those that count come after the look-up.
  const sinceLookUp = () => {
    const asked = provisioner.asked.slice(before);
    const at = asked.findIndex(({ path }) => path.startsWith('/v1/lookup'));
    return at === -1 ? [] : asked.slice(at);
  };
  await provisioner.until(() => sinceLookUp().some(({ path }) => path === '/v1/heartbeat/n1'));
  const asked = sinceLookUp();
  assert.match(asked[0]?.path ?? '', /node_uuid=n1/);
  assert.equal(asked.find(({ path }) => path === '/v1/heartbeat/n1')?.body.agent_token, 'of the inspection');
});

test('a host deploys an image that Rackwright tells it to, and runs it after the restart', async () => {
  dataCentre.setAgent({ kind: 'rackwright', url: `${provisioner.url}/agents`, token: 'boot-token' });
  const sha256 = createHash('sha256').update(provisioner.image).digest('hex');
  const images = provisioner.asked.filter(({ path }) => path === '/image').length;
  const order = (id: string, value: string) => ({
    id,
    name: 'standby.prepare_image',
    params: { image_info: { urls: [`${provisioner.url}/image`], os_hash_algo: 'sha256', os_hash_value: value } },
  });
  // The same one twice: its end may not have been heard, and it is not done again.
  provisioner.commands.push(order('c1', '0'.repeat(64)), order('c2', sha256), order('c2', sha256), {
    id: 'c3',
    name: 'standby.reboot',
    params: {},
  });
  const ran = Promise.withResolvers<void>();
  const { host } = bootFromNetwork(1);
  const stop = host.machine.power.onBoot((from) => {
    if (from === 'disk') ran.resolve();
  });
  await provisioner.until(() => provisioner.results.length >= 3);
  const introduction = provisioner.asked.find(({ path }) => path === '/agents');
  assert.equal(introduction?.authorization, 'Bearer boot-token');
  const [refused, written, again] = provisioner.results;
  assert.deepEqual(again, written);
  assert.equal(provisioner.asked.filter(({ path }) => path === '/image').length, images + 2);
  assert.equal(refused?.status, 'FAILED');
  assert.match(JSON.stringify(refused), /has sha256/);
  assert.equal(written?.status, 'SUCCEEDED');
  await provisioner.until(() => provisioner.results.length >= 4);
  assert.equal(provisioner.results[3]?.status, 'SUCCEEDED', 'it is told before the agent is gone');
  await ran.promise;
  stop();
  assert.equal(host.running, 'deployed image');
  assert.equal(host.disk?.sha256, sha256);
});

test('a host whose port left the provisioning network finds no boot server', async () => {
  dataCentre.setAgent({ kind: 'rackwright', url: `${provisioner.url}/agents`, token: 'boot-token' });
  const mac = dataCentre.hosts[2]?.machine.hardware.nics[0]?.ports[0]?.mac ?? '';
  const port = dataCentre.fabric.portOf(mac);
  assert.ok(port !== undefined);
  assert.equal(dataCentre.fabric.configure(port, { ...parkedPort, untaggedVlan: 200 }), 'ok');
  const booted = Promise.withResolvers<void>();
  dataCentre.hosts[2]?.machine.power.onBoot(() => booted.resolve());
  const { host } = bootFromNetwork(2);
  await booted.promise;
  assert.equal(host.running, 'empty disk');
  assert.match(host.machine.log.text(), /host\.no-boot-network/);
});
