import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, type KubeClient } from '../../../src/kube/index.ts';
import { components, home } from '../../../src/manifests/index.ts';
import { createFakeBmc, type FakeIronic, startFakeIronic } from '../../../src/provisioners/ironic/testing/index.ts';
import { freePortRange } from '../free-ports.ts';
import { createScratch } from '../ironic/scratch.ts';
import { until } from '../ironic/until.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';
import { auditPolicy, forbiddenIn, readAudit, unusedBy } from './audit.ts';
import { clusterObjects } from './cluster-objects.ts';
import { type RunningComponent, startComponents, untilReady } from './component-processes.ts';
import { installOn } from './install-on.ts';
import { doLateWork } from './late-work.ts';
import * as life from './life.ts';
import type { Living } from './living.ts';
import { claimMachine } from './machine-life.ts';
import { type LeftAlone, leaveAlone } from './neighbour.ts';

const skip = whyNoRealKube();
/** Of the infra team; of a tenant whose hosts others look after; of a tenant that has everything of their own; of one whose controllers do not run. */
const [infra, renter, owner, neighbour] = ['infra', 'renter', 'owner', 'neighbour'] as const;

describe('controllers of a tenant do their work with the rights in their namespace, and nothing elsewhere', {
  ...(skip === undefined ? {} : { skip }),
}, () => {
  const scratch = createScratch('rackwright-tenants');
  const bmcs = { renter: [4, 5, 6].map(createFakeBmc), owner: [1, 2, 3].map(createFakeBmc) };
  const newcomer = createFakeBmc(9);
  let kube: RealKube;
  let client: KubeClient;
  let ironic: FakeIronic;
  let webhooksPort: number;
  let webhooks: RunningComponent;

  before(async () => {
    webhooksPort = await freePortRange(1);
    const where = { dataDir: scratch.folder('kube'), port: await freePortRange(4) };
    [kube, ironic] = await Promise.all([
      startRealKube({ ...where, auditPolicy }),
      startFakeIronic({ bmcs: [...bmcs.renter, ...bmcs.owner, newcomer] }),
    ]);
    scratch.keep(kube);
    scratch.keep(ironic);
    client = await createClient({ kubeconfig: kube.kubeconfigPath });
    scratch.keep({ stop: () => client.close() });
    for (const name of [infra, renter, owner, neighbour]) {
      await clusterObjects(client, name).apply(`{ apiVersion: v1, kind: Namespace, metadata: { name: ${name} } }`);
    }
  });
  after(() => scratch.end());

  function install(model: 'limited' | 'full', tenants: readonly string[]): Promise<void> {
    return installOn({ kube, client }, [
      `hosts.ironicUrl=${ironic.url}`,
      `webhooks.port=${webhooksPort}`,
      `tenancy.model=${model}`,
      `tenancy.tenants={${tenants.join(',')}}`,
    ]);
  }

  async function start(namespace: string): Promise<readonly RunningComponent[]> {
    const env = { RACKWRIGHT_BMC_INSECURE: 'yes' };
    const place = {
      client,
      caPem: kube.caPem,
      folder: scratch.folder('components'),
      env,
      serverFor: () => kube.server,
    };
    const running = await startComponents(place, namespace);
    for (const { process } of running) scratch.keep({ stop: async () => void (await process.end('SIGTERM')) });
    await untilReady(running);
    return running;
  }

  async function end(running: readonly RunningComponent[]): Promise<void> {
    for (const { process } of running) assert.equal(await process.end('SIGTERM'), 0, process.printed.err);
  }

  const namesOf = (running: readonly RunningComponent[]) => running.map(({ name }) => name).toSorted();

  /** Nothing was forbidden, no right was left unused, and what was asked for is the tenant's own or nobody's. */
  async function judge(running: readonly RunningComponent[], tenant: string): Promise<void> {
    const unused = () => {
      const audit = readAudit(kube.auditPath);
      return running.flatMap(({ name, user }) => {
        const { rights } = components.find((each) => `rackwright-${each.name}` === name) ?? assert.fail(name);
        return unusedBy({ user, rights }, audit);
      });
    };
    const users = new Set(running.map(({ user }) => user));
    const uses = readAudit(kube.auditPath).uses.filter(({ user }) => users.has(user));
    assert.deepEqual(forbiddenIn(uses), []);
    const elsewhere = uses.filter(({ namespace }) => ![tenant, ''].includes(namespace));
    // Whether an engine has the fleet is said in the namespace of the installation.
    const isEngine = ({ namespace, resource, verb }: (typeof uses)[number]) =>
      namespace === home && resource === 'leases' && verb === 'get';
    assert.deepEqual(
      elsewhere.filter((use) => !isEngine(use)),
      [],
    );
    // A watch is written down once the API server has seen its end.
    await until({
      what: 'a use of every right',
      timeoutMs: 60_000,
      everyMs: 1000,
      look: async () => unused().length === 0 || undefined,
      detail: () => unused().join('\n'),
    });
  }

  test('limited: machines of a tenant take hosts that others look after, on ports that are read only', async () => {
    await install('limited', [renter, neighbour]);
    const [shared, own] = await Promise.all([start(home), start(renter)]);
    assert.deepEqual(namesOf(shared), ['rackwright-hosts', 'rackwright-network', 'rackwright-webhooks']);
    assert.deepEqual(namesOf(own), ['rackwright-machines']);
    const living: Living = {
      ...{ objects: clusterObjects(client, renter), ironic, newcomer },
      ...{ bmcs: bmcs.renter, switchesIn: infra },
    };
    await life.describeNetwork({ ...living, objects: clusterObjects(client, infra) });
    await life.allowNetworks(living);
    const alone = await leaveAlone(clusterObjects(client, neighbour), 'machines');
    await life.registerHosts(living);
    await claimMachine(living);
    await life.untilPlugged({ objects: clusterObjects(client, infra) }, `${renter}/shop`);
    await life.endMachines(living);
    await assertAlone(alone);
    await end([...own, ...shared.filter(({ name }) => name !== 'rackwright-webhooks')]);
    webhooks = shared.find(({ name }) => name === 'rackwright-webhooks') ?? assert.fail();
    const mine = new Set([...shared, ...own].map(({ user }) => user));
    assert.deepEqual(forbiddenIn(readAudit(kube.auditPath).uses.filter(({ user }) => mine.has(user))), []);
    await judge(own, renter);
  });

  test('full: hosts, network and machines of a tenant live and end in their namespace', async () => {
    await install('full', [owner, neighbour]);
    const running = await start(owner);
    assert.deepEqual(namesOf(running), ['rackwright-hosts', 'rackwright-machines', 'rackwright-network']);
    const objects = clusterObjects(client, owner);
    const living: Living = { objects, ironic, bmcs: bmcs.owner, newcomer };
    const alone = await leaveAlone(clusterObjects(client, neighbour), 'all');
    await life.describeNetwork(living);
    await life.registerHosts(living);
    // Much of it is waiting, which can be done at the same time.
    const workWithMachines = async () => {
      await claimMachine(living);
      await life.movePort(living);
      await life.updateLive(living);
    };
    await Promise.all([workWithMachines(), life.provisionByHand(living), life.discoverHost(living)]);
    await life.endAll(living);
    await assertAlone(alone);
    await end([...running, webhooks]);
    await doLateWork(running, objects, owner);
    await judge(running, owner);
  });

  async function assertAlone({ before, now }: LeftAlone): Promise<void> {
    assert.ok(before.length > 0);
    assert.deepEqual(await now(), before);
  }
});
