import type { BareMetalHost, HostUpdatePolicy } from '../../api/index.ts';
import {
  type Controller,
  defineController,
  type Effect,
  isBeingDeleted,
  type KubeObject,
  ok,
  watchInformer,
} from '../../kube/index.ts';
import { resources } from '../resources.ts';
import { isOwnedBy } from './companion.ts';
import { adopt, type CompanionParts } from './companion-parts.ts';

type AdoptPolicy = Effect & { readonly kind: 'adopt-policy' };

interface PolicySeen {
  readonly host: BareMetalHost | undefined;
  readonly policy: HostUpdatePolicy & KubeObject;
}

/** Makes each host the owner of its HostUpdatePolicy, so that the policy goes with it. */
export function createPolicyController({ client, informers, shell }: CompanionParts): Controller<AdoptPolicy, never> {
  const policies = client.resource<HostUpdatePolicy & KubeObject>(resources.updatePolicies);
  return defineController<PolicySeen, AdoptPolicy, never>(
    {
      name: 'host-update-policies',
      watches: [
        watchInformer(informers.updatePolicies),
        watchInformer(informers.hosts, (key, { previous }) => (previous === undefined ? [key] : [])),
      ],
      read(key) {
        const policy = informers.updatePolicies.get(key);
        return policy === undefined ? undefined : { host: informers.hosts.get(key), policy };
      },
      decide({ host, policy }) {
        const isAdopted = host === undefined || isBeingDeleted(host) || isOwnedBy(policy, host);
        const effects: AdoptPolicy[] = isAdopted ? [] : [{ kind: 'adopt-policy', key: 'adopt-policy' }];
        return { effects, status: undefined, wake: { on: 'change' }, why: [] };
      },
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        'adopt-policy': async (_, { seen: { host, policy: object }, signal }) => {
          if (host !== undefined) await adopt(policies, { host, object, signal });
          return ok();
        },
      },
    },
    shell,
  );
}
