import type { BareMetalHost } from '../../api/index.ts';
import { type Clock, formatKey, isNotFound, type KubeObject, keyOf, type MayDo } from '../../kube/index.ts';
import { bmcAt, macOf } from '../objects.ts';

/** The hosts that are there, and how one of them is asked for directly. */
export interface HostView {
  readonly hosts: {
    byIndex(index: string, value: string): readonly BareMetalHost[];
    get(key: string): BareMetalHost | undefined;
  };
  /** Reads a host from the server itself. */
  readonly read: (key: {
    readonly namespace?: string | undefined;
    readonly name: string;
  }) => Promise<BareMetalHost & KubeObject>;
  readonly mayDo: MayDo;
  readonly clock: Clock;
}

/** Who may do something is asked again after so long: hosts come in hundreds, and all of them from one controller. */
export const rememberMs = 10_000;

/** What no two hosts may have in common. */
const exclusive: Readonly<Record<string, Exclusive>> = {
  bmc: {
    field: 'spec.bmc.address',
    of: ({ spec }) => bmcAt(spec?.bmc?.address)?.system,
    near: ({ spec }) => bmcAt(spec?.bmc?.address)?.bmc,
  },
  bootMac: {
    field: 'spec.bootMACAddress',
    of: ({ spec }) => macOf(spec?.bootMACAddress),
    near: ({ spec }) => macOf(spec?.bootMACAddress),
  },
};

interface Exclusive {
  readonly field: string;
  readonly of: (host: BareMetalHost) => string | undefined;
  /** What it is indexed by. A host that has only this means whatever is there: the only system of its BMC. */
  readonly near: (host: BareMetalHost) => string | undefined;
}

function isSame({ of, near }: Exclusive, host: BareMetalHost, other: BareMetalHost): boolean {
  if (near(host) === undefined || near(host) !== near(other)) return false;
  return of(host) === of(other) || of(host) === near(host) || of(other) === near(other);
}

/** True where a host asks for nothing that another could have, or had all of it before. */
export function asksForNothing(host: BareMetalHost, before: BareMetalHost | undefined): boolean {
  return Object.values(exclusive).every(({ of }) => {
    const value = of(host);
    return value === undefined || (before !== undefined && of(before) === value);
  });
}

/** Another host that has what this one asks for. */
export interface Rival {
  readonly field: string;
  readonly host: string;
  readonly isLeaving: boolean;
}

/** Finds hosts that want what another one has. */
export interface HostClaims {
  rivalsOf(
    view: HostView,
    host: BareMetalHost,
    more: { readonly before: BareMetalHost | undefined; readonly isDryRun: boolean },
  ): Promise<Rival[]>;
}

/** What was let in lately counts, though no cache has heard of it yet; after so long all have. */
const claimMs = 30_000;
const mostClaims = 20_000;

/** Remembers what was let in lately: of two hosts that come at the same moment only one gets the machine. */
export function createHostClaims(): HostClaims {
  const lately = new Map<string, { readonly key: string; readonly at: number }>();
  return {
    async rivalsOf(view, host, { before, isDryRun }) {
      const self = formatKey(keyOf(host));
      const found: Rival[] = [];
      for (const [index, rule] of Object.entries(exclusive)) {
        const { of, near, field } = rule;
        const value = of(host);
        if (value === undefined || (before !== undefined && of(before) === value)) continue;
        const claim = `${index} ${value}`;
        const others = view.hosts.byIndex(index, near(host) ?? value);
        const rival = others.find((each) => formatKey(keyOf(each)) !== self && isSame(rule, host, each));
        const other = rival ?? (await claimant(view, { claim, self, of: (each) => isSame(rule, host, each) }));
        if (other !== undefined) {
          found.push({
            field,
            host: formatKey(keyOf(other)),
            isLeaving: other.metadata.deletionTimestamp !== undefined,
          });
        } else if (!isDryRun) note(claim, { key: self, at: view.clock.monotonic() });
      }
      return found;
    },
  };

  function note(claim: string, by: { readonly key: string; readonly at: number }): void {
    lately.delete(claim);
    lately.set(claim, by);
    for (const [old, { at }] of lately) {
      if (by.at - at < claimMs && lately.size <= mostClaims) break;
      lately.delete(old);
    }
  }

  /** Who was let in a moment ago may have been refused by somebody else: only who is there counts. */
  async function claimant(
    view: HostView,
    asked: { readonly claim: string; readonly self: string; readonly of: (host: BareMetalHost) => boolean },
  ): Promise<BareMetalHost | undefined> {
    const claimed = lately.get(asked.claim);
    if (claimed === undefined || claimed.key === asked.self || view.clock.monotonic() - claimed.at > claimMs)
      return undefined;
    if (view.hosts.get(claimed.key) !== undefined) return undefined;
    const [namespace, name = ''] = claimed.key.split('/');
    try {
      const there = await view.read({ namespace, name });
      return asked.of(there) ? there : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
