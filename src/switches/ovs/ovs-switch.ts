import type { OVSSwitchSpec } from '../../api/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import { createSwitchDevice } from '../device/index.ts';
import type { SwitchDevice } from '../switch-device.ts';
import type { TlsCredentials } from '../switch-providers.ts';
import type { DialTarget } from './line/dial.ts';
import { parseRemote, type Remote } from './line/remote.ts';
import { createOvsDriver } from './ovs-driver.ts';
import { createOvsLines } from './ovs-lines.ts';
import { createOvsWatcher } from './watch-bridge.ts';

/** What a device for one Open vSwitch is made of. */
export interface OvsSwitchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly spec: OVSSwitchSpec;
  readonly credentials?: TlsCredentials | undefined;
  readonly timeoutMs?: number | undefined;
  readonly probeMs?: number | undefined;
}

const unusable: Remote = { kind: 'unix', path: '/nonexistent' };

/** Opens a device to one bridge of an Open vSwitch. Nothing is dialled yet. */
export function openOvsSwitch(options: OvsSwitchOptions): SwitchDevice {
  const { clock, random, spec, credentials, timeoutMs = 15_000, probeMs = 10_000 } = options;
  const target = (address: string): DialTarget => ({
    remote: parseRemote(address) ?? unusable,
    tls: credentials,
    isCertificateUnchecked: spec.disableCertificateVerification,
  });
  const openflowAddress = spec.openflowAddress ?? besideDatabase(spec);
  const lines = createOvsLines({
    clock,
    probeMs,
    ovsdb: target(spec.address),
    openflow: openflowAddress === undefined ? undefined : target(openflowAddress),
  });
  const watcher = createOvsWatcher({ clock, random, lines, backoff: { baseMs: 200, maxMs: 15_000 } });
  const driver = createOvsDriver({ title: `the Open vSwitch at ${spec.address}`, bridge: spec.bridge, lines, watcher });
  return createSwitchDevice(driver, { clock, timeoutMs });
}

/** On the switch itself the OpenFlow socket of a bridge is beside that of the database. */
function besideDatabase({ address, bridge }: OVSSwitchSpec): string | undefined {
  const [, folder] = /^unix:(\/.*)\/[^/]+$/.exec(address) ?? [];
  return folder === undefined || bridge.includes('/') ? undefined : `unix:${folder}/${bridge}.mgmt`;
}
