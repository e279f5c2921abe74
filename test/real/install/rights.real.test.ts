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
import { type ClusterObjects, clusterObjects } from './cluster-objects.ts';
import { type RunningComponent, startComponents, untilReady } from './component-processes.ts';
import { type FirmwareWorld, startFirmwareWorld } from './firmware-world.ts';
import { installOn } from './install-on.ts';
import { doLateWork } from './late-work.ts';
import * as life from './life.ts';
import { fleet, type Living } from './living.ts';
import { claimMachine } from './machine-life.ts';

const skip = whyNoRealKube();

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
  let objects: ClusterObjects;
  let running: readonly RunningComponent[] = [];

  before(async () => {
    const where = { dataDir: scratch.folder('kube'), port: await freePortRange(4) };
    [kube, ironic, firmware] = await Promise.all([
      startRealKube({ ...where, auditPolicy }),
      startFakeIronic({ bmcs: [...bmcs, newcomer] }),
      startFirmwareWorld(),
    ]);
    scratch.keep(kube);
    scratch.keep(ironic);
    scratch.keep(firmware);
    client = await createClient({ kubeconfig: kube.kubeconfigPath });
    scratch.keep({ stop: () => client.close() });
    await install();
    objects = clusterObjects(client, fleet);
    running = await startComponents(
      {
        client,
        caPem: kube.caPem,
        folder: scratch.folder('components'),
        env: { RACKWRIGHT_BMC_INSECURE: 'yes' },
        serverFor: () => kube.server,
      },
      home,
    );
    for (const { process } of running) scratch.keep({ stop: async () => void (await process.end('SIGTERM')) });
    await objects.apply(`{ apiVersion: v1, kind: Namespace, metadata: { name: ${fleet} } }`);
  });
  after(() => scratch.end());

  async function install(): Promise<void> {
    await installOn({ kube, client }, [
      `hosts.ironicUrl=${ironic.url}`,
      `firmware.updateServiceUrl=${firmware.updateServiceUrl}`,
      `webhooks.port=${await freePortRange(1)}`,
    ]);
  }

  test('all components run and say that they are ready', async () => {
    assert.deepEqual(
      running.map(({ name }) => name).toSorted(),
      components.map(({ name }) => `rackwright-${name}`).toSorted(),
    );
    await untilReady(running);
  });

  test('hosts, machines, ports and discoveries live and end', async () => {
    const living = { objects, ironic, bmcs, newcomer };
    await life.describeNetwork(living);
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

  test('a BMC becomes a server with firmware of a group, and goes', async () => {
    await firmware.live(objects);
    await firmware.end(objects);
  });

  test('nothing was forbidden, and no right was left unused', async () => {
    const codes = await Promise.all(running.map(({ process }) => process.end('SIGTERM')));
    assert.deepEqual(codes, [0, 0, 0, 0, 0], running.map(({ process }) => process.printed.err).join('\n'));
    await doLateWork(running, objects);
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
