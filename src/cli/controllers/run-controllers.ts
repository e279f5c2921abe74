import { createGates } from '../../bmc/index.ts';
import type { Engine } from '../../engine/index.ts';
import { createHostAdmission } from '../../hosts/index.ts';
import { type AdmissionRule, createClient, type KubeClient, systemClock } from '../../kube/index.ts';
import { createNetworkAdmission, followNetwork, type NetworkInformers } from '../../network/index.ts';
import { createKubeAuthorizer } from '../../rest/index.ts';
import { usageError } from '../errors.ts';
import { chooseProvisioner } from '../hosts/choose-provisioner.ts';
import { openRedfish } from '../hosts/open-redfish.ts';
import { type ServedAgents, serveAgents } from '../hosts/serve-agents.ts';
import { ironicOf, refuseLoneIronicSettings, startHosts } from '../hosts/start-hosts.ts';
import { readCertificate } from '../install-service/certificate.ts';
import { claimStore, makeSystemNamespace, refuseClaimedFleet } from '../install-service/claim-store.ts';
import { egressOf } from '../install-service/egress.ts';
import type { Check } from '../install-service/readiness.ts';
import { secretUrl } from '../install-service/secret-url.ts';
import { connectionOf } from '../install-service/stand-alone/access.ts';
import { runService, type ServiceContext } from '../install-service/stand-alone/run-service.ts';
import { serveService } from '../install-service/stand-alone/serve-service.ts';
import { openServicePlane } from '../install-service/stand-alone/service-plane.ts';
import type { controllersSettings } from '../install-service/stand-alone/setting-names.ts';
import { readTrust } from '../install-service/start-flasher.ts';
import type { WorkPlane } from '../install-service/work-plane.ts';
import { startMachines } from '../machines/start-machines.ts';
import { ansibleOf } from '../network/network-settings.ts';
import { type NetworkPlane, startNetwork } from '../network/start-network.ts';
import { isReachable, serveWebhooks } from '../plane/webhooks.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type ControllerSetName, chooseSets } from './controller-sets.ts';
import { readFirmwareSet, startFirmwareSet } from './firmware-set.ts';

/** What `rackwright controllers` is told. */
export type ControllersSettings = Settings<(typeof controllersSettings)[number]>;

/** A set of controllers that runs: whether it can, and what the API server asks it. */
export interface RunningSet {
  readonly check: Check;
  readonly rules: readonly AdmissionRule[];
}

/** What sets are started on. */
export interface SetParts extends ServiceContext {
  readonly client: KubeClient;
  /** The store that flashers and provisioners share, where one is named. */
  readonly plane: WorkPlane | undefined;
  /** All hosts, where agents are listened for. */
  readonly agents?: ServedAgents | undefined;
  /** Only objects of this namespace are looked after; of all unless given. */
  readonly namespace: string | undefined;
  /** What is known of switch ports. */
  readonly network?: NetworkInformers | undefined;
}

/** Runs controllers of a cluster until they are told to stop. */
export function runControllers(settings: ControllersSettings, terminal: Terminal): Promise<void> {
  return runService({ name: 'controllers', settings, start: (context) => start(settings, context) }, terminal);
}

async function start(settings: ControllersSettings, context: ServiceContext) {
  const { logger, open } = context;
  const { kubeconfig } = settings;
  if (kubeconfig === undefined) throw usageError('--kubeconfig is missing: whose objects are to be looked after');
  const sets = chooseSets(settings);
  const starters = planSets(settings, sets);
  const client = await createClient(connectionOf(kubeconfig), { metrics: context.metrics });
  open.add(() => client.close());
  const store = await openPlane(settings, context, sets);
  const plane = store?.plane;
  if (!settings.installed) await makeSystemNamespace(client);
  if (plane !== undefined) await claimStore(client, plane.engine.storeId, settings);
  else if (sets.has('hosts')) await refuseClaimedFleet(client);
  const agents = doesServeAgents(settings, sets) ? await serveAgentsOf(settings, context, store) : undefined;
  const parts = { ...context, client, plane, agents, namespace: settings.namespace };
  const network = sets.has('network') ? startNetworkSet(settings, parts) : undefined;
  const informers = network?.informers ?? (isPlugged(sets) ? followNetworkOf(settings, parts) : undefined);
  const running = [
    ...starters.map(([name, starter]) => ({ name, ...starter({ ...parts, network: informers }) })),
    ...(network === undefined ? [] : [{ name: 'network', ...network }]),
  ];
  const machines = sets.has('machines') && informers !== undefined ? await startMachineSet(parts, informers) : [];
  if (!settings.installed && isReachable(client, settings)) {
    const configurations = running.map(({ name, rules }) => ({ name: `rackwright-${name}`, rules }));
    const webhooks = await serveWebhooks(client, { name: 'rackwright-controllers', configurations }, settings);
    open.add(() => webhooks.close());
    logger.info('admission is served', { url: webhooks.url });
  }
  const url = await serveService(
    settings,
    {
      info: { title: 'controllers', description: 'Whether the controllers work.', version: '1' },
      routes: [],
      authorizer: createKubeAuthorizer({ client, clock: systemClock }),
      checks: [...running.map(({ check }) => check), ...machines],
      port: 7448,
    },
    context,
  );
  const listening = agents === undefined ? {} : { agents: agents.url };
  return { url, server: client.server, sets: [...sets], mirrors: plane !== undefined, ...listening };
}

type Starter = (parts: SetParts) => RunningSet;

/** What starts each set; settings that cannot be meant are refused here, before anything is opened. */
function planSets(
  settings: ControllersSettings,
  sets: ReadonlySet<ControllerSetName>,
): readonly [ControllerSetName, Starter][] {
  const starters: [ControllerSetName, Starter][] = [];
  if (sets.has('firmware')) {
    const firmware = readFirmwareSet(settings);
    starters.push(['firmware', (parts) => startFirmwareSet(firmware, parts)]);
  }
  if (sets.has('hosts')) starters.push(['hosts', planHosts(settings)]);
  else refuseLoneIronicSettings(settings);
  return starters;
}

function planHosts(settings: ControllersSettings): Starter {
  if (chooseProvisioner(settings) === 'agent') checkAgentSettings(settings);
  else checkIronicSettings(settings);
  return (parts) => {
    const admission = createHostAdmission();
    const engine: Engine | undefined = parts.plane?.engine;
    const trust = readTrust(settings);
    const { network } = parts;
    if (network === undefined) throw new TypeError('hosts look at their ports');
    const besides = { engine, network, admission, isShared: true, hasRack: false, trustOf: () => trust };
    const hosts = startHosts(settings, { ...parts, ...besides, native: parts.agents?.provisioners });
    return { check: hosts.check, rules: admission.rules };
  };
}

function checkIronicSettings(settings: ControllersSettings): void {
  const { ironicUrl } = settings;
  if (ironicUrl === undefined) throw usageError('--ironic-url is missing: who provisions hosts');
  ironicOf({ ...settings, ironicUrl });
}

function checkAgentSettings(settings: ControllersSettings): void {
  refuseLoneIronicSettings(settings);
  if (secretUrl(settings, 'databaseUrl') === undefined) {
    throw usageError('--provisioner agent needs --database-url: machines that introduced themselves are kept there');
  }
  if (settings.agentTokenFile === undefined) {
    throw usageError('--provisioner agent needs --agent-token-file: the tokens that boot configurations hold');
  }
}

function doesServeAgents(settings: ControllersSettings, sets: ReadonlySet<ControllerSetName>): boolean {
  return sets.has('hosts') && chooseProvisioner(settings) === 'agent';
}

/** Hosts that have a BMC are looked after by that. */
async function serveAgentsOf(
  settings: ControllersSettings,
  { logger, metrics, open }: ServiceContext,
  store: Awaited<ReturnType<typeof openPlane>>,
): Promise<ServedAgents> {
  if (store === undefined) throw new TypeError('agents are served on a store only');
  const { engine, service, sealer } = store.plane;
  const { database } = store.parts.store;
  const gates = createGates({ clock: systemClock, logger, metrics });
  open.add(() => gates.close());
  const trust = readTrust(settings);
  const limit = settings.provisioningLimit;
  const beside = await openRedfish({
    gates,
    database,
    engine,
    sealer,
    limit,
    firmwareLinks: settings.firmwareLinks,
    egress: egressOf(settings),
    logger,
    firmware: service.firmware,
    trustOf: () => trust,
  });
  const certificate = readCertificate(settings);
  return serveAgents(settings, { database, certificate, logger, metrics, open, beside });
}

/** True where ports are looked at, also where somebody else configures them. */
function isPlugged(sets: ReadonlySet<ControllerSetName>): boolean {
  return sets.has('hosts') || sets.has('machines');
}

function startMachineSet(parts: SetParts, network: NetworkInformers): Promise<readonly Check[]> {
  return startMachines({ ...parts, network, isShared: true });
}

function followNetworkOf(settings: ControllersSettings, parts: SetParts): NetworkInformers {
  const { client, logger, metrics, open } = parts;
  const following = followNetwork({
    ...{ client, logger, metrics, clock: systemClock, random: Math.random },
    namespace: settings.allPorts ? undefined : settings.namespace,
    // Hosts of others are nothing that a tenant may read, wherever the ports are.
    hostNamespace: settings.namespace,
  });
  open.add(() => following.stop());
  return following.informers;
}

function startNetworkSet(settings: ControllersSettings, parts: SetParts): RunningSet & NetworkPlane {
  const admission = createNetworkAdmission();
  const running = startNetwork({
    ...{ ...parts, admission, isShared: true, fixtures: undefined },
    ansible: ansibleOf(settings),
  });
  return { ...running, rules: admission.rules };
}

/** The store that is shared with flashers, where one is named. */
async function openPlane(
  settings: ControllersSettings,
  context: ServiceContext,
  sets: ReadonlySet<ControllerSetName>,
): Promise<Awaited<ReturnType<typeof openServicePlane>> | undefined> {
  if (secretUrl(settings, 'databaseUrl') !== undefined) return openServicePlane(settings, context);
  if (sets.has('firmware')) {
    context.logger.warn(
      'without --database-url servers are not mirrored into the inventory: only those that somebody enrolled there can be worked on',
    );
  }
  if (sets.has('hosts')) {
    context.logger.warn(
      'without --database-url nothing keeps flashers away from a host that Ironic works on: run none for these machines',
    );
  }
  return undefined;
}
