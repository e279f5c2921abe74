import { resolve } from 'node:path';
import { CliError, usageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** One setting: how it is given, what it means, how it is read. Help texts and the reference come from this. */
export interface SettingDefinition<T> {
  readonly flag: string;
  /** What stands after the flag in help texts. */
  readonly value: string;
  readonly env: string;
  readonly about: string;
  /** Used when neither flag nor environment says anything. */
  readonly fallback?: string;
  /** Throws a usage error that names what was wrong. `given` says where the text came from. */
  parse(text: string, given: Given): T;
}

/** Where a setting came from, for messages and relative paths. */
export interface Given {
  /** `--port 80` or `RACKWRIGHT_PORT=80`. */
  readonly as: string;
  readonly cwd: string;
}

function define<const D extends SettingDefinition<unknown>>(definition: D): D {
  return definition;
}

/** The settings of the commands that start something. */
export const serverSettings = {
  dataDir: define({
    flag: '--data-dir',
    value: '<dir>',
    env: 'RACKWRIGHT_DATA_DIR',
    about: 'where everything is kept: objects, keys, certificates, tokens, audit log',
    fallback: '.rackwright',
    parse: parsePath,
  }),
  host: define({
    flag: '--host',
    value: '<address>',
    env: 'RACKWRIGHT_HOST',
    about: 'the address to listen on; anything but loopback opens the API to the network',
    fallback: '127.0.0.1',
    parse: parseHost,
  }),
  port: define({
    flag: '--port',
    value: '<n>',
    env: 'RACKWRIGHT_PORT',
    about:
      'the Kubernetes API listens on this port (0: any free one), the REST services on the next; the one after is set aside for the console, which this version does not have yet',
    fallback: '7440',
    parse: parsePort,
  }),
  kubeconfig: define({
    flag: '--kubeconfig',
    value: '<file>',
    env: 'RACKWRIGHT_KUBECONFIG',
    about: 'install the kinds and roles into this cluster and work there, instead of starting the embedded API server',
    parse: parsePath,
  }),
  webhookUrl: define({
    flag: '--webhook-url',
    value: '<url>',
    env: 'RACKWRIGHT_WEBHOOK_URL',
    about:
      'with --kubeconfig: how the API server of the cluster reaches this process, as https://host:port, to convert between versions of a kind; without it https://HOST:PORT of --host and --port',
    parse: parseHttpsUrl,
  }),
  simulate: define({
    flag: '--simulate',
    value: '<n>',
    env: 'RACKWRIGHT_SIMULATE',
    about: 'how many servers the simulated rack has; 0 for none',
    fallback: '8',
    parse: parseCount({ least: 0, most: 20_000 }),
  }),
  racks: define({
    flag: '--racks',
    value: '<n>',
    env: 'RACKWRIGHT_RACKS',
    about: 'racks the simulated servers are spread over; 40 servers a rack unless given',
    parse: parseCount({ least: 1, most: 1000 }),
  }),
  servers: define({
    flag: '--servers',
    value: '<n>',
    env: 'RACKWRIGHT_SERVERS',
    about: 'how many servers to simulate, each with a BMC of its own',
    fallback: '20',
    parse: parseCount({ least: 1, most: 20_000 }),
  }),
  seed: define({
    flag: '--seed',
    value: '<n>',
    env: 'RACKWRIGHT_SEED',
    about: 'one seed gives one data centre and one history',
    fallback: '1',
    parse: parseCount({ least: 0, most: 2 ** 32 - 1 }),
  }),
  speed: define({
    flag: '--speed',
    value: '<factor>',
    env: 'RACKWRIGHT_SPEED',
    about: 'how many simulated seconds pass in a real one: with 60, a flash of 40 minutes takes 40 seconds',
    fallback: '60',
    parse: parseSpeed,
  }),
  faults: define({
    flag: '--faults',
    value: '<file>',
    env: 'RACKWRIGHT_FAULTS',
    about: 'rules for what goes wrong, in YAML or JSON',
    parse: parsePath,
  }),
  export: define({
    flag: '--export',
    value: '<dir>',
    env: 'RACKWRIGHT_EXPORT',
    about:
      'write BareMetalHost, BMC, Secret and Switch manifests of the fleet into this folder, for "rackwright apply -f"',
    parse: parsePath,
  }),
  bmcHost: define({
    flag: '--bmc-host',
    value: '<address>',
    env: 'RACKWRIGHT_BMC_HOST',
    about:
      'put all BMCs at this loopback address, a port each; without it each BMC has an address of its own in 127/8 where the machine has those',
    parse: parseLoopback,
  }),
  bmcPort: define({
    flag: '--bmc-port',
    value: '<n>',
    env: 'RACKWRIGHT_BMC_PORT',
    about: 'the port of all BMCs, or the first one with --bmc-host (0: any free one)',
    fallback: '7450',
    parse: parsePort,
  }),
  personalities: define({
    flag: '--personalities',
    value: '<list>',
    env: 'RACKWRIGHT_PERSONALITIES',
    about: 'which BMCs there are, separated by commas, such as dell-idrac9,openbmc; all unless given',
    parse: (text: string) => text.split(',').map((each) => each.trim()),
  }),
  plainHttp: define({
    flag: '--plain-http',
    value: '<yes|no>',
    env: 'RACKWRIGHT_PLAIN_HTTP',
    about: 'BMCs speak plain HTTP instead of TLS',
    fallback: 'no',
    parse: parseYesNo,
  }),
  restPort: define({
    flag: '--rest-port',
    value: '<n>',
    env: 'RACKWRIGHT_REST_PORT',
    about: 'the REST services listen on this port (0: any free one); unless given, "up" takes the one after --port',
    parse: parsePort,
  }),
  databaseUrl: define({
    flag: '--database-url',
    value: '<url>',
    env: 'RACKWRIGHT_DATABASE_URL',
    about:
      'PostgreSQL or CockroachDB for the work engine and the inventory, as postgres://user:password@host:5432/name; without it "up" keeps them in the data directory',
    parse: parseUrlOf('postgres', 'postgresql'),
  }),
  natsUrl: define({
    flag: '--nats-url',
    value: '<url>',
    env: 'RACKWRIGHT_NATS_URL',
    about:
      'NATS JetStream as the bus of the work engine, as nats://host:4222; without it the bus is within the process',
    parse: parseUrlOf('nats', 'tls', 'ws', 'wss'),
  }),
  facilities: define({
    flag: '--facilities',
    value: '<list>',
    env: 'RACKWRIGHT_FACILITIES',
    about: 'the facilities whose servers this process works on, separated by commas, besides the simulated rack',
    parse: parseFacilities,
  }),
  concurrency: define({
    flag: '--concurrency',
    value: '<n>',
    env: 'RACKWRIGHT_CONCURRENCY',
    about: 'how many servers a flasher works on at once',
    fallback: '20',
    parse: parseCount({ least: 1, most: 10_000 }),
  }),
  bmcCa: define({
    flag: '--bmc-ca',
    value: '<file>',
    env: 'RACKWRIGHT_BMC_CA',
    about: 'certificates, as PEM, that BMCs are checked against; those of the system unless given',
    parse: parsePath,
  }),
  restUrl: define({
    flag: '--rest-url',
    value: '<url>',
    env: 'RACKWRIGHT_REST_URL',
    about: 'the REST services to talk to; without it those of the data directory',
    parse: parseHttpUrl,
  }),
  tokenFile: define({
    flag: '--token-file',
    value: '<file>',
    env: 'RACKWRIGHT_TOKEN_FILE',
    about: 'a file with the token to show to REST services; the administrator’s of the data directory unless given',
    parse: parsePath,
  }),
  caFile: define({
    flag: '--ca-file',
    value: '<file>',
    env: 'RACKWRIGHT_CA_FILE',
    about: 'certificates, as PEM, that REST services are checked against',
    parse: parsePath,
  }),
  ironicUrl: define({
    flag: '--ironic-url',
    value: '<url>',
    env: 'RACKWRIGHT_IRONIC_URL',
    about: 'the Ironic API that provisions hosts; refused until this version has provisioners',
    parse: notYet('the provisioner for Ironic'),
  }),
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof serverSettings;

/** The value a setting is read as. */
export type SettingValue<N extends SettingName> =
  | ReturnType<(typeof serverSettings)[N]['parse']>
  | ((typeof serverSettings)[N] extends { readonly fallback: string } ? never : undefined);

/** Validated settings, by name. */
export type Settings<N extends SettingName = SettingName> = { readonly [K in N]: SettingValue<K> };

/** Reads settings from flags, then the environment, then their defaults; throws a usage error on the first bad one. */
export function readSettings<const N extends SettingName>(
  names: readonly N[],
  flags: Readonly<Record<string, unknown>>,
  terminal: Pick<Terminal, 'env' | 'cwd'>,
): Settings<N> {
  const entries = names.map((name) => [name, readSetting(serverSettings[name], flags[name], terminal)]);
  return Object.fromEntries(entries) as Settings<N>;
}

function readSetting(
  definition: SettingDefinition<unknown> & { readonly fallback?: string },
  flag: unknown,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
): unknown {
  const { parse } = definition;
  if (typeof flag === 'string') return parse(flag, { as: `${definition.flag} ${flag}`, cwd });
  const fromEnv = env[definition.env];
  if (fromEnv !== undefined && fromEnv !== '') return parse(fromEnv, { as: `${definition.env}=${fromEnv}`, cwd });
  return definition.fallback === undefined ? undefined : parse(definition.fallback, { as: definition.flag, cwd });
}

function parsePath(text: string, { as, cwd }: Given): string {
  if (text.trim() === '') throw usageError(`${as}: a path is needed`);
  return resolve(cwd, text);
}

function parseHost(text: string, { as }: Given): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (!/^[0-9A-Za-z.:-]+$/.test(host)) throw usageError(`${as}: not an address or host name`);
  return host;
}

function parsePort(text: string, { as }: Given): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_533) throw usageError(`${as}: a port is a number from 0 to 65533`);
  return port;
}

function parseHttpsUrl(text: string, { as }: Given): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') throw usageError(`${as}: not a URL like https://host:port`);
  return url.href.replace(/\/$/, '');
}

function parseHttpUrl(text: string, { as }: Given): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw usageError(`${as}: not a URL like https://host:port`);
  return url.href.replace(/\/$/, '');
}

/** URLs of these may carry passwords: what is wrong is said without the value. */
function parseUrlOf(...schemes: readonly [string, ...string[]]): (text: string, given: Given) => string {
  return (text, { as }) => {
    const known = schemes.map((scheme) => `${scheme}:`);
    if (known.includes(URL.parse(text)?.protocol ?? '')) return text;
    throw usageError(`${as.replace(text, '...')}: not a URL like ${schemes[0]}://host`);
  };
}

function parseFacilities(text: string, { as }: Given): readonly string[] {
  const names = text.split(',').map((each) => each.trim());
  const isGood = names.every((name) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name));
  if (!isGood) throw usageError(`${as}: a facility has letters, digits, - and _; several are separated by commas`);
  return names;
}

function parseCount({ least, most }: { readonly least: number; readonly most: number }) {
  return (text: string, { as }: Given): number => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < least || count > most) {
      throw usageError(`${as}: a whole number from ${least} to ${most} is needed`);
    }
    return count;
  };
}

function parseSpeed(text: string, { as }: Given): number {
  const speed = Number(text);
  if (!(speed > 0 && speed <= 1_000_000)) throw usageError(`${as}: a factor above 0 and up to 1000000 is needed`);
  return speed;
}

function parseYesNo(text: string, { as }: Given): boolean {
  if (text !== 'yes' && text !== 'no') throw usageError(`${as}: yes or no is needed`);
  return text === 'yes';
}

function parseLoopback(text: string, given: Given): string {
  const host = parseHost(text, given);
  if (host !== '::1' && !/^127\.\d+\.\d+\.\d+$/.test(host)) {
    throw usageError(`${given.as}: simulated BMCs listen on loopback only, such as 127.0.0.1 or ::1`);
  }
  return host;
}

function notYet(part: string): (text: string, given: Given) => string {
  return (text, { as }) => refuse(as.replace(text, '...'), part);
}

/** URLs may carry passwords, so callers leave the value out of `as`. */
function refuse(as: string, part: string): never {
  throw new CliError('usage', `${as}: ${part} is not part of this version yet; leave the option out`);
}
