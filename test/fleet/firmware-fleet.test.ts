import { runFirmwareFleetContract } from './firmware-contract.ts';
import { openEmbeddedPlane } from './plane.ts';

runFirmwareFleetContract('the embedded API', {
  openPlane: openEmbeddedPlane,
  servers: 36,
  seed: 1,
  speed: 60,
  deadlineMs: 120_000,
  isDisturbed: false,
});
