import type { Switch, SwitchPort, SwitchPortConfigurationSpec, SwitchPortStatus } from '../../api/index.ts';
import { metal3ApiVersion } from '../../api/index.ts';
import { cleanSettings, type PortSettings, type PortState, recordOfSettings } from '../../switches/index.ts';
import type { PortMemory, PortSeen } from '../port/port-seen.ts';
import { networkFinalizer } from '../resources.ts';
import { defaultNetworkSettings } from '../settings.ts';

/** For tests: noon. */
export const noon = Date.UTC(2026, 0, 1, 12);

/** For tests: the switch that Ethernet1 is on. */
export const unit = 'FixtureSwitch infra/leaf';

/** For tests: settings with one VLAN. */
export function vlan(untaggedVlan: number): PortSettings {
  return { ...cleanSettings(), untaggedVlan };
}

/** For tests: what a device says of Ethernet1. */
export function reading(settings: PortSettings, more: Partial<PortState> = {}): PortMemory {
  return { reading: { at: noon, state: { ...settings, port: 'Ethernet1', unread: [], strays: [], ...more } }, unit };
}

/** For tests: a Switch with one port. */
export function aSwitch(more: Partial<Switch['spec']> = {}): Switch {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'Switch',
    metadata: { name: 'leaf', namespace: 'infra', uid: 'u-leaf' },
    spec: {
      provider: { kind: 'FixtureSwitch', name: 'leaf' },
      ports: { p1: { name: 'Ethernet1' } },
      ...more,
    },
  };
}

/** What tests say about a port. */
export interface PortDraft {
  readonly status?: SwitchPortStatus;
  readonly configuration?: SwitchPortConfigurationSpec | undefined;
  readonly memory?: PortMemory;
  readonly isLeaving?: boolean;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly seen?: Partial<PortSeen>;
}

/** For tests: what the controller sees of a port of infra that is linked to infra/net where a configuration is given. */
export function portSeen({
  status,
  configuration,
  memory,
  isLeaving,
  annotations,
  finalizers,
  seen,
}: PortDraft): PortSeen {
  const port: SwitchPort = {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata: {
      name: 'p1',
      namespace: 'infra',
      generation: 1,
      finalizers: finalizers ?? [networkFinalizer],
      ...(isLeaving === true ? { deletionTimestamp: '2026-01-01T11:00:00Z' } : {}),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: configuration === undefined ? {} : { configuration: { name: 'net', namespace: 'infra' } },
    ...(status === undefined ? {} : { status }),
  };
  const owner = aSwitch();
  return {
    port,
    owner,
    entry: owner.spec.ports?.p1,
    claim: undefined,
    configuration:
      configuration === undefined
        ? undefined
        : {
            apiVersion: metal3ApiVersion,
            kind: 'SwitchPortConfiguration',
            metadata: { name: 'net', namespace: 'infra' },
            spec: configuration,
          },
    limit: undefined,
    standing: { kind: 'ready', access: 'a', unit, since: 0 },
    memory: memory ?? {},
    settings: defaultNetworkSettings,
    ...seen,
  };
}

/** For tests: the status of a port on which settings are set. */
export function settled(state: 'Configuring' | 'Active' | 'Cleaning', settings: PortSettings): SwitchPortStatus {
  return {
    state,
    physicalPortName: 'Ethernet1',
    configuration: recordOfSettings(settings),
    configurationRef: { name: 'net', namespace: 'infra' },
    appliedTo: unit,
  };
}
