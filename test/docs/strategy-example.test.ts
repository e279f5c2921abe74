import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { runStrategyContract } from 'rackwright/strategies/contract';
import type { StrategyFactory, StrategyTools } from '../../src/jobs/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { serverA, setUpUpdates } from '../../src/update-service/testing/update-rig.ts';

// The plugin of the page, from the page alone.
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'strategies.md'), 'utf8');
const [, source = assert.fail('the page shows no plugin')] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
const folder = mkdtempSync(join(tmpdir(), 'rackwright-strategy-'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(join(folder, 'plugin.ts'), source);
const { strategy } = (await import(join(folder, 'plugin.ts'))) as { readonly strategy: StrategyFactory };

let installed: Record<string, string> = {};
let installs = 0;
const tool = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const { component, version } = (await json(request)) as { component: string; version: string };
    installed[component] = version;
    installs += 1;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(installed));
});
tool.listen(0, '127.0.0.1');
await once(tool, 'listening');
after(() => {
  tool.close();
  rmSync(folder, { recursive: true });
});

const image = {
  component: 'bios',
  version: '2.0',
  URL: 'http://images.example/bios',
  checksum: `sha256:${'0'.repeat(64)}`,
};

runStrategyContract('of the page', {
  factory: strategy,
  settings: { toolUrl: `http://127.0.0.1:${(tool.address() as AddressInfo).port}/` },
  badSettings: [undefined, {}, { toolUrl: 'not an address' }],
  async scene() {
    installed = { bios: '1.0', bmc: '7.0' };
    installs = 0;
    return {
      tools: { clock: systemClock } as unknown as StrategyTools,
      target: 'server/one',
      parameters: { firmwares: [image] },
      isInstalled: () => installed.bios === '2.0',
      countInstalls: () => installs,
    };
  },
});

test('the page names every member of an image that an update is told', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  const { job } = await rig.desks.requests.update({ server: serverA, firmwares, client: 'c' });
  const [told] = job.parameters.firmwares as Record<string, unknown>[];
  const [, table = ''] = /^### What an update is told$(.*?)^### /ms.exec(page) ?? [];
  for (const member of [...Object.keys(job.parameters), ...Object.keys(told ?? {})]) {
    assert.ok(table.includes(`\`${member}\``), `${member} is not on the page`);
  }
});
