import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { DiscoveredFirmware, Firmware, PartFirmware, Server, ServerFirmware } from '../../src/api/index.ts';
import { getProductsOf, type Product } from '../../src/parts/index.ts';
import { type CliProcess, runCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { assertCovered, assertFlashedOnce, assertNewest, type OfferedSlot, readOfferedSlots } from './newest-offers.ts';

/** How large the rack is and how fast its time runs. */
export interface RackOptions {
  readonly words: readonly string[];
  readonly timeoutMs: number;
}

type Condition = NonNullable<NonNullable<ServerFirmware['status']>['conditions']>[number];

/**
 * Starts `rackwright up`, declares the newest version of every product in one group per model, and waits until every
 * server is as declared. Then it asks the simulator: every slot that it offers firmware for has the newest version and was
 * flashed exactly once if it had an older one, nothing was retried or stalled.
 */
export async function installNewestFirmware({ words, timeoutMs }: RackOptions): Promise<void> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let up: CliProcess | undefined;
  try {
    up = await startUp(dataDir, words);
    const rack = createRack(dataDir);
    await rack.releaseHosts();
    await rack.scanned();
    const before = await rack.readSlots();
    const models = await rack.declareNewest(before);
    const began = performance.now();
    await rack.untilUpToDate(timeoutMs);
    const flashes = await rack.assertInstalled(before);
    const seconds = Math.round((performance.now() - began) / 1000);
    const slots = [...before.values()].flat().length;
    const rackSize = `${before.size} servers of ${models} models, ${slots} slots with offers`;
    console.log(`newest firmware: ${rackSize}, ${flashes} flashes, ${seconds} s`);
  } finally {
    await up?.end('SIGTERM');
    folder.remove();
  }
}

function createRack(dataDir: string) {
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await runCli([...words, '--data-dir', dataDir]);
    assert.equal(code, 0, `${words.join(' ')}: ${out}${err}`);
    return out;
  };
  const list = async <T>(kind: string, ...more: string[]): Promise<T[]> =>
    (JSON.parse(await run('get', kind, ...more, '-o', 'json')) as { items: T[] }).items;
  const apply = async (objects: readonly object[]): Promise<void> => {
    const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { code, err } = await runCli(['apply', '-f', '-', '--data-dir', dataDir], { input });
    assert.equal(code, 0, err);
  };
  const firmwares = () => list<ServerFirmware>('serverfirmwares');
  return {
    /** A host in use is not disturbed: those that the rack starts with are given back. */
    async releaseHosts() {
      const hosts = await list<{ metadata: { name: string }; spec: { image?: object } }>('bmh', '-n', 'simulated');
      for (const { metadata, spec } of hosts) {
        if (spec.image === undefined) continue;
        await patch(dataDir, `metal3.io/v1alpha1/namespaces/simulated/baremetalhosts/${metadata.name}`, {
          spec: { image: null, online: false },
        });
      }
      const available = '--for=jsonpath={.status.provisioning.state}=available';
      await run('wait', 'bmh', '--all', '-n', 'simulated', available, '--timeout=300s');
    },
    async scanned(): Promise<void> {
      const { length: count } = await list('bmcs');
      // A BMC that is slow to be read has no Server yet that could be waited for.
      while ((await firmwares()).length < count) await setTimeout(1000);
      await run('wait', 'serverfirmware', '--all', '--for=condition=Scanned', '--timeout=300s');
      const models = new Set((await list<Server>('servers')).map(({ status }) => status?.model));
      while ((await list('discoveredfirmwares')).length < models.size) await setTimeout(1000);
      await run('wait', 'discoveredfirmware', '--all', '--for=condition=Ready', '--timeout=300s');
    },
    /** What the simulator offers for each server that has a ServerFirmware. */
    async readSlots(): Promise<ReadonlyMap<string, readonly OfferedSlot[]>> {
      const names = (await firmwares()).map(simulatedName);
      return new Map(
        await Promise.all(names.map(async (name) => [name, await readOfferedSlots(dataDir, name)] as const)),
      );
    },
    /** Returns how many models there are. */
    async declareNewest(offered: ReadonlyMap<string, readonly OfferedSlot[]>): Promise<number> {
      const [objects, servers] = [await firmwares(), await list<Server>('servers')];
      const groups = (await list<DiscoveredFirmware>('discoveredfirmwares')).map((discovered) => {
        const members = servers.filter(({ status }) => status?.model === discovered.spec.model);
        const names = new Set(members.map(({ metadata }) => metadata.name));
        const own = objects.filter(({ spec }) => names.has(spec.serverRef.name));
        const declared = groupFor(
          discovered,
          own.flatMap(({ status }) => status?.firmwares ?? []),
        );
        for (const name of own.map(simulatedName))
          assertCovered(name, offered.get(name) ?? [], declared.group.spec.firmwares);
        return { ...declared, names: [...names] };
      });
      const labelled = groups.flatMap(({ names }) => names);
      assert.equal(labelled.length, servers.length, 'every server is in the group of its model');
      for (const { label, names } of groups) {
        for (const name of names) await run('label', 'server', name ?? '', `test/model=${label}`);
      }
      await apply(groups.map(({ group }) => group));
      return groups.length;
    },
    async untilUpToDate(timeoutMs: number) {
      const until = Date.now() + timeoutMs;
      for (;;) {
        const open = (await firmwares()).flatMap((each) => {
          const { attempts, conditions } = each.status ?? {};
          assert.equal(attempts, undefined, `${each.metadata.name} was tried again: ${JSON.stringify(attempts)}`);
          assert.notEqual(conditionOf(conditions, 'Stalled')?.status, 'True', each.metadata.name);
          const upToDate = conditionOf(conditions, 'UpToDate');
          return upToDate?.status === 'True'
            ? []
            : [`${each.metadata.name}: ${upToDate?.reason}: ${upToDate?.message}`];
        });
        if (open.length === 0) return;
        assert.ok(Date.now() < until, `not up to date in time:\n${open.join('\n')}`);
        await setTimeout(1000);
      }
    },
    /** Returns how many flashes there were. */
    async assertInstalled(before: ReadonlyMap<string, readonly OfferedSlot[]>): Promise<number> {
      let flashes = 0;
      for (const each of await firmwares()) {
        const name = simulatedName(each);
        assertNewest(name, await readOfferedSlots(dataDir, name), each.status?.firmwares ?? []);
        flashes += await assertFlashedOnce(dataDir, name, before.get(name) ?? []);
      }
      assert.ok(flashes > 0, 'nothing was flashed');
      return flashes;
    },
  };
}

/** The newest version of every product for which there is a part, as an operator would write it. */
function groupFor(discovered: DiscoveredFirmware, parts: readonly PartFirmware[]) {
  const { spec, status } = discovered;
  const label = discovered.metadata.name ?? '';
  const bios = { name: 'bios', manufacturer: spec.manufacturer, versions: status?.bios?.versions ?? [] };
  const products: (Product & { versions?: readonly string[] })[] = [bios, ...(status?.firmwares ?? [])];
  const entries = new Map<string, Firmware>();
  for (const part of parts) {
    const [product] = getProductsOf(products, part, spec.manufacturer);
    const version = product?.versions?.at(-1);
    // A part that takes no firmware. What the simulator offers is checked against the entries.
    if (product === undefined || version === undefined) continue;
    const narrowed = product.model === undefined ? {} : { model: product.model };
    const entry = { name: product.name, manufacturer: product.manufacturer, ...narrowed };
    entries.set(JSON.stringify(entry), { ...entry, version });
  }
  const group = {
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'ServerFirmwareGroup',
    metadata: { name: label },
    spec: {
      manufacturer: spec.manufacturer,
      model: spec.model,
      serverSelector: { matchLabels: { 'test/model': label } },
      firmwares: [...entries.values()],
    },
  };
  return { label, group };
}

function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((each) => each.type === type);
}

/** The simulator's name of the server that a ServerFirmware is for. */
function simulatedName({ metadata }: ServerFirmware): string {
  return (metadata.name ?? '').replace(/-system-0$/, '');
}

async function patch(dataDir: string, path: string, body: object): Promise<void> {
  const kubeconfig = readFileSync(join(dataDir, 'kubeconfig'), 'utf8');
  const url = /server: "?([^",}\s]+)/.exec(kubeconfig)?.[1] ?? assert.fail('the kubeconfig names no server');
  const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' };
  const answer = await request(`${url}/apis/${path}`, {
    ...{ method: 'PATCH', dispatcher: agent, headers, body: JSON.stringify(body) },
  });
  const text = await answer.body.text();
  await agent.close();
  assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${text}`);
}
