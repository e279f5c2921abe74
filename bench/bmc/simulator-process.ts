import { createInterface } from 'node:readline';
import { type Machine, startDataCentre } from '../../simulator/index.ts';
import type { FleetOrder, SimulatedFleet } from './fleet.ts';

/** Runs a data centre for the bench: prints its BMCs, then, for each line it gets, what was read since the last one. */
const order = JSON.parse(process.argv[2] ?? '{}') as FleetOrder;
const idleMiB = process.memoryUsage.rss() / 2 ** 20;
const dataCentre = await startDataCentre({
  seed: order.seed,
  servers: order.servers,
  isPlain: order.isPlain,
  doesLogReads: order.doesLogReads,
});
const fleet: SimulatedFleet = {
  idleMiB,
  caPem: dataCentre.caPem,
  bmcs: dataCentre.bmcs.map(({ name, url, username, password, machine }) => ({
    name,
    url,
    username,
    password,
    parts: {
      dimms: machine.hardware.dimms.length,
      drives: machine.hardware.drives.length,
      ports: machine.hardware.nics.reduce((sum, nic) => sum + nic.ports.length, 0),
      firmware: slotsToRead(machine),
    },
  })),
};
process.stdout.write(`${JSON.stringify(fleet)}\n`);
process.once('SIGTERM', async () => {
  await dataCentre.close();
  process.exit(0);
});

for await (const _ of createInterface({ input: process.stdin })) {
  const reads = dataCentre.bmcs.map(({ machine }) =>
    machine.log.events
      .filter(({ event, detail }) => event === 'request' && detail.startsWith('GET '))
      .map(({ detail }) => detail.split(' ')[1] ?? ''),
  );
  process.stdout.write(`${JSON.stringify(reads)}\n`);
}

/**
 * How many slots a whole inventory has. Dell lists a slot up to three times (Installed, Current, Previous), and Lenovo lists what
 * waits for a reset beside what runs; all other entries are slots of their own, backups among them.
 */
function slotsToRead(machine: Machine): number {
  if (machine.personality.name === 'dell-idrac9') return machine.firmware.length;
  return machine.personality.listFirmware(machine).filter(({ id }) => !id.endsWith('-Pending')).length;
}
