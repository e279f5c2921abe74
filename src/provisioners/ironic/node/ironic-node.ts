import { type IronicFeatures, type JsonObject, objectOf, textOf } from '../client/index.ts';

/** A node of Ironic, as far as we look at it. */
export interface IronicNode {
  readonly uuid: string;
  readonly name: string | undefined;
  /** As Ironic says it; a newer one may know states that we do not. */
  readonly provisionState: string;
  readonly targetProvisionState: string | undefined;
  readonly powerState: string | undefined;
  readonly targetPowerState: string | undefined;
  readonly lastError: string | undefined;
  /** Whether Ironic holds it just now; then what is said of it may not be all yet. */
  readonly isLocked: boolean;
  readonly isInMaintenance: boolean;
  readonly maintenanceReason: string | undefined;
  /** Why Ironic itself put it into maintenance: `power failure`, `clean failure`, `service failure`. */
  readonly fault: string | undefined;
  readonly health: string | undefined;
  readonly bootInterface: string | undefined;
  /** All members as they came, to compare with what is wanted. */
  readonly raw: JsonObject;
}

const fields = [
  'uuid',
  'name',
  'provision_state',
  'provision_updated_at',
  'target_provision_state',
  'power_state',
  'target_power_state',
  'last_error',
  'reservation',
  'maintenance',
  'maintenance_reason',
  'fault',
  'driver',
  'driver_info',
  'extra',
  'properties',
  'instance_info',
  'instance_uuid',
  'allocation_uuid',
  'owner',
  'lessee',
  'retired',
  'automated_clean',
  'network_data',
  'bios_interface',
  'boot_interface',
  'deploy_interface',
  'firmware_interface',
  'inspect_interface',
  'management_interface',
  'power_interface',
  'raid_interface',
  'vendor_interface',
];

/** The query that asks for what `readNode` reads and no more: a whole node can be large. */
export function nodeQuery(features: IronicFeatures): string {
  const more = [
    ...(features.canDisablePowerOff ? ['disable_power_off'] : []),
    ...(features.hasHealth ? ['health'] : []),
    ...(features.canService ? ['service_step'] : []),
  ];
  return `fields=${[...fields, ...more].join(',')}`;
}

/** A node from Ironic's answer. */
export function readNode(raw: JsonObject): IronicNode {
  return {
    uuid: textOf(raw.uuid) ?? '',
    name: textOf(raw.name),
    provisionState: textOf(raw.provision_state) ?? '',
    targetProvisionState: textOf(raw.target_provision_state),
    powerState: textOf(raw.power_state),
    targetPowerState: textOf(raw.target_power_state),
    lastError: textOf(raw.last_error),
    isLocked: textOf(raw.reservation) !== undefined,
    isInMaintenance: raw.maintenance === true,
    maintenanceReason: textOf(raw.maintenance_reason),
    fault: textOf(raw.fault),
    health: textOf(raw.health),
    bootInterface: textOf(raw.boot_interface),
    raw,
  };
}

/** A member of the node that is an object. */
export function memberOf(node: IronicNode, name: 'driver_info' | 'properties' | 'instance_info'): JsonObject {
  return objectOf(node.raw[name]);
}

/** The name that a host has in Ironic. */
export function nodeName(host: { readonly namespace: string; readonly name: string }): string {
  return `${host.namespace}~${host.name}`;
}
