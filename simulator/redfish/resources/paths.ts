import type { Machine } from '../../machine/machine.ts';
import type { RedfishRequest } from '../route.ts';
import { toId } from './render.ts';

/** The root of the service. */
export const root = '/redfish/v1';

/** The one system of a machine. */
export function systemPath(machine: Machine): string {
  return `${root}/Systems/${machine.personality.ids.system}`;
}

/** The one manager of a machine. */
export function managerPath(machine: Machine): string {
  return `${root}/Managers/${machine.personality.ids.manager}`;
}

/** The one chassis of a machine. */
export function chassisPath(machine: Machine): string {
  return `${root}/Chassis/${machine.personality.ids.chassis}`;
}

/** The BIOS of the system. */
export function biosPath(machine: Machine): string {
  return `${systemPath(machine)}/${machine.personality.ids.bios}`;
}

/** The settings object of the BIOS. */
export function biosSettingsPath(machine: Machine): string {
  return `${biosPath(machine)}/${machine.personality.ids.biosSettings}`;
}

/** The one storage subsystem. */
export function storagePath(machine: Machine): string {
  return `${systemPath(machine)}/Storage/${machine.personality.ids.storage}`;
}

/** A drive, where the storage subsystem keeps it. */
export function drivePath(machine: Machine, slot: string): string {
  return `${storagePath(machine)}/Drives/${toId(slot)}`;
}

/** A network adapter in the chassis. */
export function adapterPath(machine: Machine, slot: string): string {
  return `${chassisPath(machine)}/NetworkAdapters/${toId(slot)}`;
}

/** The virtual drives, under the system or the manager as the vendor has it. */
export function virtualMediaPath(machine: Machine): string {
  const parent = machine.personality.ids.isVirtualMediaOfSystem ? systemPath(machine) : managerPath(machine);
  return `${parent}/VirtualMedia`;
}

/** A task. */
export function taskPath(id: string): string {
  return `${root}/TaskService/Tasks/${id}`;
}

/** The monitor of a task. */
export function taskMonitorPath(id: string): string {
  return `${root}/TaskService/TaskMonitors/${id}`;
}

/** True where the request names the one system, manager or chassis of its machine. */
export function isOwn(request: RedfishRequest): boolean {
  const { ids } = request.machine.personality;
  const { system, manager, chassis } = request.params;
  return (
    (system === undefined || system === ids.system) &&
    (manager === undefined || manager === ids.manager) &&
    (chassis === undefined || chassis === ids.chassis)
  );
}
