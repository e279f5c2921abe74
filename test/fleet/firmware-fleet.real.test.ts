import { test } from 'node:test';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { type FleetRun, runFirmwareFleetContract } from './firmware-contract.ts';
import { openEmbeddedPlane } from './plane.ts';
import { openRealPlane } from './real-plane.ts';

const minuteMs = 60_000;
const whyNot = whyNoRealKube();

/** As it is: what goes right is tried with fewer servers beside the other tests, and with as many in the long runs. */
function runDisturbed(name: string, openPlane: FleetRun['openPlane']): void {
  const run = { openPlane, servers: 200, seed: 1, speed: 60, deadlineMs: 10 * minuteMs };
  runFirmwareFleetContract(name, { ...run, isDisturbed: true });
}

runDisturbed('the embedded API', openEmbeddedPlane);
if (whyNot === undefined) runDisturbed('a real kube-apiserver', openRealPlane);
else test('firmware of 200 servers on a real kube-apiserver', { skip: whyNot }, () => {});
