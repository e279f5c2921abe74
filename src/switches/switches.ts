import type { Clock, Random } from '../kube/index.ts';
import { type AnsibleInstallation, createAnsibleRunner, type HostKeyBook, openAnsibleSwitch } from './ansible/index.ts';
import { createFixtureRack, type FixtureRack } from './fixture/index.ts';
import { openOvsSwitch } from './ovs/index.ts';
import type { SwitchDevice } from './switch-device.ts';
import type { SwitchAccess, SwitchProviders } from './switch-providers.ts';

/** What switches of every kind need. */
export interface SwitchProvidersOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Keys of switches that were seen first without one being given. */
  readonly hostKeys: HostKeyBook;
  /** Where Ansible is; `python3` when not given. */
  readonly ansible?: AnsibleInstallation | undefined;
  /** Make-believe switches; a rack of our own when not given. */
  readonly fixtures?: FixtureRack | undefined;
}

/** Makes what opens switches of every kind. Ansible starts with the first switch that needs it. */
export function createSwitchProviders(options: SwitchProvidersOptions): SwitchProviders {
  const { clock, random, hostKeys } = options;
  const fixtures = options.fixtures ?? createFixtureRack({ clock });
  const runner = createAnsibleRunner(options.ansible ?? { python: 'python3' });
  return {
    open(access: SwitchAccess): SwitchDevice {
      switch (access.kind) {
        case 'AnsibleSwitch':
          return openAnsibleSwitch({
            ...{ clock, runner, hostKeys, spec: access.spec, credentials: access.credentials },
            object: { namespace: access.namespace, name: access.name },
          });
        case 'OVSSwitch':
          return openOvsSwitch({ clock, random, spec: access.spec, credentials: access.credentials });
        case 'FixtureSwitch':
          return fixtures.open(access, access.spec);
      }
    },
    close: () => runner.close(),
  };
}
