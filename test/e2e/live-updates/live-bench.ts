import assert from 'node:assert/strict';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { freePortRange } from '../../real/free-ports.ts';
import { startFileServer } from '../../real/ironic/file-server.ts';
import { type Ironic, startIronic } from '../../real/ironic/ironic.ts';
import { ironicLogin, ironicWords } from '../../real/ironic/ironic-words.ts';
import type { Scratch } from '../../real/ironic/scratch.ts';
import { type SushyTools, startSushyTools } from '../../real/ironic/sushy-tools.ts';
import { patienceMs } from '../hosts/host-diary.ts';
import { facility } from './install-service.ts';
import { emulatedMachine, type LiveMachine, simulatedMachine } from './live-machine.ts';
import { type SlowImages, startSlowImages } from './slow-images.ts';

/** A real Ironic, emulators, and a simulated data centre, of which each plane has its own machines. */
export interface LiveBench {
  readonly ironic: Ironic;
  /** What hosts run. */
  readonly imageUrl: string;
  /** What one tells `rackwright up` to have Ironic look after hosts. */
  readonly ironicWords: readonly string[];
  /** What one tells it to look after them by their BMCs alone. */
  readonly nativeWords: readonly string[];
  /** Starts something when nothing else is being started: two that look for free ports side by side may find the same. */
  inTurn<T>(start: () => Promise<T>): Promise<T>;
  /** The machines of a plane with Ironic: one on sushy-tools, one of the simulator. */
  ironicMachines(plane: number): readonly LiveMachine[];
  /** The machines of a plane without it. */
  nativeMachines(plane: number): readonly LiveMachine[];
}

/** Real minutes would pass in POST and while flash is written. */
const speed = 60;

/** Starts everything for so many planes of each kind. */
export async function startLiveBench(scratch: Scratch, planes: number): Promise<LiveBench> {
  const port = await freePortRange(1 + planes);
  const files = scratch.keep(await startFileServer());
  const images = scratch.keep(await startSlowImages());
  const centre = await startDataCentre({
    ...{ seed: 9, servers: 2 * planes, speed, personalities: ['dell-idrac9'], imageTimeoutMs: patienceMs },
  });
  scratch.keep({ stop: () => centre.close() });
  const emulators = await Promise.all(
    Array.from({ length: planes }, (_, plane) =>
      startSushyTools({
        ...{ dataDir: scratch.folder(`emulator-${plane}`), port: port + 1 + plane, driver: 'fakeplus' },
        ...{ withTls: true, withBasicAuth: true },
      }),
    ),
  );
  for (const each of emulators) scratch.keep(each);
  const ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port, credentials: ironicLogin }));
  let last: Promise<unknown> = Promise.resolve();
  return {
    ironic,
    imageUrl: files.add('live.iso', Buffer.alloc(1_048_576, 'i')),
    ironicWords: ironicWords(ironic, scratch),
    nativeWords: [
      '--provisioner',
      'redfish',
      '--facilities',
      facility,
      '--bmc-speed',
      `${speed}`,
      '--bmc-insecure',
      'yes',
    ],
    inTurn(start) {
      const started = last.then(start);
      last = started.catch(() => {});
      return started;
    },
    ironicMachines: (plane) => machinesOf({ emulators, centre, images }, plane),
    nativeMachines: (plane) => [simulatedMachine(bmcOf(centre, planes + plane), { images, isPulled: false })],
  };
}

interface Machinery {
  readonly emulators: readonly SushyTools[];
  readonly centre: DataCentre;
  readonly images: SlowImages;
}

function machinesOf({ emulators, centre, images }: Machinery, plane: number): readonly LiveMachine[] {
  const emulator = emulators[plane] ?? assert.fail('there is no such emulator');
  // Addresses of NICs are the same in every emulator, and Ironic has each only once.
  return [
    emulatedMachine(emulator, { index: plane }),
    simulatedMachine(bmcOf(centre, plane), { images, isPulled: true }),
  ];
}

function bmcOf({ bmcs }: DataCentre, index: number) {
  return bmcs[index] ?? assert.fail('there is no such server');
}
