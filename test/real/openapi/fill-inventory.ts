import { type Engine, targetOf } from '../../../src/engine/index.ts';
import type { Serverservice } from '../../../src/serverservice/index.ts';

/** What a fuzzer has to know to get further than 404. */
export interface FilledInventory {
  readonly servers: readonly string[];
  readonly conditions: readonly string[];
  readonly firmware: readonly string[];
  readonly sets: readonly string[];
  readonly events: readonly string[];
  readonly macs: readonly string[];
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  readonly workers: readonly string[];
  /** Of the conditions, as long as nobody changes them. */
  readonly locks: readonly string[];
  /** Of the leases. */
  readonly tokens: readonly number[];
}

const id = (group: string, number: number) => `${group}000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Puts a few servers, some firmware and some work into an empty store, always the same. */
export async function fillInventory(engine: Engine, service: Serverservice): Promise<FilledInventory> {
  const servers = [1, 2, 3, 4].map((number) => id('a0', number));
  for (const [index, server] of servers.entries()) await addServer(service, server, index);
  const firmware = await addFirmware(service);
  const set = await service.firmwareSets.create({ name: 'first', labels: { latest: 'true' }, firmware });
  const bill = { serial: 'B1', numDefiPmi: '', numDefPwd: 'x', metro: 'm' };
  const macs = ['02:00:00:00:00:01', '02:00:00:00:00:02'];
  await service.billsOfMaterials.putAll([{ ...bill, aocMacs: macs.slice(0, 1), bmcMacs: macs.slice(1) }]);
  const event = id('e0', 1);
  const ended = { parameters: {}, finalState: 'succeeded', finalStatus: {}, startedAt: 1, endedAt: 2 };
  await service.events.put({ id: event, type: 'inventoryOOB', target: servers[0] ?? '', ...ended });
  return {
    servers,
    firmware,
    ...(await orderWork(engine, servers)),
    sets: [set.id],
    events: [event],
    macs,
    kinds: ['inventoryOOB', 'powerOn', 'firmwareInstall', 'biosControl'],
    namespaces: ['my.notes', 'rackwright.io.condition.inventoryOOB'],
    workers: ['worker-1'],
  };
}

async function addServer(service: Serverservice, server: string, index: number): Promise<void> {
  const known = { facility: 'fc1', vendor: 'dell', model: 'r750', name: `server-${index}` };
  const attributes = [{ namespace: 'my.notes', data: { rack: `r${index}` } }];
  await service.servers.create({ id: server, ...known, bmcAddress: `127.0.0.${index + 10}`, attributes });
  await service.components.put(server, [{ type: 'drive', serial: `d${index}` }]);
  await service.versionedAttributes.append({ kind: 'server', id: server }, { namespace: 'my.notes', data: { v: 1 } });
  await service.credentials.put(server, 'bmc', { username: 'root', password: 'x' });
}

async function addFirmware(service: Serverservice): Promise<string[]> {
  const made: string[] = [];
  for (const [index, component] of ['bios', 'bmc'].entries()) {
    const firmware = await service.firmware.create({
      id: id('f0', index),
      component,
      vendor: 'dell',
      version: '1.0',
      filename: `${component}.bin`,
      models: ['r750'],
      checksums: [`sha256:${'a'.repeat(64)}`],
      repositoryUrl: `http://127.0.0.1:1/${component}.bin`,
    });
    made.push(firmware.id);
  }
  return made;
}

/** One that waits, two that a worker has, and one that is over. */
async function orderWork(engine: Engine, servers: readonly string[]) {
  for (const server of servers)
    await engine.create({ target: targetOf(server), client: 'suite', orders: [{ kind: 'powerOn', parameters: {} }] });
  const [newest] = (await engine.list({})).conditions;
  if (newest === undefined) throw new Error('the engine took no order');
  await engine.cancel(newest.id, { client: 'suite', isForced: false, doesInsist: false });
  await engine.worker.online({ id: 'worker-1', kinds: ['powerOn'], facilities: ['fc1'] });
  const leases = await engine.worker.lease('worker-1', { max: 2, waitMs: 0 });
  const { conditions } = await engine.list({});
  return {
    conditions: conditions.map(({ id }) => id),
    locks: conditions.map(({ lock }) => lock),
    tokens: leases.map(({ token }) => token),
  };
}
