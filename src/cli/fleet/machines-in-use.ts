import { hostStatesInUse } from '../../api/index.ts';
import type { Session } from '../objects/session.ts';
import { type HostObject, machineOfServer, macsOfHost, type ServerObject } from './fleet-machines.ts';
import { fleetResources, listIfServed } from './read-fleet.ts';

/** A Server, as far as it says which machine it is about. */
type KnownServer = Pick<ServerObject, 'spec' | 'status'>;

/** Which machines BareMetalHosts are in use on, and what an update would wait for, by the id of the machine. */
export async function readMachinesInUse(
  session: Session,
  { servers, signal }: { readonly servers: readonly KnownServer[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  return machinesInUse(await listIfServed<HostObject>(fleetResources.hosts, session, signal), servers);
}

/** The same of objects that were read. Pure. */
export function machinesInUse(
  hosts: readonly HostObject[],
  servers: readonly KnownServer[],
): ReadonlyMap<string, string> {
  const machines = new Map(
    servers.flatMap((server) =>
      (server.status?.networkInterfaces ?? []).flatMap(({ macAddress = '' }) =>
        macAddress === '' ? [] : [[macAddress.toLowerCase(), machineOfServer(server)] as const],
      ),
    ),
  );
  return new Map(
    hosts.flatMap((host) => {
      const use = useOf(host);
      if (use === undefined) return [];
      const { namespace, name } = host.metadata ?? {};
      const message = `BareMetalHost ${namespace}/${name} is in use (${use}): once it is asked for, the update waits until the host is deprovisioned.`;
      return macsOfHost(host).flatMap((mac) => {
        const machine = machines.get(mac);
        return machine === undefined ? [] : [[machine, message] as const];
      });
    }),
  );
}

function useOf({ spec, status }: HostObject): string | undefined {
  const state = status?.provisioning?.state ?? '';
  if (hostStatesInUse.includes(state)) return state;
  return spec?.externallyProvisioned === true ? 'externally provisioned' : undefined;
}
