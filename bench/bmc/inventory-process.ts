import { createInterface } from 'node:readline';
import { connectBmc, createGates, type Gates, type Inventory, readInventory } from '../../src/bmc/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import type { FleetBmc, InventoryCost, InventoryOrder } from './fleet.ts';

/** Takes full inventories for the bench: for each order it gets on a line, one line with what they took. */
for await (const line of createInterface({ input: process.stdin })) {
  const cost = await takeInventories(JSON.parse(line) as InventoryOrder);
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}

async function takeInventories(order: InventoryOrder): Promise<InventoryCost> {
  const idleRssMiB = process.memoryUsage.rss() / 2 ** 20;
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const gates = createGates({ clock: systemClock });
  const waiting = [...order.bmcs];
  let gaps = 0;
  let requests = 0;
  const work = async (): Promise<void> => {
    for (let bmc = waiting.shift(); bmc !== undefined; bmc = waiting.shift()) {
      const inventory = await readOne(bmc, { gates, caPem: order.caPem });
      gaps += inventory.gaps.length;
    }
  };
  await Promise.all(Array.from({ length: order.atOnce }, work));
  for (const state of gates.states) requests += state.requests;
  await gates.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    bmcs: order.bmcs.length,
    seconds: (performance.now() - began) / 1000,
    cpuMs: (user + system) / 1000,
    requests,
    maxRssMiB: process.resourceUsage().maxRSS / 1024,
    idleRssMiB,
    gaps,
  };
}

async function readOne(
  target: FleetBmc,
  way: { readonly gates: Gates; readonly caPem: string | undefined },
): Promise<Inventory> {
  const { url, username, password } = target;
  const bmc = connectBmc({
    gates: way.gates,
    clock: systemClock,
    endpoint: {
      origin: url,
      credentials: async () => ({ username, password }),
      trust: way.caPem === undefined ? { kind: 'insecure', allowsHttp: true } : { kind: 'ca', caPem: way.caPem },
    },
  });
  const inventory = await readInventory(bmc);
  await bmc.gate.logOut();
  expectWhole(target, inventory);
  return inventory;
}

/** A fast inventory that misses parts would be no inventory. */
function expectWhole({ name, parts }: FleetBmc, inventory: Inventory): void {
  const { memory, drives, ports, firmware } = inventory;
  const isWhole = memory.length === parts.dimms && drives.length === parts.drives && ports.length === parts.ports;
  if (isWhole && firmware.length === parts.firmware) return;
  throw new Error(
    `the inventory of ${name} has ${memory.length} of ${parts.dimms} DIMMs, ${drives.length} of ${parts.drives} drives, ${ports.length} of ${parts.ports} ports, ${firmware.length} of ${parts.firmware} firmware slots`,
  );
}
