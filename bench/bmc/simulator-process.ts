import { createInterface } from 'node:readline';
import { startDataCentre } from '../../simulator/index.ts';
import type { FleetOrder, SimulatedFleet } from './fleet.ts';

/** Runs a data centre for the bench: prints its BMCs, then, for each line it gets, what was read since the last one. */
const order = JSON.parse(process.argv[2] ?? '{}') as FleetOrder;
const dataCentre = await startDataCentre({
  seed: order.seed,
  servers: order.servers,
  isPlain: order.isPlain,
  doesLogReads: order.doesLogReads,
});
const fleet: SimulatedFleet = {
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
      firmware: machine.personality.listFirmware(machine).length,
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
