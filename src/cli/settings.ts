import { controllerSettings } from './controllers/controller-sets.ts';
import { firmwareSettings } from './firmware-plane/firmware-settings.ts';
import { hostSettings } from './hosts/host-settings.ts';
import { serviceSettings } from './install-service/service-settings.ts';
import { networkSettings } from './network/network-settings.ts';
import { observeSettings } from './observe/observe-settings.ts';
import {
  parseCount,
  parseFacilities,
  parseHost,
  parseHttpsUrl,
  parseHttpUrl,
  parseLoopback,
  parsePath,
  parsePort,
  parseSpeed,
  parseUrlOf,
  parseYesNo,
} from './parse-setting.ts';
import { apiLimitSettings } from './plane/api-limit-settings.ts';
import { define, type Given, type SettingDefinition } from './setting.ts';
import type { Terminal } from './terminal.ts';

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
      'the Kubernetes API listens on this port (0: any free one), the REST services and the update service on the next, the console on the one after that',
    fallback: '7440',
    parse: parsePort,
  }),
  consolePort: define({
    flag: '--console-port',
    value: '<n>',
    env: 'RACKWRIGHT_CONSOLE_PORT',
    about:
      'the console listens on this port (0: any free one); unless given, "up" takes the second one after --port, and "console" 7442',
    parse: parsePort,
  }),
  kubeconfig: define({
    flag: '--kubeconfig',
    value: '<file>',
    env: 'RACKWRIGHT_KUBECONFIG',
    about:
      'the cluster to work beside: "up" installs the kinds and roles there instead of starting the embedded API server, and the services of the install service ask it who may do what; "in-cluster" is the one that this process runs in',
    parse: (text: string, given: Given) => (text === 'in-cluster' ? text : parsePath(text, given)),
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
  discoverable: define({
    flag: '--discoverable',
    value: '<n>',
    env: 'RACKWRIGHT_DISCOVERABLE',
    about:
      'how many more servers are simulated that nobody has registered: they are switched on, boot an agent from the network and introduce themselves ("up" listens for them, with --provisioner agent or on the simulated rack)',
    fallback: '0',
    parse: parseCount({ least: 0, most: 20_000 }),
  }),
  spares: define({
    flag: '--spares',
    value: '<n>',
    env: 'RACKWRIGHT_SPARES',
    about: 'as --discoverable, but they are off: "rackwright simulate reset NAME On" plugs one in',
    fallback: '0',
    parse: parseCount({ least: 0, most: 20_000 }),
  }),
  agentUrl: define({
    flag: '--agent-url',
    value: '<url>',
    env: 'RACKWRIGHT_AGENT_URL',
    about:
      'where simulated servers that boot from the network introduce themselves, as "rackwright up" prints it; goes with --agent-token-file',
    parse: parseHttpUrl,
  }),
  agentCa: define({
    flag: '--agent-ca',
    value: '<file>',
    env: 'RACKWRIGHT_AGENT_CA',
    about: 'certificates, as PEM, that agents check that address against; those of the system unless given',
    parse: parsePath,
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
    about:
      'the REST services listen on this port (0: any free one); unless given, "up" takes the one after --port, conditionorc 7444, serverservice 7445, flasher 7446, update-service 7447 and controllers 7448',
    parse: parsePort,
  }),
  databaseUrl: define({
    flag: '--database-url',
    value: '<url>',
    env: 'RACKWRIGHT_DATABASE_URL',
    about:
      'PostgreSQL or CockroachDB for the work engine and the inventory, as postgres://user@host:5432/name; one with a password goes into --database-url-file; without it "up" keeps them in the data directory',
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
    about:
      'the facilities whose servers this process works on, separated by commas, besides the simulated rack; new servers are put into the first',
    fallback: 'default',
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
  bmcSpeed: define({
    flag: '--bmc-speed',
    value: '<factor>',
    env: 'RACKWRIGHT_BMC_SPEED',
    about:
      'for BMCs of a simulator that runs by itself: its --speed, so that they are looked at as much sooner and not long after an end; 1 is right for everything else, and with more only BMCs on this machine are worked on',
    fallback: '1',
    parse: parseSpeed,
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
  ...hostSettings,
  ...networkSettings,
  ...controllerSettings,
  ...apiLimitSettings,
  ...serviceSettings,
  ...observeSettings,
  ...firmwareSettings,
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
  const { parse, env: variable } = definition;
  if (Array.isArray(flag)) return parse(flag.join(','), { as: `${definition.flag} ${flag.join(',')}`, cwd, variable });
  if (typeof flag === 'string') return parse(flag, { as: `${definition.flag} ${flag}`, cwd, variable });
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== '') return parse(fromEnv, { as: `${variable}=${fromEnv}`, cwd });
  return definition.fallback === undefined ? undefined : parse(definition.fallback, { as: definition.flag, cwd });
}
