import { hostStatesInUse } from '../../api/index.ts';
import type { HostIdentity } from '../../provisioners/index.ts';
import type { HostSeen } from '../decide/seen.ts';
import type { ExternalWork, HostName, MachineClaims } from '../ports.ts';
import { stateOf } from '../status/host-status.ts';
import { identityOf } from './ask-provisioner.ts';

/** What is said of the machine of a host. */
export interface HostClaim {
  readonly host: HostIdentity;
  /** The state in which it is in use, if it is. */
  readonly use: string | undefined;
}

/** The machines that hosts claim, with a memory, so that saying the same again costs nothing. */
export interface ClaimedMachines {
  claim(claim: HostClaim): Promise<void>;
  /** Whether what was said last of the machine of a host is stored. */
  isClaimed(host: HostName): boolean;
  /** Whether others have the machine of a host just now, or that cannot be found out. */
  isTaken(host: HostName): Promise<boolean>;
  /** Every host that claims a machine. */
  owners(): Promise<readonly HostName[]>;
  /** The host is gone. */
  forget(host: HostName): Promise<void>;
}

/** What is to be said of a host; undefined for one that nobody works on, since it is not managed. */
export function claimOf(seen: Pick<HostSeen, 'host' | 'status' | 'secret'>): HostClaim | undefined {
  const host = identityOf(seen);
  // A machine that came by itself is one that others may know too: by its MACs and its serial number.
  if (host.bmc === undefined && !isKnown(seen)) return undefined;
  return { host, use: useOf(seen) };
}

/** True when a provisioner may work on the host. */
function isKnown({ status }: Pick<HostSeen, 'status'>): boolean {
  return !['none', 'unmanaged'].includes(stateOf(status));
}

/** Also on its way in and out somebody's data is on it, and whoever provisioned it elsewhere says so before we look. */
function useOf({ host, status }: Pick<HostSeen, 'host' | 'status'>): string | undefined {
  const state = stateOf(status);
  if (hostStatesInUse.includes(state)) return state;
  if (host.spec?.externallyProvisioned === true) return 'externally provisioned';
  const { image, customDeploy } = status.provisioning;
  return (image?.url ?? '') === '' && (customDeploy?.method ?? '') === '' ? undefined : 'provisioned';
}

/** Remembers what was stored of machines. */
export function createClaimedMachines(claims: MachineClaims): ClaimedMachines {
  const stored = new Map<string, string>();
  return {
    async claim({ host, use }) {
      const key = keyOf(host);
      const { id = '', bmc, bootMacAddress = '', hardware = {} } = host;
      const text = JSON.stringify([id, bmc?.address ?? '', bootMacAddress, hardware, use ?? '']);
      if (stored.get(key) === text) return;
      stored.delete(key);
      await claims.claim(host, { use });
      stored.set(key, text);
    },
    isClaimed: (host) => stored.has(keyOf(host)),
    isTaken: (host) =>
      claims.isOurs(host).then(
        (isOurs) => !isOurs,
        // Who cannot be asked may be at work.
        () => true,
      ),
    owners: () => claims.owners(),
    async forget(host) {
      await claims.unclaim(host);
      stored.delete(keyOf(host));
    },
  };
}

/** Work outside that is only begun on machines that are claimed: others would not know that they are to keep away. */
export function onlyClaimed(work: ExternalWork, machines: Pick<ClaimedMachines, 'isClaimed'>): ExternalWork {
  return {
    async hold(host, what) {
      if (machines.isClaimed(host)) return work.hold(host, what);
      const message = 'others could not be told that the machine is about to be worked on';
      return { kind: 'refused', message, afterMs: askAgainMs };
    },
    release: (host) => work.release(host),
    releaseOwner: (host) => work.releaseOwner(host),
    owners: () => work.owners(),
  };
}

const askAgainMs = 10_000;

function keyOf({ namespace, name }: HostName): string {
  return `${namespace}/${name}`;
}
