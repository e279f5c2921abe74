import { join } from 'node:path';
import type { Command } from 'commander';
import { addSettings } from './add-settings.ts';
import { dataDirFlag } from './data-dir/data-dir-flag.ts';
import { refuseUnheard } from './hosts/choose-provisioner.ts';
import { hostSettingNames } from './hosts/host-settings.ts';
import { egressOf } from './install-service/egress.ts';
import { egressSettings, imageStoreSettings } from './install-service/stand-alone/setting-names.ts';
import type { RunningWork } from './install-service/start-work.ts';
import { networkSettingNames } from './network/network-settings.ts';
import { observeSettingNames } from './observe/observe-settings.ts';
import { apiLimitNames, apiLimits } from './plane/api-limit-settings.ts';
import type { EmbeddedPlane } from './plane/embedded-plane.ts';
import type { SimulatedRack } from './plane/simulated-rack.ts';
import { readSettings, type Settings } from './settings.ts';
import { shellWord } from './shell-word.ts';
import { fleetNamespace } from './simulate/fleet-namespace.ts';
import { runServer, runUntilInterrupted } from './stop.ts';
import type { Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

const upSettings = [
  'dataDir',
  'host',
  'port',
  'kubeconfig',
  'webhookUrl',
  'consolePort',
  'simulate',
  'discoverable',
  'spares',
  'speed',
  'restPort',
  'facilities',
  'concurrency',
  'bmcCa',
  'bmcInsecure',
  'bmcHttp',
  'bmcSpeed',
  'databaseUrl',
  'databaseUrlFile',
  'credentialKeys',
  'allowUnverifiedFirmware',
  'natsUrl',
  'natsUrlFile',
  'natsCreds',
  'natsCa',
  'natsPrefix',
  'maxActive',
  'maxActivePerFacility',
  'maxActivePerModel',
  'maxPending',
  'maxUploads',
  'maxUpdates',
  'maxScans',
  'maxDiscoveries',
  'maxQueued',
  'maxAttempts',
  'attemptsFirst',
  'powerInterval',
  'powerReads',
  'catalog',
  'catalogFile',
  'jobImplementation',
  'imageFolder',
  ...imageStoreSettings,
  'notifyUrl',
  'notifyTokenFile',
  'notifySecretFile',
  ...egressSettings,
  'tlsCert',
  'tlsKey',
  ...hostSettingNames,
  ...networkSettingNames,
  ...apiLimitNames,
  ...observeSettingNames,
] as const;
const apiserverSettings = [
  ...['dataDir', 'host', 'port'],
  ...apiLimitNames,
  ...egressSettings,
  ...['auditLog', 'auditLogSize', 'auditLogFiles', 'tracesEndpoint'],
] as const;

// Servers are loaded when started: short commands should not pay for them.

/** Adds `rackwright up` and `rackwright apiserver`. */
export function addServerCommands(program: Command, terminal: Terminal): void {
  const up = program
    .command('up')
    .summary('start everything')
    .description(
      'Starts the embedded API server with all kinds and roles installed, a simulated rack of servers, the controllers of hosts, of firmware and of switches, and the install and update services for it; stays until it is told to stop.',
    )
    .action((flags: object) =>
      runServer(terminal, () => runUp(readSettings(upSettings, { ...flags }, terminal), terminal)),
    );
  addSettings(up, upSettings);
  const apiserver = program
    .command('apiserver')
    .summary('start the embedded API server alone')
    .description('Starts the embedded Kubernetes API server without installing any kind.')
    .action((flags: object) =>
      runServer(terminal, () => runApiServer(readSettings(apiserverSettings, { ...flags }, terminal), terminal)),
    );
  addSettings(apiserver, apiserverSettings);
}

async function runUp(settings: Settings<(typeof upSettings)[number]>, terminal: Terminal): Promise<void> {
  const { kubeconfig } = settings;
  if (kubeconfig === undefined) return runEmbedded(settings, terminal);
  await runInCluster({ ...settings, kubeconfig }, terminal);
}

async function runEmbedded(settings: Settings<(typeof upSettings)[number]>, terminal: Terminal): Promise<void> {
  refuseUnheard(settings);
  terminal.out(`Rackwright ${packageVersion()}: starting the API server in ${settings.dataDir} ...\n`);
  const { startEmbeddedPlane } = await import('./plane/embedded-plane.ts');
  const plane = await startEmbeddedPlane(settings, terminal);
  const { server, installed, rack, work, close } = plane;
  const kubeconfig = join(settings.dataDir, 'kubeconfig');
  terminal.out(
    lines(
      `Ready: ${installed.definitions.length} kinds and ${installed.roles} roles are installed.`,
      '',
      `  Kubernetes API   ${server.url}`,
      describeConsole(plane, settings),
      `  REST and RPC     ${work.url}`,
      `  Admin token      ${shownToken(server, settings, terminal)}`,
      ...describeRack(rack),
      ...describeAgents(work),
      '',
      `  export KUBECONFIG=${shellWord(kubeconfig)}`,
      '',
      'Type next, in another terminal:',
      ...nextCommands(rack, dataDirFlag(settings.dataDir, terminal)),
      '',
      'Ctrl-C stops it; started again it goes on where it was.',
    ),
  );
  void tellHosts(plane, terminal);
  await runUntilInterrupted(terminal, close);
}

/** Says once that the hosts of the rack have got where they go by themselves, and then whatever happens to them. */
async function tellHosts({ rack, work }: EmbeddedPlane, terminal: Terminal): Promise<void> {
  if (rack === undefined || work.hosts === undefined) return;
  const { troublesOf, whenHostsRest } = await import('./hosts/hosts-at-rest.ts');
  const made = rack.dataCentre.bmcs.filter(({ name }) => !rack.refused.has(name));
  const keys = made.map(({ name }) => `${fleetNamespace}/${name}`);
  const summary = await whenHostsRest({ hosts: work.hosts.hosts, keys }, terminal.interrupted);
  if (summary === undefined) return;
  terminal.out(lines(`Hosts of the rack: ${summary}.`, ...troublesOf({ hosts: work.hosts.hosts, keys })));
  const { tellHostChanges } = await import('./hosts/tell-host-changes.ts');
  const leave = tellHostChanges({ hosts: work.hosts.hosts, keys, tell: (line) => terminal.out(`${line}\n`) });
  terminal.interrupted.addEventListener('abort', leave, { once: true });
}

/** It is on loopback whatever the API listens on; browsers elsewhere find it where the API is. */
function describeConsole({ consoleUrl }: EmbeddedPlane, { host }: Settings<'host'>): string {
  const isAllHere = new URL(consoleUrl).hostname.includes(host);
  return `  Console          ${consoleUrl}${isAllHere ? '' : '   from elsewhere below /console/ of the API, by https'}`;
}

function describeRack(rack: SimulatedRack | undefined): string[] {
  const [first] = rack?.dataCentre.bmcs ?? [];
  if (rack === undefined || first === undefined) return [];
  const { bmcs, fabric } = rack.dataCentre;
  return [
    `  Simulated rack   ${bmcs.length} servers and ${fabric.switches.length} switches; the first BMC is ${first.url}`,
  ];
}

function describeAgents({ agents }: Pick<RunningWork, 'agents'>): string[] {
  return agents === undefined ? [] : [`  Agents           ${agents.url}   boot tokens in ${agents.tokenFile}`];
}

interface NamedRack {
  readonly dataCentre: { readonly bmcs: readonly { readonly name: string }[] };
}

/** `where` is what commands have to be told of the data directory: work and simulators are found by it alone. */
export function nextCommands(rack: NamedRack | undefined, where: string): string[] {
  const [first] = rack?.dataCentre.bmcs ?? [];
  if (first === undefined) {
    return [
      '  npx rackwright apply -f examples/01-first-host',
      '  npx rackwright get baremetalhosts',
      ...(rack === undefined ? [] : [`  npx rackwright simulate status${where}`]),
    ];
  }
  return [
    `  npx rackwright get baremetalhosts -n ${fleetNamespace}`,
    '  npx rackwright get serverfirmwares',
    `  npx rackwright simulate status${where}`,
    `  npx rackwright install-firmware ${first.name} --set latest${where}`,
  ];
}

async function runInCluster(
  settings: Settings<(typeof upSettings)[number]> & { kubeconfig: string },
  terminal: Terminal,
): Promise<void> {
  terminal.out(`Rackwright ${packageVersion()}: installing kinds into the cluster of ${settings.kubeconfig} ...\n`);
  const { startClusterPlane } = await import('./plane/cluster-plane.ts');
  const plane = await startClusterPlane(settings, terminal);
  const { definitions, left, roles } = plane.installed;
  terminal.out(
    lines(
      `Ready: ${definitions.length} kinds and ${roles} roles are installed in ${plane.server}.`,
      ...left.map((name) => `  ${name} was installed by somebody else and is left as it is.`),
      plane.conversionUrl === undefined
        ? '  Only the newest version of each kind is served, since the cluster cannot reach this process: see --webhook-url.'
        : `  The cluster converts between versions of a kind at ${plane.conversionUrl}.`,
      '',
      `  Console          ${plane.consoleUrl}`,
      `  REST and RPC     ${plane.work.url}`,
      ...describeAgents(plane.work),
      '  Tokens are those of the cluster ("kubectl create token"); the roles rackwright-rest-* say who may do what.',
      '',
      'Ctrl-C stops it; the kinds, roles and objects stay in the cluster.',
    ),
  );
  await runUntilInterrupted(terminal, () => plane.close());
}

async function runApiServer(settings: Settings<(typeof apiserverSettings)[number]>, terminal: Terminal): Promise<void> {
  const { startEmbeddedServer } = await import('./plane/embedded-server.ts');
  const { openWitnesses } = await import('./observe/open-witnesses.ts');
  const witnesses = await openWitnesses(settings, terminal);
  const server = await startEmbeddedServer(settings, terminal, {
    limits: apiLimits(settings),
    egress: egressOf(settings),
    ...witnesses.ofServer,
  });
  const kubeconfig = join(settings.dataDir, 'kubeconfig');
  terminal.out(
    lines(
      `Kubernetes API   ${server.url}`,
      `Admin token      ${shownToken(server, settings, terminal)}`,
      '',
      `export KUBECONFIG=${shellWord(kubeconfig)}`,
    ),
  );
  await runUntilInterrupted(terminal, async () => {
    await server.close();
    await witnesses.close();
  });
}

/** What is no terminal is a journal or a file that others read. */
function shownToken(
  { adminToken }: { readonly adminToken: string },
  { dataDir }: Settings<'dataDir'>,
  { isInteractive }: Terminal,
): string {
  return isInteractive === true ? adminToken : `in ${join(dataDir, 'admin-token')}`;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
