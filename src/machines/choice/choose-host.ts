import { type BareMetalHost, clusterLabels } from '../../api/index.ts';
import { nameOf } from '../references.ts';
import { type HostObjection, type HostWish, hostObjections, judgeHost, reuseOf } from './judge-host.ts';

/** Whose choice it is, and what is better than something else. */
export interface HostPreference extends HostWish {
  /** The uid of the machine: each looks at hosts in an order of its own, so that many at once rarely want the same. */
  readonly seed: string;
  readonly failureDomain: string | undefined;
}

/** Which host a machine takes. */
export type HostChoice =
  | { readonly kind: 'host'; readonly host: BareMetalHost }
  | { readonly kind: 'none'; readonly code: string; readonly message: string };

/**
 * Chooses a host: one that is kept for reuse by this machine before all others, then one of the failure domain, then any.
 * A kept host that is not ready is waited for. Pure, and the same for the same hosts.
 */
export function chooseHost(preference: HostPreference, hosts: readonly BareMetalHost[]): HostChoice {
  const judged = hosts.map((host) => ({ host, objection: judgeHost(host, preference) }));
  const fit = judged.filter(({ objection }) => objection === undefined).map(({ host }) => host);
  const isKept = (host: BareMetalHost): boolean => preference.reuse !== undefined && reuseOf(host) === preference.reuse;
  const kept = best(preference, fit.filter(isKept));
  if (kept !== undefined) return { kind: 'host', host: kept };
  const late = judged.find(
    ({ host, objection }) => isKept(host) && (objection === 'NotAvailable' || objection === 'Busy'),
  );
  if (late !== undefined) {
    const message = `The host ${nameOf(late.host)}, which is kept for reuse, is ${late.host.status?.provisioning.state || 'not registered yet'}.`;
    return { kind: 'none', code: 'WaitingForReusedHost', message };
  }
  const host = best(preference, fit);
  if (host !== undefined) return { kind: 'host', host };
  const unfit = judged.find(({ objection }) => objection === 'Network');
  const why = unfit && preference.network.filter(preference.networkConfiguration, unfit.host);
  return noHost(
    judged.flatMap(({ objection }) => objection ?? []),
    why,
  );
}

function best({ failureDomain, seed }: HostPreference, hosts: readonly BareMetalHost[]): BareMetalHost | undefined {
  const near = hosts.filter(({ metadata }) => metadata.labels?.[clusterLabels.failureDomain] === failureDomain);
  const choice = failureDomain === undefined || near.length === 0 ? hosts : near;
  const scored = choice.map((host) => ({ host, score: scoreOf(`${seed}/${host.metadata.uid ?? nameOf(host)}`) }));
  const [first] = scored.toSorted((one, other) => other.score - one.score || compare(one.host, other.host));
  return first?.host;
}

function compare(one: BareMetalHost, other: BareMetalHost): number {
  return nameOf(one) < nameOf(other) ? -1 : 1;
}

/** Counts what keeps hosts from being taken; why one has the wrong ports is told as well. */
function noHost(objections: readonly HostObjection[], why: string | undefined): HostChoice {
  const code = 'NoHostAvailable';
  if (objections.length === 0) return { kind: 'none', code, message: 'There is no BareMetalHost in the namespace.' };
  const words = (Object.keys(hostObjections) as HostObjection[]).flatMap((name) => {
    const count = objections.filter((each) => each === name).length;
    return count === 0 ? [] : [`${count} ${hostObjections[name]}`];
  });
  return {
    kind: 'none',
    code,
    message: `No BareMetalHost of the namespace can be taken: ${words.join(', ')}.${why === undefined ? '' : ` For one, ${why}.`}`,
  };
}

/** FNV-1a with a final mix: quick, and even enough to spread machines over hosts. */
export function scoreOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
