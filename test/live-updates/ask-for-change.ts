import type { BareMetalHost } from '../../src/api/index.ts';
import { type HostApi, fleet as namespace } from '../../src/hosts/testing/rig.ts';
import type { FollowedHosts } from './follow-hosts.ts';
import type { BiosChoice } from './live-fleet.ts';
import type { Change } from './plan-changes.ts';

/** How a change ended, by what the host says. */
export type ChangeEnd =
  | { readonly kind: 'OK' }
  | { readonly kind: 'error'; readonly type: string; readonly message: string };

const rebootOnce = { type: 'merge', body: { metadata: { annotations: { 'reboot.metal3.io': '' } } } } as const;

/** Asks for the reboot of a host. */
export async function reboot(api: HostApi, name: string): Promise<void> {
  await api.hosts.patch({ namespace, name }, rebootOnce);
}

/** Asks for a setting to be another, and resolves when that waits for the reboot of its host. */
export async function askForSetting(
  api: HostApi,
  hosts: FollowedHosts,
  name: string,
  choice: BiosChoice,
): Promise<void> {
  const settings = { [choice.name]: choice.values[0] };
  await api.firmwareSettings.patch({ namespace, name }, { type: 'merge', body: { spec: { settings } } });
  await hosts.when(name, 'wait for its reboot', (host) => isWaitingFor(host, { settings }));
}

/** What changes are asked for with. */
export interface ChangeParts {
  readonly api: HostApi;
  readonly hosts: FollowedHosts;
}

/** Asks for a change as its owner does: what is wanted, then a reboot; resolves when the host says how it ended. */
export async function askForChange({ api, hosts }: ChangeParts, name: string, change: Change): Promise<ChangeEnd> {
  const key = { namespace, name };
  const before = beganAt(hosts.get(name));
  const { settings, updates } = change;
  if (settings !== undefined) await api.firmwareSettings.patch(key, { type: 'merge', body: { spec: { settings } } });
  if (updates !== undefined) await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates } } });
  if (change.isRefused === true) {
    const refused = await hosts.when(name, 'refuse it', (host) => liveUpdatesOf(host)?.reason === 'Invalid');
    return { kind: 'error', type: 'Invalid', message: liveUpdatesOf(refused)?.message ?? '' };
  }
  await hosts.when(name, 'wait for its reboot', (host) => isWaitingFor(host, change));
  await reboot(api, name);
  const ended = await hosts.when(name, 'the end of its live update', (host) => {
    if (beganAt(host) === before) return false;
    const hasFailed = host.status?.errorType === 'servicing error';
    // What can be made is tried again after an error, and ends well.
    return change.failure === undefined ? isOver(host) : hasFailed;
  });
  const { errorType, errorMessage = '' } = ended.status ?? {};
  return errorType === undefined ? { kind: 'OK' } : { kind: 'error', type: errorType, message: errorMessage };
}

function beganAt(host: BareMetalHost | undefined): string {
  return host?.status?.operationHistory?.service?.start ?? '';
}

/** What it says that it waits for names all that was asked for. */
function isWaitingFor(host: BareMetalHost, { settings = {}, updates = [] }: Change): boolean {
  const said = liveUpdatesOf(host);
  const names = [...Object.keys(settings), ...(updates.length > 0 ? ['firmware of'] : [])];
  return said?.reason === 'WaitsForReboot' && names.every((name) => said.message.includes(name));
}

function liveUpdatesOf({ status }: BareMetalHost) {
  return status?.conditions?.find(({ type }) => type === 'LiveUpdates');
}

function isOver({ status }: BareMetalHost): boolean {
  return (status?.operationHistory?.service?.end ?? null) !== null && status?.operationalStatus === 'OK';
}
