import type { FilledInventory } from './fill-inventory.ts';
import type { KnownValues } from './schemathesis.ts';

/** Where BMCs may be: what is made up of letters by chance is seldom an address. */
const addresses = Array.from({ length: 40 }, (_, index) => `https://127.0.1.${index + 1}`);

/** Ids and names of what is in the store, where requests take them. */
export function knownValues(filled: FilledInventory): readonly KnownValues[] {
  const { servers, conditions, firmware, sets, events, macs, kinds, namespaces, workers, locks, tokens } = filled;
  const uuid = 'path.uuid';
  return [
    { path: '/servers/|/inventory/|/serverEnroll/|/by-server/', name: uuid, values: servers },
    { path: '/server-component-firmwares/', name: uuid, values: firmware },
    { path: '/server-component-firmware-sets/|/firmware-set/', name: uuid, values: sets },
    { path: '/events/[{]', name: uuid, values: events },
    { name: 'path.id', values: conditions },
    { name: 'path.condID', values: conditions },
    { name: 'path.kind', values: kinds },
    { name: 'path.mac', values: macs },
    { name: 'path.namespace', values: namespaces },
    { name: 'path.slug', values: ['bmc'] },
    { name: 'body.kind', values: kinds },
    { name: 'body.workerId', values: workers },
    { name: 'body.conditionId', values: conditions },
    { name: 'body.lock', values: locks },
    { name: 'body.token', values: tokens },
    { path: '/workers/online', name: 'body.kinds[*]', values: kinds },
    { name: 'body.target_server', values: servers },
    { name: 'body.server_id', values: servers },
    { name: 'body.firmware_set', values: sets },
    { name: 'body.firmware_set_id', values: sets },
    { path: '/serverEnroll', name: 'body.parameters.bmc-ip', values: addresses },
    { path: '/servers', name: 'body.bmc_address', values: addresses },
    // Nobody brings work that could be waited for.
    { name: 'body.waitMs', values: [0], share: 1 },
  ];
}
