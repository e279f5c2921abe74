import { whyNoRealKube } from '../real/kube/binaries.ts';
import { runFirmwareFleetContract } from './firmware-contract.ts';
import { openEmbeddedPlane } from './plane.ts';
import { openRealPlane } from './real-plane.ts';

const run = { servers: 200, seed: 2, speed: 60, deadlineMs: 20 * 60_000 };

for (const isDisturbed of [false, true]) {
  runFirmwareFleetContract('the embedded API', { ...run, isDisturbed, openPlane: openEmbeddedPlane });
  if (whyNoRealKube() === undefined) {
    runFirmwareFleetContract('a real kube-apiserver', { ...run, isDisturbed, openPlane: openRealPlane });
  }
}
