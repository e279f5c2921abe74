import type { AnsibleSwitchSystem } from '../../../api/index.ts';
import type { PortWrite } from '../../device/index.ts';
import { type PortAspect, type PortSettings, portAspects } from '../../port-settings.ts';
import { done, type SwitchFailure } from '../../switch-result.ts';
import { countVlans, idsOf } from '../../vlan-set.ts';
import type { AnsibleSystem } from '../ansible-system.ts';
import type { RunnerTask } from '../runner-order.ts';

/** What network-runner's provider for one system can do, and how Ansible connects to it. */
export interface RoleSystem {
  readonly system: AnsibleSwitchSystem;
  readonly connection: 'ansible.netcommon.network_cli' | 'ssh';
  readonly networkOs: string;
  readonly hasTrunks: boolean;
  readonly collections: readonly string[];
}

// Each VLAN is a task of its own in the role.
const maxTasks = 64;

/** A system as network-runner's role has it: VLANs are set blindly, nothing is read back, and there is nothing else. */
export function roleSystem({ system, connection, networkOs, hasTrunks, collections }: RoleSystem): AnsibleSystem {
  const writes: readonly PortAspect[] = hasTrunks ? ['untaggedVlan', 'taggedVlans'] : ['untaggedVlan'];
  return {
    system,
    writes,
    reads: [],
    canListPorts: false,
    collections,
    // The role chooses its provider by ansible_network_os, and so does the connection.
    vars: { ansible_connection: connection, ansible_network_os: networkOs, ansible_network_cli_ssh_type: 'paramiko' },
    readTasks: () => [],
    loginTasks: () => loginTasks(connection),
    understand: () => ({
      portOf: (port) => done({ port, isDisabled: false, taggedVlans: [], acl: [], unread: portAspects, strays: [] }),
    }),
    writeTasks: (portWrites) => portWrites.flatMap(tasksOf),
    whyNot: (wanted) => whyNot(system, wanted),
  };
}

/** What every one of them takes from whoever may log in, and what changes nothing. */
function loginTasks(connection: RoleSystem['connection']): RunnerTask[] {
  const name = 'log in';
  if (connection === 'ssh') return [{ name, module: 'ansible.builtin.raw', args: { _raw_params: 'true' } }];
  return [
    // Not raw: by network_cli that is run on this machine.
    { name, module: 'ansible.netcommon.cli_command', args: { command: 'show version' } },
    { name: 'hang up', meta: 'reset_connection' },
  ];
}

function whyNot(system: AnsibleSwitchSystem, { untaggedVlan, taggedVlans }: PortSettings): SwitchFailure | undefined {
  const unsupported = (aspects: readonly PortAspect[], words: string): SwitchFailure => ({
    kind: 'unsupported',
    aspects,
    message: `network-runner's provider for ${system} ${words}`,
  });
  if (untaggedVlan === undefined)
    return unsupported(['untaggedVlan'], 'needs a VLAN for untagged frames: give the Switch a parkingVLAN');
  if (countVlans(taggedVlans) > maxTasks)
    return unsupported(['taggedVlans'], `sets each VLAN by itself: at most ${maxTasks} at a time`);
  return undefined;
}

function tasksOf({ port, wanted }: PortWrite): RunnerTask[] {
  const tagged = idsOf(wanted.taggedVlans);
  const vlans = [...(wanted.untaggedVlan === undefined ? [] : [wanted.untaggedVlan]), ...tagged];
  const own = { port_name: port, port_description: 'rackwright', vlan_id: wanted.untaggedVlan, stp_edge: false };
  return [
    ...vlans.map((vlan) => ({
      name: `create VLAN ${vlan}`,
      role: 'create_vlan',
      vars: { vlan_id: vlan, vlan_name: `vlan${vlan}` },
    })),
    tagged.length === 0
      ? { name: `set access port ${port}`, role: 'conf_access_port', vars: own }
      : { name: `set trunk port ${port}`, role: 'conf_trunk_port', vars: { ...own, trunked_vlans: tagged } },
  ];
}
