import {
  type BareMetalHostSpec,
  type BareMetalHostStatus,
  type HostFirmwareComponents,
  type HostFirmwareSettings,
  type HostUpdatePolicy,
  type HostUpdatePolicySpec,
  metal3ApiVersion,
} from '../../api/index.ts';
import type { FirmwareUpdate } from '../../provisioners/index.ts';
import { type PlayedHost, playHost } from './played-host.ts';
import { deployed, statusIn } from './settled-status.ts';

/** For tests: the annotation that asks for one reboot. */
export const rebootOnce = 'reboot.metal3.io';
/** For tests: the annotation of somebody who keeps a host off. */
export const heldOff = 'reboot.metal3.io/fencing';

const metadata = { name: 'h1', namespace: 'fleet', generation: 2 };

function condition(type: string, isTrue: boolean, observedGeneration = 2) {
  const status: 'True' | 'False' = isTrue ? 'True' : 'False';
  const lastTransitionTime = '2025-01-01T00:00:00Z';
  return { type, status, reason: 'Success', message: '', lastTransitionTime, observedGeneration };
}

/** For tests: settings that are wanted, beside those that are. */
export function settingsOf(
  wanted: Readonly<Record<string, string | number>>,
  has: Readonly<Record<string, string>>,
  more: { readonly isValid?: boolean; readonly seenGeneration?: number } = {},
): HostFirmwareSettings {
  const { isValid = true, seenGeneration = 2 } = more;
  const isChanged = Object.entries(wanted).some(([name, value]) => String(value) !== has[name]);
  const conditions = [
    condition('ChangeDetected', isChanged, seenGeneration),
    condition('Valid', isValid, seenGeneration),
  ];
  const status = { settings: { ...has }, conditions };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareSettings',
    metadata,
    spec: { settings: { ...wanted } },
    status,
  };
}

/** For tests: updates that are wanted, beside those that were made. */
export function componentsOf(
  updates: readonly FirmwareUpdate[],
  made: readonly FirmwareUpdate[] = [],
): HostFirmwareComponents {
  const conditions = [
    condition('ChangeDetected', JSON.stringify(updates) !== JSON.stringify(made)),
    condition('Valid', true),
  ];
  const status = { updates: [...made], conditions };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareComponents',
    metadata,
    spec: { updates: [...updates] },
    status,
  };
}

/** For tests: a policy. */
export function policyOf(spec: HostUpdatePolicySpec): HostUpdatePolicy {
  return { apiVersion: metal3ApiVersion, kind: 'HostUpdatePolicy', metadata, spec };
}

/** For tests: the policy that allows everything. */
export const allowAll: HostUpdatePolicySpec = { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' };

/** For tests: what makes a host in use. */
export interface LiveOptions {
  readonly spec?: Partial<BareMetalHostSpec>;
  readonly annotations?: Record<string, string>;
  readonly status?: Partial<BareMetalHostStatus>;
  readonly policy?: HostUpdatePolicySpec | undefined;
}

/** For tests: a host in use with a policy that allows everything, of which one setting is to be another. */
export function liveHost({ spec, annotations, status, policy = allowAll }: LiveOptions = {}): PlayedHost {
  const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
  const played = playHost({
    status: statusIn('provisioned', { ...deployed(), ...status }),
    spec: { image, ...spec },
    ...(annotations === undefined ? {} : { annotations }),
  });
  played.updatePolicy = policyOf(policy);
  const machine = played.provisioners.machine('h1');
  played.firmwareSettings = settingsOf({ ProcVirtualization: 'Enabled' }, machine.settings);
  played.onRefresh = () => {
    const { firmwareSettings } = played;
    if (firmwareSettings === undefined) return;
    played.firmwareSettings = settingsOf(firmwareSettings.spec?.settings ?? {}, machine.settings);
  };
  return played;
}

/** For tests: the orders of one kind that a provisioner was given. */
export function ordersOf({ provisioners }: PlayedHost, method: string): Record<string, unknown>[] {
  return provisioners.calls
    .filter((call) => call.method === method)
    .map(({ order }) => order as Record<string, unknown>);
}

/** For tests: what a condition says, in short. */
export function conditionOf({ status }: PlayedHost, type: string): string {
  const found = status.conditions?.find((each) => each.type === type);
  return found === undefined ? 'none' : `${found.status} ${found.reason}`;
}
