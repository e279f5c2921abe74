import { join } from 'node:path';
import type { Command } from 'commander';
import { addSettings } from './add-settings.ts';
import { usageError } from './errors.ts';
import type { SimulatedRack } from './plane/simulated-rack.ts';
import { readSettings, type Settings, serverSettings } from './settings.ts';
import { shellWord } from './shell-word.ts';
import { fleetNamespace } from './simulate/fleet-namespace.ts';
import { runUntilInterrupted } from './stop.ts';
import type { Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

const upSettings = [
  'dataDir',
  'host',
  'port',
  'kubeconfig',
  'webhookUrl',
  'simulate',
  'speed',
  'restPort',
  'facilities',
  'concurrency',
  'bmcCa',
  'databaseUrl',
  'natsUrl',
  'ironicUrl',
] as const;
const apiserverSettings = ['dataDir', 'host', 'port'] as const;

// Servers are loaded when started: short commands should not pay for them.

/** Adds `rackwright up` and `rackwright apiserver`. */
export function addServerCommands(program: Command, terminal: Terminal): void {
  const up = program
    .command('up')
    .summary('start everything')
    .description(
      'Starts the embedded API server with all kinds and roles installed, a simulated rack of servers, and the firmware install service for it with its REST services; stays until it is told to stop.',
    )
    .action((flags: object) => runUp(readSettings(upSettings, { ...flags }, terminal), terminal));
  addSettings(up, upSettings);
  const apiserver = program
    .command('apiserver')
    .summary('start the embedded API server alone')
    .description('Starts the embedded Kubernetes API server without installing any kind.')
    .action((flags: object) => runApiServer(readSettings(apiserverSettings, { ...flags }, terminal), terminal));
  addSettings(apiserver, apiserverSettings);
}

async function runUp(settings: Settings<(typeof upSettings)[number]>, terminal: Terminal): Promise<void> {
  const { kubeconfig } = settings;
  if (kubeconfig === undefined) return runEmbedded(settings, terminal);
  refuseWorkPlane(settings);
  await runInCluster({ ...settings, kubeconfig }, terminal);
}

/** Nothing that was asked for is left out in silence. */
function refuseWorkPlane(settings: Settings<'databaseUrl' | 'natsUrl' | 'restPort' | 'facilities' | 'bmcCa'>): void {
  const { databaseUrl, natsUrl, restPort, facilities, bmcCa } = settings;
  const asked = { databaseUrl, natsUrl, restPort, facilities, bmcCa };
  const flags = Object.entries(asked)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => serverSettings[name as keyof typeof asked].flag);
  if (flags.length === 0) return;
  throw usageError(
    `${flags.join(', ')} with --kubeconfig: the firmware install service beside a cluster is not part of this version yet; leave it out`,
  );
}

async function runEmbedded(settings: Settings<(typeof upSettings)[number]>, terminal: Terminal): Promise<void> {
  terminal.out(`Rackwright ${packageVersion()}: starting the API server in ${settings.dataDir} ...\n`);
  const { startEmbeddedPlane } = await import('./plane/embedded-plane.ts');
  const { server, installed, rack, work, close } = await startEmbeddedPlane(settings, terminal);
  const kubeconfig = join(settings.dataDir, 'kubeconfig');
  terminal.out(
    lines(
      `Ready: ${installed.definitions.length} kinds and ${installed.roles} roles are installed.`,
      '',
      `  Kubernetes API   ${server.url}`,
      `  REST services    ${work.url}`,
      `  Admin token      ${server.adminToken}`,
      ...describeRack(rack),
      '',
      `  export KUBECONFIG=${shellWord(kubeconfig)}`,
      '',
      'Type next, in another terminal:',
      ...nextCommands(rack),
      '',
      'Not part of this version yet: controllers, RPC services, console.',
      'Ctrl-C stops it; started again it goes on where it was.',
    ),
  );
  await runUntilInterrupted(terminal, close);
}

function describeRack(rack: SimulatedRack | undefined): string[] {
  const [first] = rack?.dataCentre.bmcs ?? [];
  if (rack === undefined || first === undefined) return [];
  const { bmcs, fabric } = rack.dataCentre;
  return [
    `  Simulated rack   ${bmcs.length} servers and ${fabric.switches.length} switches; the first BMC is ${first.url}`,
  ];
}

function nextCommands(rack: SimulatedRack | undefined): string[] {
  if (rack === undefined) {
    return ['  npx rackwright apply -f examples/01-first-host', '  npx rackwright get baremetalhosts'];
  }
  const [first] = rack.dataCentre.bmcs;
  return [
    `  npx rackwright get baremetalhosts -n ${fleetNamespace}`,
    '  npx rackwright simulate status',
    `  npx rackwright install-firmware ${first?.name} --set latest`,
  ];
}

async function runInCluster(
  settings: Settings<'host' | 'port' | 'webhookUrl'> & { kubeconfig: string },
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
      'Not part of this version yet: controllers, REST and RPC services, console.',
      'Ctrl-C stops it; the kinds, roles and objects stay in the cluster.',
    ),
  );
  await runUntilInterrupted(terminal, () => plane.close());
}

async function runApiServer(settings: Settings<(typeof apiserverSettings)[number]>, terminal: Terminal): Promise<void> {
  const { startEmbeddedServer } = await import('./plane/embedded-plane.ts');
  const server = await startEmbeddedServer(settings, terminal);
  const kubeconfig = join(settings.dataDir, 'kubeconfig');
  terminal.out(
    lines(
      `Kubernetes API   ${server.url}`,
      `Admin token      ${server.adminToken}`,
      '',
      `export KUBECONFIG=${shellWord(kubeconfig)}`,
    ),
  );
  await runUntilInterrupted(terminal, () => server.close());
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
