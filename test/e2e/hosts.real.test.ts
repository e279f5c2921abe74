import { after, before, describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { whyNoRealIronic } from '../real/ironic/programs.ts';
import { createScratch } from '../real/ironic/scratch.ts';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { type HostBench, startHostBench } from './hosts/host-bench.ts';
import { describeHostLife } from './hosts/host-life.ts';
import { startClusterPlane, startEmbeddedPlane } from './hosts/host-plane.ts';
import { createMeeting } from './hosts/meeting.ts';

/** How long Ironic is away. */
const outageMs = 120_000;
const planes = [
  { name: 'the embedded API server', namespace: 'embedded', start: startEmbeddedPlane },
  { name: 'a real kube-apiserver', namespace: 'cluster', start: startClusterPlane },
];

const skip = whyNoRealIronic() ?? whyNoRealKube() ?? false;

describe('the life of hosts on a real Ironic with sushy-tools and with the simulator', {
  skip,
  concurrency: true,
}, () => {
  const scratch = createScratch('hosts');
  const meeting = createMeeting(planes.length);
  let bench: HostBench;
  before(async () => {
    bench = await startHostBench(scratch, planes.length);
  });
  after(() => scratch.end());

  for (const [suite, { name, namespace, start }] of planes.entries()) {
    describeHostLife({
      name,
      namespace,
      bench: () => bench,
      suite,
      start: () => start(scratch, bench.words),
      meeting,
      async outage() {
        await delay(outageMs);
        await bench.ironic.restart();
      },
    });
  }
});
