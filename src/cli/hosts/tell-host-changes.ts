import { type BareMetalHost, readHostHealth } from '../../api/index.ts';
import { discoveryNote, type HostInformers } from '../../hosts/index.ts';

/** Which hosts are told of, and how. */
export interface HostNews {
  readonly hosts: Pick<HostInformers['hosts'], 'onChange'>;
  /** `namespace/name` of each; besides, hosts that came by themselves are told of. The others are somebody's own affair. */
  readonly keys: readonly string[];
  readonly tell: (line: string) => void;
}

/** Tells of every host that is somewhere else than before, from now on; gives how to end that. */
export function tellHostChanges({ hosts, keys, tell }: HostNews): () => void {
  const words = new Map<string, string>();
  let isBefore = true;
  const leave = hosts.onChange((key, { previous, current }) => {
    if (!keys.includes(key) && !isDiscovered(current ?? previous)) return;
    const word = wordOf(current);
    if (words.get(key) === word) return;
    words.set(key, word);
    // Those that are there already are called back for first.
    if (!isBefore) tell(`${key}: ${word}`);
  });
  isBefore = false;
  return leave;
}

/** Where a host is: `provisioned`, `provisioned, servicing`, `preparing, error: ...`. */
function wordOf(host: BareMetalHost | undefined): string {
  if (host === undefined) return 'gone';
  const { provisioning, operationalStatus } = host.status ?? {};
  const state = provisioning?.state ?? '';
  const status = operationalStatus ?? '';
  const health = readHostHealth(host);
  const more = health.kind === 'error' ? `error: ${health.why}` : status;
  const isUsual = health.kind !== 'error' && (status === '' || status === 'OK');
  return [state === '' ? 'new' : state, ...(isUsual ? [] : [more])].join(', ');
}

function isDiscovered(host: BareMetalHost | undefined): boolean {
  return host?.metadata.annotations?.[discoveryNote] !== undefined;
}
