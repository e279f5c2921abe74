import { usageError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import type { HostPlaneSettings } from './start-hosts.ts';

/** One of those that look after hosts. */
export type ProvisionerName = 'ironic' | 'redfish' | 'agent' | 'rack';

/** What looks after hosts: `rack` is `agent` for those of the simulated rack only. Throws where the settings contradict each other. */
export function chooseProvisioner({
  provisioner,
  ironicUrl,
}: Pick<HostPlaneSettings, 'provisioner' | 'ironicUrl'>): ProvisionerName {
  if (provisioner === undefined) return ironicUrl === undefined ? 'rack' : 'ironic';
  if (provisioner === 'ironic' && ironicUrl === undefined) {
    throw usageError('--provisioner ironic needs --ironic-url: which Ironic is meant');
  }
  if (provisioner !== 'ironic' && ironicUrl !== undefined) {
    throw usageError(`--provisioner ${provisioner} and --ironic-url contradict each other`);
  }
  return provisioner;
}

/** What is said where nobody tells of machines that nobody has registered, with what to start this process with. */
export function whyNoSource(provisioner: ProvisionerName): string {
  const others =
    'with --provisioner agent for machines that boot an agent from the network, or with --ironic-url for those that come to an Ironic';
  return provisioner === 'rack'
    ? `Without a simulated rack nobody tells of machines that are not registered. Start Rackwright without --simulate 0, ${others}.`
    : `With --provisioner ${provisioner} nobody tells of machines that are not registered. Start Rackwright ${others}.`;
}

/** Servers that nobody has registered introduce themselves to whoever listens for agents; refused where nobody does. */
export function refuseUnheard(
  settings: Pick<HostPlaneSettings, 'provisioner' | 'ironicUrl'> & Settings<'discoverable' | 'spares'>,
): void {
  if (settings.discoverable + settings.spares === 0) return;
  const chosen = chooseProvisioner(settings);
  if (chosen === 'agent' || chosen === 'rack') return;
  const flag = settings.discoverable > 0 ? '--discoverable' : '--spares';
  throw usageError(
    `${flag} goes with --provisioner agent, which its servers introduce themselves to: with ${chosen} they would come to nobody`,
  );
}
