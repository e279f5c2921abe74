import { after, before, describe } from 'node:test';
import { whyNoRealIronic } from '../real/ironic/programs.ts';
import { createScratch } from '../real/ironic/scratch.ts';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { createMeeting } from './hosts/meeting.ts';
import { describeLiveUpdates } from './live-updates/describe-live-updates.ts';
import { type LiveBench, startLiveBench } from './live-updates/live-bench.ts';

const planes = [
  { kind: 'embedded', name: 'the embedded API server' },
  { kind: 'cluster', name: 'a real kube-apiserver' },
] as const;
/** On each plane with Ironic there is a host on sushy-tools and one of the simulator. */
const hostsOnIronic = 2 * planes.length;

const skip = whyNoRealIronic() ?? whyNoRealKube() ?? false;

describe('hosts in use, with a real Ironic and without one', { skip, concurrency: true }, () => {
  const scratch = createScratch('live-updates-real');
  const meeting = createMeeting(hostsOnIronic);
  let bench: LiveBench;
  before(async () => {
    // Every program that is started is to end with this process.
    process.setMaxListeners(30);
    bench = await startLiveBench(scratch, planes.length);
  });
  after(() => scratch.end());

  for (const [index, plane] of planes.entries()) {
    for (const by of ['ironic', 'redfish'] as const) {
      describeLiveUpdates({ ...plane, ...{ by, index, scratch, meeting }, bench: () => bench });
    }
  }
});
