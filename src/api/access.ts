import type { KindDeclaration } from './declare.ts';

/**
 * What the built-in roles view, edit and admin of a namespace gain on a kind.
 * - `full`: edit and admin create, change and delete; view reads.
 * - `modify`: edit and admin change what is there but neither create nor delete; view reads.
 * - `read`: all three read.
 * - `none`: nothing; only a role of ours that is bound on purpose says otherwise.
 */
export type BuiltinRoleAccess = 'full' | 'modify' | 'read' | 'none';

const byKind: ReadonlyMap<string, BuiltinRoleAccess> = new Map<string, BuiltinRoleAccess>([
  // The infra team racks hosts and lists their ports; whoever uses one reboots it and asks for firmware.
  ['BareMetalHost', 'modify'],
  ['HostFirmwareSettings', 'modify'],
  ['HostFirmwareComponents', 'modify'],
  // What a host in use gets to read is up to whoever uses it.
  ['DataImage', 'full'],
  // Writing it allows live updates, so writing is never given away by default; who uses a host sees what it allows.
  ['HostUpdatePolicy', 'read'],
  // Tenants link configurations to the ports they were given and see nothing of the switches behind them.
  ['SwitchPort', 'modify'],
  ['SwitchPortConfiguration', 'full'],
  ['Switch', 'none'],
  ['AnsibleSwitch', 'none'],
  ['OVSSwitch', 'none'],
  ['FixtureSwitch', 'none'],
  ['SwitchResourceLimit', 'none'],
  // As secret as a Secret.
  ['BMCSecret', 'none'],
  ['Metal3Machine', 'full'],
  ['Metal3MachineTemplate', 'full'],
  ['Metal3Cluster', 'full'],
  ['Cluster', 'full'],
  ['Machine', 'full'],
  ['MachineSet', 'full'],
  ['MachineDeployment', 'full'],
]);

/** What the built-in roles gain on a kind; reading unless the table says otherwise. */
export function builtinRoleAccessOf(kind: KindDeclaration): BuiltinRoleAccess {
  return byKind.get(kind.kind) ?? 'read';
}
