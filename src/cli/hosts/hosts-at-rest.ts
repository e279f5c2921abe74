import { type BareMetalHost, isInTrouble, readHostHealth } from '../../api/index.ts';
import type { HostInformers } from '../../hosts/index.ts';

/** What is followed until all hosts have got where they go by themselves. */
export interface FollowedHosts {
  readonly hosts: Pick<HostInformers['hosts'], 'get' | 'onChange'>;
  /** `namespace/name` of each. */
  readonly keys: readonly string[];
}

/** Resolves with a line about hosts once all of them are at rest, or with nothing when the signal comes first. */
export function whenHostsRest({ hosts, keys }: FollowedHosts, signal: AbortSignal): Promise<string | undefined> {
  const moving = new Set(keys);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const leave = hosts.onChange((key, { current }) => {
    if (!moving.has(key) || current === undefined || restOf(current) === undefined) return;
    moving.delete(key);
    if (moving.size === 0) resolve(summaryOf(keys.map((each) => hosts.get(each))));
  });
  const end = (): void => resolve(undefined);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted || moving.size === 0) end();
  return promise.finally(() => {
    leave();
    signal.removeEventListener('abort', end);
  });
}

/** What hosts are at: `6 available, 2 provisioned`. */
export function summaryOf(hosts: readonly (BareMetalHost | undefined)[]): string {
  const rests = Map.groupBy(hosts, (host) => (host === undefined ? 'gone' : (restOf(host) ?? 'on their way')));
  return [...rests]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([rest, all]) => `${all.length} ${rest}`)
    .join(', ');
}

const mostTroubles = 10;

/** What is wrong with hosts, a line for each. */
export function troublesOf({
  hosts,
  keys,
}: {
  readonly hosts: Pick<FollowedHosts['hosts'], 'get'>;
  readonly keys: readonly string[];
}): string[] {
  const lines = keys.flatMap((key) => {
    const host = hosts.get(key);
    const health = host === undefined ? undefined : readHostHealth(host);
    return health !== undefined && isInTrouble(health) ? [`  ${key}: ${health.word}: ${health.why}`] : [];
  });
  const more = lines.length - mostTroubles;
  return more > 0 ? [...lines.slice(0, mostTroubles), `  and ${more} more: rackwright get bmh -A -o wide`] : lines;
}

/** The word for a host that goes nowhere by itself; undefined for one on its way. */
function restOf(host: BareMetalHost): string | undefined {
  const { spec, status } = host;
  const health = readHostHealth(host);
  if (health.kind === 'error') return 'with an error';
  if (isInTrouble(health) && health.word === 'no provisioner') return 'without a provisioner';
  const state = status?.provisioning.state ?? '';
  const isWanted = spec?.online === true && (spec.image?.url ?? '') !== '';
  if (state === 'available') return isWanted ? undefined : state;
  return restingStates.includes(state) ? state : undefined;
}

const restingStates: readonly string[] = ['provisioned', 'externally provisioned', 'unmanaged'];
