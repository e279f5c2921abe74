import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { startDataCentre } from '../../data-centre.ts';
import { buildImage, type FirmwareImage } from '../../images/build-image.ts';
import type { ComponentType } from '../../images/component-type.ts';
import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Update } from '../../machine/updates.ts';
import { ask, basic, type WireAnswer, type WireRequest } from '../../redfish/front/testing/wire.ts';
import { createSteppedClock, type SteppedClock } from '../../time/stepped-clock.ts';
import { availableFirmware, type PersonalityName } from '../index.ts';

/** One BMC of a vendor over plain HTTP, and the time it lives in. */
export interface VendorBmc {
  readonly machine: Machine;
  readonly clock: SteppedClock;
  send(path: string, order?: WireRequest): Promise<WireAnswer>;
  get(path: string): Promise<WireAnswer>;
  post(path: string, body?: object): Promise<WireAnswer>;
  patch(path: string, body: object): Promise<WireAnswer>;
  /** Serves bytes from a file server until the test ends; returns the address to pull them from. */
  publish(bytes: Buffer): Promise<string>;
}

/** Switches one BMC of a vendor on, its host running. */
export async function startVendorBmc(context: TestContext, name: PersonalityName): Promise<VendorBmc> {
  const clock = createSteppedClock();
  const dataCentre = await startDataCentre({
    seed: 3,
    servers: 1,
    personalities: [name],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    clock,
  });
  context.after(async () => {
    await dataCentre.close();
    clock.close();
  });
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  const send: VendorBmc['send'] = (path, order = {}) =>
    ask(`${bmc.url}${path}`, { ...order, headers: { ...basic(bmc), ...order.headers } });
  const json = (method: string, body: object, headers = {}): WireRequest => ({
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return {
    machine: bmc.machine,
    clock,
    send,
    get: (path) => send(path),
    post: (path, body = {}) => send(path, json('POST', body)),
    patch: async (path, body) => {
      const { etag } = (await send(path)).headers;
      return send(path, json('PATCH', body, etag === undefined ? {} : { 'if-match': etag.replace(/^W\//, '') }));
    },
    publish: (bytes) => publish(context, bytes),
  };
}

async function publish(context: TestContext, bytes: Buffer): Promise<string> {
  const server = createServer((_, response) => response.end(bytes));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.bin`;
}

/** The first slot of a component. */
export function slotOf(machine: Machine, component: ComponentType): FirmwareSlot {
  const slot = machine.firmware.find((each) => each.component === component);
  assert.ok(slot, component);
  return slot;
}

/** The newest image for a component of the machine. */
export function newestImage(machine: Machine, component: ComponentType): FirmwareImage {
  const { softwareId } = slotOf(machine, component);
  const newest = availableFirmware(machine.personality, machine.hardware.model).find(
    (each) => each.softwareId === softwareId && each.component === component && each.isNewest,
  );
  assert.ok(newest);
  const { vendor, models, version } = newest;
  return buildImage({ vendor, models, softwareId, component, version, payloadBytes: 9000 });
}

/** An image that fits in all but the server model. */
export function foreignImage(machine: Machine, component: ComponentType): FirmwareImage {
  const { payloadSha256: _, ...header } = newestImage(machine, component).header;
  return buildImage({ ...header, models: ['Another Model'] });
}

const boundary = 'rackwright-0123456789';

/** A multipart upload with explicit length. */
export function multipart(parameters: object, bytes: Buffer): WireRequest {
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="UpdateParameters"\r\n` +
        `Content-Type: application/json\r\n\r\n${JSON.stringify(parameters)}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="UpdateFile"; filename="fw.bin"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    ),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(body.length) },
    body,
  };
}

/** A raw upload. */
export function raw(bytes: Buffer): WireRequest {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
    body: bytes,
  };
}

/** The latest update. */
export function lastUpdate(machine: Machine): Update {
  const update = machine.updates.all.at(-1);
  assert.ok(update);
  return update;
}

/** Moves time on, and resets what the update waits for, until it is over. */
export async function carryThrough(bmc: VendorBmc): Promise<Update> {
  const { machine, clock } = bmc;
  const update = lastUpdate(machine);
  for (let round = 0; round < 200 && update.phase !== 'done' && update.phase !== 'failed'; round += 1) {
    await clock.advance(60_000);
    if (!machine.manager.isReachable || update.waitsFor !== 'reset') continue;
    if (update.slots[0]?.component === 'bmc') await resetManager(bmc);
    else await resetHost(bmc);
  }
  await clock.advance(machine.personality.timings.managerResetMs * 2);
  return update;
}

async function resetManager({ machine, post }: VendorBmc): Promise<void> {
  const { ids, service } = machine.personality;
  const ResetType = service.managerResetTypes[0];
  const answer = await post(`/redfish/v1/Managers/${ids.manager}/Actions/Manager.Reset`, { ResetType });
  assert.ok(answer.status < 300, answer.text);
}

async function resetHost({ machine, post }: VendorBmc): Promise<void> {
  if (machine.power.state !== 'On' && machine.power.state !== 'Off') return;
  const ResetType = machine.power.state === 'Off' ? 'On' : 'ForceRestart';
  const path = `/redfish/v1/Systems/${machine.personality.ids.system}/Actions/ComputerSystem.Reset`;
  const answer = await post(path, { ResetType });
  assert.ok(answer.status < 300, answer.text);
}

/** All versions of the inventory over HTTP, by id, through all pages. */
export async function readInventory({ get }: VendorBmc): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  let path: string | undefined = '/redfish/v1/UpdateService/FirmwareInventory';
  while (path !== undefined) {
    const page: WireAnswer = await get(path);
    assert.equal(page.status, 200, page.text);
    for (const member of page.json.Members) {
      const entry = await get(member['@odata.id']);
      assert.equal(entry.status, 200, entry.text);
      versions[entry.json.Id] = entry.json.Version;
    }
    path = page.json['Members@odata.nextLink'];
  }
  return versions;
}
