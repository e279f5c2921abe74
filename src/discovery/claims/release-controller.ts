import {
  type Controller,
  type ControllerOptions,
  type Decision,
  defineController,
  type Effect,
  type KubeClient,
  ok,
  watchInformer,
} from '../../kube/index.ts';
import type { DiscoveryInformers } from '../objects.ts';
import { type Claim, type ClaimObject, readClaim } from './claim.ts';
import { releaseClaim } from './claim-host.ts';
import { createClaimDesk } from './kube-desk.ts';
import type { QuietClaims } from './quiet-claims.ts';

/** What is known of a claim. */
export interface ReleaseSeen {
  readonly object: ClaimObject;
  readonly claim: Claim | undefined;
  /** True where a host has the MAC, or a source still knows the machine. */
  readonly isNeeded: boolean;
  readonly quietForMs: number;
  readonly forgetMs: number;
}

/** A claim that goes. */
export interface ReleaseEffect extends Effect {
  readonly kind: 'release';
}

/** Decides whether a claim goes: its machine is no host, and nobody knows it any more. Pure. */
export function decideRelease({
  object,
  claim,
  isNeeded,
  quietForMs,
  forgetMs,
}: ReleaseSeen): Decision<ReleaseEffect, never> {
  const rest = { status: undefined, why: [] };
  if (claim === undefined) return { ...rest, effects: [], wake: { on: 'change' } };
  // A host may go and a machine be forgotten without anything that would wake this.
  if (isNeeded) return { ...rest, effects: [], wake: { after: 6 * forgetMs } };
  if (quietForMs < forgetMs) return { ...rest, effects: [], wake: { after: forgetMs - quietForMs } };
  const key = `release/${object.metadata.name}/${object.metadata.resourceVersion}`;
  return { ...rest, effects: [{ kind: 'release', key }], wake: { on: 'change' } };
}

/** What claims are released with. */
export interface ReleaseParts {
  readonly client: KubeClient;
  readonly informers: DiscoveryInformers;
  readonly quiet: QuietClaims;
  readonly settings: { readonly claimNamespace: string; readonly requestMs: number; readonly forgetMs: number };
  /** Whether any source told of a machine with this MAC lately. */
  readonly isToldOf: (mac: string) => boolean;
}

/** Takes away claims of machines that are gone. */
export function createReleaseController(
  { client, informers, quiet, settings, isToldOf }: ReleaseParts,
  options: ControllerOptions,
): Controller<ReleaseEffect, never> {
  const { claims, hosts } = informers;
  const { claimNamespace: namespace, requestMs, forgetMs } = settings;
  return defineController<ReleaseSeen, ReleaseEffect, never>(
    {
      name: 'host-discovery-claims',
      watches: [
        watchInformer(claims),
        watchInformer(hosts, (key, { current }) =>
          current === undefined
            ? claims.byIndex('host', key).map((claim) => `${namespace}/${claim.metadata.name}`)
            : [],
        ),
      ],
      read(key) {
        const object = claims.get(key);
        if (object === undefined) return undefined;
        const claim = readClaim(object);
        const mac = claim?.mac ?? '';
        const isNeeded = hosts.byIndex('mac', mac).length > 0 || isToldOf(mac);
        return { object, claim, isNeeded, quietForMs: quiet.quietForMs(object), forgetMs };
      },
      decide: decideRelease,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        release: async (_, { seen, signal }) => {
          await releaseClaim(seen.object, createClaimDesk(client, { namespace, requestMs, signal }));
          return ok();
        },
      },
    },
    options,
  );
}
