import type { AnsibleSwitch } from '../../api/index.ts';
import { isConflict, type KubeClient, type KubeObject, patchStatus } from '../../kube/index.ts';
import type { HostKeyBook, KeyOwner } from '../../switches/index.ts';
import { networkFieldManager, providerResources } from '../resources.ts';

/** Keeps first host keys in `status.hostKey` of AnsibleSwitches: a process that starts anew must not believe another one. */
export function createStatusHostKeys(client: KubeClient): HostKeyBook {
  const switches = client.resource<AnsibleSwitch & KubeObject>(providerResources.AnsibleSwitch);
  const read = ({ namespace, name }: KeyOwner, signal: AbortSignal) => switches.get({ namespace, name }, { signal });
  return {
    async find(owner, signal) {
      return keysFor(await read(owner, signal), owner.place);
    },
    async keep(owner, keys, signal) {
      for (;;) {
        const object = await read(owner, signal);
        const known = keysFor(object, owner.place);
        if (known !== undefined) return known;
        try {
          const write = { parts: ['hostKey'], fieldManager: networkFieldManager, signal };
          await patchStatus(switches, object, { hostKey: keys }, write);
          return keys;
        } catch (error) {
          // Somebody wrote in between, maybe a key.
          if (!isConflict(error)) throw error;
        }
      }
    },
  };
}

/** Keys of another place, from before the switch was moved, are not its own. */
function keysFor({ status }: AnsibleSwitch, place: string): string | undefined {
  const lines = (status?.hostKey ?? '').split('\n').filter((line) => line.startsWith(`${place} `));
  return lines.length === 0 ? undefined : `${lines.join('\n')}\n`;
}
