import type { GivenLimits } from '../../apiserver/index.ts';
import { parseCount } from '../parse-setting.ts';
import { define } from '../setting.ts';

const count = parseCount({ least: 1, most: 1_000_000 });

/** What clients may take of the embedded API server. */
export const apiLimitSettings = {
  apiMaxReads: define({
    flag: '--api-max-reads',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_READS',
    about: 'reads that the API server works on at once; one user has at most half of them',
    fallback: '32',
    parse: count,
  }),
  apiMaxWrites: define({
    flag: '--api-max-writes',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_WRITES',
    about: 'writes that the API server works on at once; one user has at most half of them',
    fallback: '256',
    parse: count,
  }),
  apiMaxWaiting: define({
    flag: '--api-max-waiting',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_WAITING',
    about: 'reads, and as many writes, of one user that may wait for their turn; more are answered with 429',
    fallback: '512',
    parse: count,
  }),
  apiMaxWatches: define({
    flag: '--api-max-watches',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_WATCHES',
    about: 'watches that one user may have open; more are answered with 429',
    fallback: '1000',
    parse: count,
  }),
  apiMaxConnections: define({
    flag: '--api-max-connections',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_CONNECTIONS',
    about: 'connections to the API server',
    fallback: '4096',
    parse: count,
  }),
  apiMaxConnectionsPerAddress: define({
    flag: '--api-max-connections-per-address',
    value: '<n>',
    env: 'RACKWRIGHT_API_MAX_CONNECTIONS_PER_ADDRESS',
    about: 'connections to the API server from one address',
    fallback: '1024',
    parse: count,
  }),
} as const;

/** The names of these settings. */
export const apiLimitNames = [
  'apiMaxReads',
  'apiMaxWrites',
  'apiMaxWaiting',
  'apiMaxWatches',
  'apiMaxConnections',
  'apiMaxConnectionsPerAddress',
] as const satisfies readonly (keyof typeof apiLimitSettings)[];

/** The limits as settings. */
export type ApiLimitSettings = Readonly<Record<(typeof apiLimitNames)[number], number>>;

/** The limits that the settings stand for. */
export function apiLimits(settings: ApiLimitSettings): GivenLimits {
  const lane = (seats: number) => ({
    seats,
    seatsPerClient: Math.ceil(seats / 2),
    waitingPerClient: settings.apiMaxWaiting,
  });
  return {
    reads: lane(settings.apiMaxReads),
    writes: lane(settings.apiMaxWrites),
    watch: { watchesPerClient: settings.apiMaxWatches },
    connection: {
      connections: settings.apiMaxConnections,
      connectionsPerAddress: settings.apiMaxConnectionsPerAddress,
    },
  };
}
