import type { BareMetalHost, HostPort } from '../../api/index.ts';
import { isMeant, isSameMac, type NetworkNeed } from './match-nics.ts';

/** Why the port of an interface cannot get the configuration that is needed there; undefined when it can. */
export type WhyNot = (entry: HostPort, need: NetworkNeed) => string | undefined;

/** Why a host has no interface for a need: the hint, the list of its ports, or what limits permit there. Pure. */
export function explainNeed(host: BareMetalHost, need: NetworkNeed, whyNot: WhyNot = () => undefined): string {
  const nics = host.status?.hardware?.nics ?? [];
  if (nics.length === 0) return 'inspection has found no interfaces yet';
  const meant = nics.filter((nic) => isMeant(nic, need.nicHint));
  if (meant.length === 0) return 'inspection found no such interface';
  const entries = (host.spec?.ports ?? []).filter(({ mac }) => meant.some((nic) => isSameMac(nic.mac, mac)));
  if (entries.length === 0) return 'spec.ports does not list that interface';
  const reasons = entries.map((entry) => whyNot(entry, need));
  const [reason] = reasons.every((each) => each !== undefined) ? reasons : [];
  return reason ?? 'the interface is needed for another configuration';
}
