import { isBeingDeleted } from '../../kube/index.ts';
import { fail } from '../decide/ask.ts';
import { type Draft, type HostSeen, rest, type Step } from '../decide/seen.ts';
import { networkSecretNameOf } from './images-seen.ts';

/** Makes the Secret with the network of the boot image ours; undefined when it is, or when there is none. */
export function claimNetworkSecret(seen: HostSeen, draft: Draft): Step | undefined {
  const { host, images, settings } = seen;
  const name = networkSecretNameOf(host);
  if (name === '' || isBeingDeleted(host)) return undefined;
  const { network } = images;
  if (network.kind === 'unread' || (network.kind === 'found' && !network.isClaimed)) {
    return { kind: 'do', draft, effects: [{ kind: 'claim-network-secret', key: `claim ${name}`, name }] };
  }
  if (network.kind === 'found') return undefined;
  const message = `failed to read preprovisioningNetworkData: the Secret ${name} is not in the namespace of the host`;
  const wake = { after: settings.secretRetryMs };
  // Told once: it is looked for again and again until somebody makes it.
  if (draft.status.errorMessage === message) return rest(draft, wake, 'NoNetworkSecret', message);
  return { ...rest(fail(seen, draft, 'registration error', message).draft, wake, 'NoNetworkSecret', message) };
}
