import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { createClient, type KubeClient } from '../../../src/kube/index.ts';
import { components, defaultValues, home } from '../../../src/manifests/index.ts';
import { createFakeBmc, type FakeIronic, startFakeIronic } from '../../../src/provisioners/ironic/testing/index.ts';
import { freePortRange } from '../free-ports.ts';
import { createScratch } from '../ironic/scratch.ts';
import { until } from '../ironic/until.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';
import { auditPolicy, forbiddenIn, readAudit, type Use, unusedBy } from './audit.ts';
import { type ClusterObjects, clusterObjects } from './cluster-objects.ts';
import {
  type ComponentPlace,
  type RunningComponent,
  startComponents,
  startReplica,
  untilReady,
} from './component-processes.ts';
import { type FirmwareWorld, startFirmwareWorld } from './firmware-world.ts';
import { installOn } from './install-on.ts';
import { createJobPods, type JobPods } from './job-pods.ts';
import { doLateWork, replaceJob } from './late-work.ts';
import * as life from './life.ts';
import { fleet, type Living } from './living.ts';
import { claimMachine } from './machine-life.ts';
import { type ServiceWorld, startServiceWorld } from './service-world.ts';

const skip = whyNoRealKube();
const version = '0.1.0';
/** Whose work Jobs and their ends are. */
const jobControllers = ['job-controller', 'ttl-after-finished-controller'];

describe('each component of an installation has the rights that it uses, and no other', {
  ...(skip === undefined ? {} : { skip }),
}, () => {
  const scratch = createScratch('rackwright-rights');
  const bmcs = [1, 2, 3].map(createFakeBmc);
  const newcomer = createFakeBmc(9);
  let kube: RealKube;
  let client: KubeClient;
  let ironic: FakeIronic;
  let firmware: FirmwareWorld;
  let service: ServiceWorld;
  let pods: JobPods;
  let webhookPort: number;
  let objects: ClusterObjects;
  let place: ComponentPlace;
  let running: readonly RunningComponent[] = [];

  before(async () => {
    // Each program that runs here is ended with this process: that many listeners are meant.
    setMaxListeners(50, process);
    const where = { dataDir: scratch.folder('kube'), port: await freePortRange(4) };
    [kube, ironic, firmware] = await Promise.all([
      startRealKube({ ...where, auditPolicy, controllers: jobControllers }),
      startFakeIronic({ bmcs: [...bmcs, newcomer] }),
      startFirmwareWorld(),
    ]);
    scratch.keep(kube);
    scratch.keep(ironic);
    scratch.keep(firmware);
    service = await startServiceWorld(scratch, firmware.catalogUrl);
    client = await createClient({ kubeconfig: kube.kubeconfigPath });
    scratch.keep({ stop: () => client.close() });
    objects = clusterObjects(client, fleet);
    await service.prepare(objects);
    webhookPort = await freePortRange(1);
    await install();
    pods = scratch.keep(startJobPods());
    place = {
      client,
      caPem: kube.caPem,
      folder: scratch.folder('components'),
      envOf: service.envOf,
      serverFor: () => kube.server,
    };
    // The first to come stamps its store into the cluster: here it is the one that has that right for nothing else.
    const first = await startReplica(place, 'rackwright-update-service', home);
    running = [first, ...(await startComponents(place, home, { without: [first.name] }))];
    for (const { process } of running) scratch.keep({ stop: async () => void (await process.end('SIGTERM')) });
    await objects.apply(`{ apiVersion: v1, kind: Namespace, metadata: { name: ${fleet} } }`);
  });
  after(() => scratch.end());

  async function install(more: readonly string[] = []): Promise<void> {
    const values = [`hosts.ironicUrl=${ironic.url}`, ...service.values, `webhooks.port=${webhookPort}`];
    await installOn({ kube, client }, [...values, ...more]);
  }

  function startJobPods(): JobPods {
    const { repository, tag } = defaultValues(version).image;
    const image = `${repository}:${tag}`;
    const made = createJobPods({ client, namespace: service.jobNamespace, folder: scratch.folder('pods'), image });
    made.start();
    return made;
  }

  test('all components run and say that they are ready', async () => {
    assert.deepEqual(
      running.map(({ name }) => name).toSorted(),
      components.map(({ name }) => `rackwright-${name}`).toSorted(),
    );
    await untilReady(running);
  });

  test('of two replicas one works, and the other goes on when that one is killed', async () => {
    const name = 'rackwright-network';
    const first = running.find((each) => each.name === name);
    assert.ok(first !== undefined);
    const second = await startReplica({ ...place, folder: scratch.folder('replicas') }, name, home);
    scratch.keep({ stop: async () => void (await second.process.end('SIGTERM')) });
    await untilReady([second]);
    // Usually the first; on a machine that stood still for long it may have lost the Lease.
    const [leader, other] = await until({
      what: `a replica in the Lease of ${name}`,
      timeoutMs: 120_000,
      async look() {
        const holder = await holderOf(name);
        if (holder === undefined) return undefined;
        if (leaderIn(first) === holder) return [first, second] as const;
        return leaderIn(second) === holder ? ([second, first] as const) : undefined;
      },
    });
    assert.equal(await leader.process.end('SIGKILL'), null);
    running = running.map((each) => (each === first ? other : each));
    await untilLeading(other);
    // Nobody else is left to do it.
    await life.describeNetwork({ objects, ironic, bmcs, newcomer });
  });

  /** Waits until a replica says that it leads, and the Lease says so, too. */
  async function untilLeading({ name, process }: RunningComponent): Promise<void> {
    const look = async () => {
      const identity = leaderIn({ process });
      return identity !== undefined && identity === (await holderOf(name)) ? true : undefined;
    };
    await until({ what: `the other replica in the Lease of ${name}`, timeoutMs: 120_000, look });
  }

  async function holderOf(lease: string): Promise<string | undefined> {
    const leases = await objects.list('Lease', 'coordination.k8s.io/v1', home);
    const found = leases.find(({ metadata }) => metadata?.name === lease);
    return (found?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
  }

  test('hosts, machines, ports and discoveries live and end', async () => {
    const living = { objects, ironic, bmcs, newcomer };
    await life.refuseWhatIsWrong(living);
    await life.registerHosts(living);
    // Much of it is waiting, which can be done at the same time.
    await Promise.all([workWithMachines(living), life.provisionByHand(living), life.discoverHost(living)]);
    await life.endAll(living);
  });

  async function workWithMachines(living: Living): Promise<void> {
    await claimMachine(living);
    await life.movePort(living);
    await life.updateLive(living);
  }

  test('a BMC becomes a server, which gets the firmware of a group by Jobs, and goes', async () => {
    await firmware.live(objects, { namespace: service.jobNamespace, pods });
    await startUpdatesAnew();
    await firmware.end(objects);
  });

  /** In its next life it looks at once which of the images are needed, of which there were none before. */
  async function startUpdatesAnew(): Promise<void> {
    const name = 'rackwright-update-service';
    const first = running.find((each) => each.name === name);
    assert.equal(await first?.process.end('SIGTERM'), 0, first?.process.printed.err);
    const second = await startReplica(place, name, home);
    scratch.keep({ stop: async () => void (await second.process.end('SIGTERM')) });
    running = running.map((each) => (each === first ? second : each));
    await untilReady([second]);
    const isLook = ({ user, resource }: Use) => user === second.user && resource === 'serverfirmwaregroups';
    await until({
      what: 'a look at what firmware is wanted',
      timeoutMs: 120_000,
      everyMs: 1000,
      look: async () => readAudit(kube.auditPath).uses.some(isLook) || undefined,
      detail: () => second.process.printed.out,
    });
  }

  test('a replica that runs jobs in its own pod joins in after an upgrade', async () => {
    await install(['updateService.launcher=embedded']);
    const beside = { RACKWRIGHT_REST_PORT: '0', RACKWRIGHT_IMAGE_STORE_LISTEN: '127.0.0.1:0' };
    const elsewhere = { ...place, folder: scratch.folder('upgraded'), envOf: () => beside };
    const inside = await startReplica(elsewhere, 'rackwright-update-service', home);
    scratch.keep({ stop: async () => void (await inside.process.end('SIGTERM')) });
    assert.match(inside.process.printed.out, /"launcher":"embedded"/);
    await untilReady([inside]);
    assert.equal(await inside.process.end('SIGTERM'), 0, inside.process.printed.err);
  });

  test('nothing was forbidden, and no right was left unused', async () => {
    const codes = await Promise.all(running.map(({ process }) => process.end('SIGTERM')));
    assert.deepEqual(new Set(codes), new Set([0]), running.map(({ process }) => process.printed.err).join('\n'));
    await doLateWork(running, objects);
    await replaceJob(running, { objects, namespace: service.jobNamespace });
    const mine = new Set(running.map(({ user }) => user));
    assert.deepEqual(forbiddenIn(readAudit(kube.auditPath).uses.filter(({ user }) => mine.has(user))), []);
    // A watch is written down once the API server has seen its end.
    await until({
      what: 'a use of every right',
      timeoutMs: 60_000,
      everyMs: 1000,
      look: async () => unusedRights().length === 0 || undefined,
      detail: () => unusedRights().join('\n'),
    });
  });

  function unusedRights(): readonly string[] {
    const audit = readAudit(kube.auditPath);
    return components.flatMap(({ name, rights }) =>
      unusedBy({ user: `system:serviceaccount:${home}:rackwright-${name}`, rights }, audit),
    );
  }
});

/** The name under which a replica leads, as its log says it; undefined while it never did. */
function leaderIn({ process }: Pick<RunningComponent, 'process'>): string | undefined {
  return /"identity":"([^"]+)".*"msg":"leading"/.exec(process.printed.out)?.[1];
}
