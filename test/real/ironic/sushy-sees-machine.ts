import assert from 'node:assert/strict';
import type { Machine, Neighbour } from '../../../simulator/index.ts';
import type { SushyTargetResult } from './read-with-sushy.ts';

/** A resource as sushy read it; only what is compared is named. */
interface Read {
  readonly path: string;
  readonly [field: string]: unknown;
}

/** Checks that what sushy understood of a BMC is what the simulated machine is. */
export function checkThatSushySees(result: SushyTargetResult, machine: Machine): void {
  assert.deepEqual(result.errors, [], `${machine.personality.name}: sushy stumbled`);
  assert.deepEqual(result.dangling, [], `${machine.personality.name}: links that lead nowhere`);
  const [system, ...otherSystems] = listOf(result.values?.systems);
  assert.deepEqual(otherSystems, []);
  assert.ok(system);
  checkSystem(system, machine);
  checkBios(system.bios as Read, machine);
  checkParts(system, machine);
  checkManager(listOf(result.values?.managers), machine);
  checkAdapters(listOf(result.values?.chassis), machine);
  checkUpdateService(result.values?.update_service as Read, machine);
  checkServices(result, machine);
}

function checkSystem(system: Read, { hardware, personality, power, boot, firmware }: Machine): void {
  const { uuid, serial_number, model, manufacturer, power_state, bios_version } = system;
  assert.deepEqual(
    { uuid: String(uuid).toLowerCase(), serial_number, model, manufacturer, power_state, bios_version },
    {
      uuid: hardware.uuid.toLowerCase(),
      serial_number: hardware.serial,
      model: hardware.model,
      manufacturer: personality.manufacturer,
      power_state: power.state,
      bios_version: firmware.find((slot) => slot.component === 'bios')?.version,
    },
  );
  const mib = hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0);
  assert.equal((system.memory_summary as { size_gib: number }).size_gib, mib / 1024);
  assert.deepEqual(sorted(system.allowed_resets), sorted(personality.service.resetTypes));
  const { enabled, target } = system.boot as Record<string, unknown>;
  assert.deepEqual({ enabled, target }, { enabled: boot.enabled, target: boot.target });
}

function checkBios(bios: Read, machine: Machine): void {
  assert.deepEqual(bios.attributes, machine.bios.current);
  const registry = bios.registry as { attributes: Record<string, unknown>[] } | null;
  assert.ok(registry, `${machine.personality.name}: sushy finds no attribute registry`);
  const described = new Map(registry.attributes.map((each) => [each.name, each]));
  for (const attribute of machine.personality.bios) {
    const entry = described.get(attribute.name);
    assert.equal(entry?.attribute_type, attribute.type, attribute.name);
    const values = (entry?.allowable_values ?? []) as { ValueName: string }[];
    assert.deepEqual(
      values.map((each) => each.ValueName),
      [...(attribute.values ?? [])],
    );
    assert.equal(entry?.read_only ?? false, attribute.isReadOnly ?? false, attribute.name);
  }
}

function checkParts(system: Read, { hardware }: Machine): void {
  const processors = listOf(system.processors).filter((each) => each.status === null || isPresent(each));
  assert.deepEqual(
    processors.map((each) => [each.model, each.total_cores, each.total_threads]),
    hardware.processors.map((each) => [each.model, each.cores, each.threads]),
  );
  const drives = listOf(system.storage).flatMap((storage) => listOf(storage.drives));
  assert.deepEqual(
    sorted(drives.map((each) => `${each.serial_number} ${each.capacity_bytes} ${each.model}`)),
    sorted(hardware.drives.map((each) => `${each.serial} ${each.capacityBytes} ${each.model}`)),
  );
  assert.deepEqual(
    sorted(listOf(system.ethernet_interfaces).map((each) => String(each.mac_address).toLowerCase())),
    sorted(macsOf(hardware)),
  );
}

function checkManager(managers: readonly Read[], { firmware, personality }: Machine): void {
  const bmc = managers.find((each) => each.path.endsWith(`/${personality.ids.manager}`));
  assert.ok(bmc, 'the BMC is not among the managers');
  // Inventories date the release (`2.99 Dec 05 2023`) that the manager names in its own words (`iLO 5 v2.99`).
  const [release = ''] = firmware.find((slot) => slot.component === 'bmc')?.version.split(' ') ?? [];
  assert.ok(String(bmc.firmware_version).includes(release), `${bmc.firmware_version} instead of ${release}`);
  assert.deepEqual(sorted(bmc.allowed_resets), sorted(personality.service.managerResetTypes));
  assert.ok(listOf(bmc.ethernet_interfaces).length > 0, 'the BMC has no network interface');
}

function checkAdapters(chassis: readonly Read[], machine: Machine): void {
  const { hardware } = machine;
  const adapters = chassis.flatMap((each) => listOf(each.network_adapters));
  assert.deepEqual(
    sorted(adapters.map((each) => `${each.model} ${each.serial_number}`)),
    sorted(hardware.nics.map((each) => `${each.model} ${each.serial}`)),
  );
  const ports = adapters.flatMap((each) => [...listOf(each.ports), ...listOf(each.network_ports)]);
  assert.ok(ports.length >= hardware.nics.flatMap((nic) => nic.ports).length, 'ports are missing');
  for (const port of adapters.flatMap((each) => listOf(each.ports))) checkNeighbour(port, machine);
}

function checkNeighbour(port: Read, machine: Machine): void {
  const { associated_mac_addresses, lldp_receive } = (port.ethernet ?? {}) as Record<string, unknown>;
  const [mac = ''] = (associated_mac_addresses ?? []) as string[];
  const known = macsOf(machine.hardware).includes(mac.toLowerCase());
  assert.ok(known, `${port.path} shows the MAC ${mac}, which is none of the machine's`);
  const heard = lldp_receive as { system_name: string; port_id: string } | null;
  const neighbour = neighbourOf(machine, mac);
  if (heard === null || heard.system_name === null) return;
  assert.deepEqual([heard.system_name, heard.port_id], [neighbour?.systemName, neighbour?.portId]);
}

function neighbourOf(machine: Machine, mac: string): Neighbour | undefined {
  const ports = machine.hardware.nics.flatMap((nic) => nic.ports);
  const port = ports.find((each) => each.mac.toLowerCase() === mac.toLowerCase());
  return port === undefined ? undefined : machine.neighbour(port.mac);
}

/** The switches that the machine's NICs are plugged into. */
export function switchesOf(machine: Machine): string[] {
  const names = macsOf(machine.hardware).map((mac) => neighbourOf(machine, mac)?.systemName);
  return [...new Set(names.filter((name) => name !== undefined))];
}

function checkUpdateService(service: Read, machine: Machine): void {
  const listed = machine.personality.listFirmware(machine);
  const seen = listOf(service.firmware_inventory).map((each) => `${each.identity} ${each.version ?? ''}`);
  // sushy does not follow Members@odata.nextLink.
  const pageSize = machine.personality.service.pageSize ?? listed.length;
  const expected = listed.slice(0, pageSize).map((each) => `${each.id} ${each.version}`);
  assert.deepEqual(seen, expected);
}

function checkServices({ values }: SushyTargetResult, machine: Machine): void {
  for (const name of ['task_service', 'session_service', 'event_service']) assert.ok(values?.[name], `no ${name}`);
  const { sessions } = (values?.session_service ?? {}) as Partial<Read>;
  assert.ok(listOf(sessions).length > 0, 'sushy does not see its own session');
  const registries = listOf(values?.registries);
  assert.ok(registries.length > 0, 'no registries');
  const unloaded = registries.filter((each) => each.is_loaded !== true).map((each) => each.path);
  assert.deepEqual(unloaded, [], `${machine.personality.name}: registries that sushy cannot load`);
}

/** The MAC addresses of all NIC ports, in lower case. */
export function macsOf(hardware: Machine['hardware']): string[] {
  return hardware.nics.flatMap((nic) => nic.ports.map((port) => port.mac.toLowerCase()));
}

function isPresent(read: Read): boolean {
  return (read.status as { state?: string }).state !== 'Absent';
}

function listOf(value: unknown): Read[] {
  return Array.isArray(value) ? (value as Read[]) : [];
}

function sorted(values: unknown): string[] {
  return [...(values as readonly string[])].sort();
}
