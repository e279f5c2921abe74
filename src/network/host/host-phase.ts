import type { HostPort, ProvisioningState } from '../../api/index.ts';

/** What a host needs its ports for. */
export const hostNetworkPhases = ['provisioning', 'deployed', 'servicing', 'released'] as const;

/**
 * - `provisioning`: before inspection, provisioning and deprovisioning; ports get their provisioningConfiguration, and
 *   those without one are cleaned.
 * - `deployed`: after deploy; ports get their configuration, and those without one are cleaned.
 * - `servicing`: around an in-band service; ports with a provisioningConfiguration get that, the others stay as deployed.
 * - `released`: before the host is gone; all ports are cleaned.
 */
export type HostNetworkPhase = (typeof hostNetworkPhases)[number];

const phases: Readonly<Record<ProvisioningState, HostNetworkPhase | undefined>> = {
  // Nobody has looked at the host yet: its ports are left alone.
  '': undefined,
  unmanaged: undefined,
  importing: 'provisioning',
  registering: 'provisioning',
  'match profile': 'provisioning',
  inspecting: 'provisioning',
  preparing: 'provisioning',
  ready: 'provisioning',
  available: 'provisioning',
  provisioning: 'provisioning',
  provisioned: 'deployed',
  'externally provisioned': 'deployed',
  deprovisioning: 'provisioning',
  'powering off before delete': 'released',
  deleting: 'released',
};

/** What a host in a state needs its ports for; undefined when they are to be left alone. */
export function networkPhaseOf(
  state: ProvisioningState,
  { isServicing }: { readonly isServicing: boolean },
): HostNetworkPhase | undefined {
  const phase = phases[state];
  return phase === 'deployed' && isServicing ? 'servicing' : phase;
}

/** Which of the configurations of a port counts. */
export function wantedLink(
  { configuration, provisioningConfiguration }: HostPort,
  phase: HostNetworkPhase,
): HostPort['configuration'] {
  switch (phase) {
    case 'provisioning':
      return provisioningConfiguration;
    case 'deployed':
      return configuration;
    case 'servicing':
      return provisioningConfiguration ?? configuration;
    case 'released':
      return undefined;
  }
}
