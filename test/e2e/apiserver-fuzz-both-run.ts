import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '../real/free-ports.ts';
import { startRealKube } from '../real/kube/real-kube.ts';
import { ApiClient } from './apiserver-client.ts';
import { createWidgetCrd, startServerUnderTest } from './apiserver-fixture.ts';
import { standingObjects } from './apiserver-fuzz.ts';
import { compareByFuzz, type FuzzComparison, type FuzzDifference, type FuzzOptions } from './apiserver-fuzz-both.ts';

/** Starts both servers, sends them the same made-up requests, and stops them. */
export async function runFuzzOnBoth(options: FuzzOptions): Promise<FuzzComparison> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-both-'));
  const kube = await startRealKube({ dataDir: folder, port: await freePortRange(4), withoutControllers: true });
  const real = new ApiClient({ url: kube.server, caPem: kube.caPem, token: kube.adminToken });
  const under = await startServerUnderTest();
  try {
    await createWidgetCrd(real);
    const namespace = standingObjects.find(({ path }) => path === '/api/v1/namespaces');
    for (const client of [real, under.client]) {
      await client.request('POST', '/api/v1/namespaces', { body: namespace?.body });
    }
    return await compareByFuzz({ real, here: under.client }, options);
  } finally {
    real.close();
    await under.stop();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints differences for a reader. */
export function printFuzz(differences: readonly FuzzDifference[], limit = 30): string {
  return differences
    .slice(0, limit)
    .map(
      ({ request, real, here }) =>
        `${JSON.stringify(request)}\n  real: ${real.code} ${real.text.slice(0, 600)}\n  here: ${here.code} ${here.text.slice(0, 600)}`,
    )
    .join('\n');
}

/** What a run came to, in one line: how often each code was answered, and each permitted difference met. */
export function summariseFuzz({ codes, permitted }: FuzzComparison): string {
  const counts = [...permitted].map(([reason, met]) => `${reason}: ${met.length}`);
  return `${JSON.stringify([...codes].sort())} ${counts.join('; ')}`;
}
