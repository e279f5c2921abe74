import { tryParseBmcAddress } from '../../bmc/index.ts';
import type { AnyKubeObject } from '../../kube/index.ts';
import { readBmcAddress } from '../../provisioners/index.ts';

/** A BareMetalHost, as far as it says which machine it is about. */
export interface HostObject extends AnyKubeObject {
  readonly spec?: {
    readonly online?: boolean;
    readonly bootMACAddress?: string;
    readonly bmc?: { readonly address?: string };
    readonly externallyProvisioned?: boolean;
  };
  readonly status?: HostStatus;
}

/** The status of a host, as far as commands look at it. */
export interface HostStatus {
  readonly provisioning?: { readonly state?: string };
  readonly operationalStatus?: string;
  readonly errorType?: string;
  readonly errorMessage?: string;
  readonly errorCount?: number;
  readonly poweredOn?: boolean;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly hardware?: { readonly nics?: readonly { readonly mac?: string }[] };
  readonly operationHistory?: Readonly<
    Record<string, { readonly start?: string | null; readonly end?: string | null } | undefined>
  >;
}

/** A Server, as far as it says which machine it is about. */
export interface ServerObject extends AnyKubeObject {
  readonly spec?: { readonly systemUUID?: string; readonly bmcRef?: { readonly name?: string } };
  readonly status?: { readonly networkInterfaces?: readonly { readonly macAddress?: string }[] };
}

/** A server of the inventory, which several fleets may share. */
export interface InventoryServer {
  readonly uuid: string;
  readonly name: string;
  readonly bmc_address: string;
  readonly mac_addresses: readonly string[];
}

/** What a fleet is told apart by from others that share its database: the objects of its own Kubernetes API. */
export interface FleetFacts {
  readonly hosts: readonly HostObject[];
  readonly servers: readonly ServerObject[];
  readonly inventory: readonly InventoryServer[];
}

/** The ids of the machine behind a host; none when nobody has met it yet. */
export function machinesOfHost(host: HostObject, { servers, inventory }: Omit<FleetFacts, 'hosts'>): string[] {
  const macs = new Set(macsOfHost(host));
  const addresses = new Set(systemsOfHost(host.spec?.bmc?.address));
  const byServer = servers.filter(({ status }) =>
    (status?.networkInterfaces ?? []).some(({ macAddress = '' }) => macs.has(macAddress.toLowerCase())),
  );
  const byInventory = inventory.filter(
    (one) =>
      one.mac_addresses.some((mac) => macs.has(mac.toLowerCase())) ||
      systemsAt(tryParseBmcAddress(one.bmc_address)).some((address) => addresses.has(address)),
  );
  return [...new Set([...byServer.map(machineOfServer), ...byInventory.map(({ uuid }) => uuid.toLowerCase())])].filter(
    (id) => id !== '',
  );
}

/** The id of the machine that a Server is about. */
export function machineOfServer({ spec }: Pick<ServerObject, 'spec'>): string {
  return (spec?.systemUUID ?? '').toLowerCase();
}

/** The ids of all machines of a fleet: never those that only others know. */
export function machinesOfFleet(facts: FleetFacts): Set<string> {
  const ids = [...facts.servers.map(machineOfServer), ...facts.hosts.flatMap((host) => machinesOfHost(host, facts))];
  return new Set(ids.filter((id) => id !== ''));
}

/** All that a host is known to be plugged in by, in small letters. */
export function macsOfHost({ spec, status }: HostObject): string[] {
  const macs = [spec?.bootMACAddress, ...(status?.hardware?.nics ?? []).map(({ mac }) => mac)];
  return macs.flatMap((mac) => (mac === undefined || mac === '' ? [] : [mac.toLowerCase()]));
}

/** One BMC can have several systems, so that an address without its system says little: it is not looked at. */
function systemsAt(address: ReturnType<typeof tryParseBmcAddress>): string[] {
  return address?.systemPath === undefined ? [] : [address.system];
}

/** As a host has it: without a scheme it is of IPMI, which names no system. */
function systemsOfHost(text = ''): string[] {
  const reading = readBmcAddress(text);
  return reading.kind === 'known' && reading.address.systemPath !== undefined ? [reading.address.system] : [];
}
