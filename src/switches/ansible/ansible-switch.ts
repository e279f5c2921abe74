import type { AnsibleSwitchSpec } from '../../api/index.ts';
import type { Clock } from '../../kube/index.ts';
import { createSwitchDevice } from '../device/index.ts';
import type { SwitchDevice } from '../switch-device.ts';
import type { SshCredentials } from '../switch-providers.ts';
import { done, type SwitchResult } from '../switch-result.ts';
import { createAnsibleDriver } from './ansible-driver.ts';
import { type HostKeyBook, knownHostLines, placeName, scanHostKeys } from './host-keys.ts';
import type { AnsibleRunner } from './runner-process.ts';
import { systemFor } from './systems/index.ts';

/** What a device for one switch by Ansible is made of. */
export interface AnsibleSwitchOptions {
  readonly clock: Clock;
  readonly runner: AnsibleRunner;
  readonly hostKeys: HostKeyBook;
  readonly spec: AnsibleSwitchSpec;
  readonly credentials: SshCredentials;
  readonly timeoutMs?: number | undefined;
}

/** Opens a device to one switch by Ansible. Nothing is dialled yet. */
export function openAnsibleSwitch(options: AnsibleSwitchOptions): SwitchDevice {
  const { clock, runner, spec, credentials, timeoutMs = 120_000 } = options;
  const place = { host: spec.ip, port: spec.port ?? 22 };
  const driver = createAnsibleDriver({
    title: `the ${spec.os} switch at ${placeName(place)}`,
    system: systemFor(spec),
    runner,
    login: {
      ...place,
      user: credentials.username,
      password: credentials.password,
      privateKey: credentials.privateKey,
      timeoutSeconds: timeoutMs / 1000,
    },
    knownHosts: (signal) => keysOf(options, signal),
  });
  return createSwitchDevice(driver, { clock, timeoutMs });
}

/** The keys that the object names, else those that were seen first, which are kept. */
async function keysOf(
  { spec, hostKeys }: AnsibleSwitchOptions,
  signal: AbortSignal,
): Promise<SwitchResult<string | null>> {
  const place = { host: spec.ip, port: spec.port ?? 22 };
  if (spec.disableHostKeyVerification === true) return done(null);
  if (spec.hostKey !== undefined && spec.hostKey !== '') return done(knownHostLines(place, spec.hostKey));
  const known = hostKeys.find(placeName(place));
  if (known !== undefined) return done(known);
  const seen = await scanHostKeys(place, signal);
  if (seen.kind === 'done') hostKeys.keep(placeName(place), seen.value);
  return seen;
}
