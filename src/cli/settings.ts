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
      'the Kubernetes API listens on this port (0: any free one); the next two are set aside for the REST and RPC services and the console, which this version does not have yet',
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
    about: 'how many servers the simulated rack has; this version has no simulated rack yet and takes only 0',
    fallback: '0',
    parse: parseSimulate,
  }),
  databaseUrl: define({
    flag: '--database-url',
    value: '<url>',
    env: 'RACKWRIGHT_DATABASE_URL',
    about: 'PostgreSQL or CockroachDB for the work engine; refused until this version has the engine',
    parse: notYet('the work engine, which would use this database,'),
  }),
  natsUrl: define({
    flag: '--nats-url',
    value: '<url>',
    env: 'RACKWRIGHT_NATS_URL',
    about: 'NATS JetStream as the bus of the work engine; refused until this version has the engine',
    parse: notYet('the work engine, which would use this bus,'),
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

function parseSimulate(text: string, { as }: Given): number {
  if (!/^\d+$/.test(text)) throw usageError(`${as}: how many servers, as a number; 0 for none`);
  if (Number(text) > 0) return refuse(as, 'the simulated rack');
  return 0;
}

function notYet(part: string): (text: string, given: Given) => string {
  return (text, { as }) => refuse(as.replace(text, '...'), part);
}

/** URLs may carry passwords, so callers leave the value out of `as`. */
function refuse(as: string, part: string): never {
  throw new CliError('usage', `${as}: ${part} is not part of this version yet; leave the option out`);
}
