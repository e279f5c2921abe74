import type { AnsibleSwitchSpec, AnsibleSwitchSystem } from '../../../api/index.ts';
import type { AnsibleSystem } from '../ansible-system.ts';
import { eosSystem } from './eos.ts';
import { nxosSystem } from './nxos.ts';
import { openvswitchSystem } from './openvswitch.ts';
import { roleSystem } from './vlan-only.ts';

const cli = 'ansible.netcommon.network_cli';
const netcommon = 'ansible.netcommon';

/** How each system that network-runner supports is spoken to. */
export const ansibleSystems: Readonly<Record<AnsibleSwitchSystem, (spec: AnsibleSwitchSpec) => AnsibleSystem>> = {
  openvswitch: ({ bridge }) => openvswitchSystem(bridge ?? ''),
  eos: () => eosSystem(),
  nxos: () => nxosSystem(),
  junos: () =>
    roleSystem({
      system: 'junos',
      connection: cli,
      networkOs: 'junos',
      hasTrunks: true,
      collections: [netcommon, 'junipernetworks.junos'],
    }),
  enos: () =>
    roleSystem({
      system: 'enos',
      connection: cli,
      networkOs: 'enos',
      hasTrunks: true,
      collections: [netcommon, 'community.network'],
    }),
  // Its provider puts a trunk into the bridge without naming VLANs, so every VLAN would pass.
  cumulus: () =>
    roleSystem({
      system: 'cumulus',
      connection: 'ssh',
      networkOs: 'cumulus',
      hasTrunks: false,
      collections: ['community.network'],
    }),
  dellos10: () =>
    roleSystem({
      system: 'dellos10',
      connection: cli,
      networkOs: 'dellos10',
      hasTrunks: false,
      collections: [netcommon, 'dellemc.os10'],
    }),
  'dellemc.os9.os9': () =>
    roleSystem({
      system: 'dellemc.os9.os9',
      connection: cli,
      networkOs: 'dellemc.os9.os9',
      hasTrunks: true,
      collections: [netcommon, 'dellemc.os9'],
    }),
  fos: () =>
    roleSystem({
      system: 'fos',
      connection: cli,
      networkOs: 'fos',
      hasTrunks: true,
      collections: [netcommon, 'fujitsu.fos'],
    }),
  nos: () =>
    roleSystem({
      system: 'nos',
      connection: cli,
      networkOs: 'nos',
      hasTrunks: false,
      collections: [netcommon, 'community.network'],
    }),
};

/** How the switch of this spec is spoken to. */
export function systemFor(spec: AnsibleSwitchSpec): AnsibleSystem {
  return ansibleSystems[spec.os](spec);
}
