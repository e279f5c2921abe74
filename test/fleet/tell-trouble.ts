import { firmwaresOf, missingOf } from './expectations.ts';
import type { FirmwareFleet } from './fleet.ts';
import type { Roles } from './roles.ts';

const mostServers = 3;
const lastLines = 40;

/** What servers that are not as wanted have been through lately, for whoever reads of a failure. */
export async function tellTrouble(fleet: FirmwareFleet, roles: Roles): Promise<string> {
  const firmwares = await firmwaresOf(fleet);
  const odd = roles.all.filter((server) => missingOf(firmwares.get(server.object), server) !== undefined);
  const told = odd.slice(0, mostServers).map(async (server) => {
    const log = await fleet.simulator.logOf(server.name);
    const lines = log.slice(-lastLines).map(({ atMs, event, detail }) => `  ${Math.round(atMs)} ${event} ${detail}`);
    return [`${server.object}: ${JSON.stringify(firmwares.get(server.object)?.status)}`, ...lines].join('\n');
  });
  return (await Promise.all(told)).join('\n');
}
