import type { AnsibleInstallation } from '../../switches/index.ts';
import { parsePath } from '../parse-setting.ts';
import { define } from '../setting.ts';
import type { Settings } from '../settings.ts';

/** Settings of what talks to switches. */
export const networkSettings = {
  ansiblePython: define({
    flag: '--ansible-python',
    value: '<file>',
    env: 'RACKWRIGHT_ANSIBLE_PYTHON',
    about:
      'the Python that has ansible-core and network-runner, for AnsibleSwitches; the python3 of the PATH unless given',
    parse: parsePath,
  }),
  ansibleCollections: define({
    flag: '--ansible-collections',
    value: '<dir>',
    env: 'RACKWRIGHT_ANSIBLE_COLLECTIONS',
    about:
      'a folder with the ansible_collections of your switches; those that this Python finds by itself unless given',
    parse: parsePath,
  }),
  ansibleRoles: define({
    flag: '--ansible-roles',
    value: '<dir>',
    env: 'RACKWRIGHT_ANSIBLE_ROLES',
    about: 'the folder that the role network-runner is in; where pip puts it for this Python unless given',
    parse: parsePath,
  }),
} as const;

/** Names of the settings of what talks to switches. */
export const networkSettingNames = [
  'ansiblePython',
  'ansibleCollections',
  'ansibleRoles',
] as const satisfies readonly (keyof typeof networkSettings)[];

/** What whoever runs the network controllers is told. */
export type NetworkPlaneSettings = Settings<(typeof networkSettingNames)[number]>;

/** Where Ansible is, as the settings say. */
export function ansibleOf({
  ansiblePython,
  ansibleCollections,
  ansibleRoles,
}: NetworkPlaneSettings): AnsibleInstallation {
  return {
    python: ansiblePython ?? 'python3',
    roles: ansibleRoles,
    ...(ansibleCollections === undefined ? {} : { collections: [ansibleCollections] }),
  };
}
