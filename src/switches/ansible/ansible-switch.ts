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
  /** The AnsibleSwitch, which first host keys are kept with. */
  readonly object: { readonly namespace: string; readonly name: string };
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
  { spec, hostKeys, object }: AnsibleSwitchOptions,
  signal: AbortSignal,
): Promise<SwitchResult<string | null>> {
  const place = { host: spec.ip, port: spec.port ?? 22 };
  if (spec.disableHostKeyVerification === true) return done(null);
  if (spec.hostKey !== undefined && spec.hostKey !== '') return done(knownHostLines(place, spec.hostKey));
  const owner = { ...object, place: placeName(place) };
  try {
    const known = await hostKeys.find(owner, signal);
    if (known !== undefined) return done(known);
    const seen = await scanHostKeys(place, signal);
    // Kept before anything is sent there: a key that is forgotten would be believed anew.
    return seen.kind === 'done' ? done(await hostKeys.keep(owner, seen.value, signal)) : seen;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'unreachable', message: `the host key of ${owner.place} cannot be kept: ${detail}` };
  }
}
