import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createClient } from '../../../src/kube/index.ts';
import { components, home } from '../../../src/manifests/index.ts';
import { createFakeBmc, startFakeIronic } from '../../../src/provisioners/ironic/testing/index.ts';
import { freePortRange } from '../free-ports.ts';
import { createScratch } from '../ironic/scratch.ts';
import { until } from '../ironic/until.ts';
import { startRealKube } from '../kube/real-kube.ts';
import { auditPolicy, forbiddenIn, readAudit, type Use, unusedBy } from './audit.ts';
import { type ClusterObjects, clusterObjects } from './cluster-objects.ts';
import { type RunningComponent, startComponents, untilReady } from './component-processes.ts';
import { installOn } from './install-on.ts';
import type { Living } from './living.ts';

/** A control plane on which an installation with tenants was made. */
export interface TenantWorld {
  readonly living: Pick<Living, 'ironic' | 'bmcs' | 'newcomer'>;
  objectsIn(namespace: string): ClusterObjects;
  /** Starts what the Deployments of a namespace describe. */
  start(namespace: string): Promise<readonly RunningComponent[]>;
  end(running: readonly RunningComponent[]): Promise<void>;
  /** What components were refused for want of a right. */
  forbiddenTo(running: readonly RunningComponent[]): readonly string[];
  /** What components asked for in namespaces other than these. */
  usesOutside(running: readonly RunningComponent[], namespaces: readonly string[]): readonly Use[];
  /** Waits until components have used every right that they have. */
  untilAllUsed(running: readonly RunningComponent[]): Promise<void>;
}

/** Makes one with these namespaces, of which some are tenants; it ends with its test. */
export async function openTenantWorld(
  context: TestContext,
  given: {
    readonly model: 'limited' | 'full';
    readonly namespaces: readonly string[];
    readonly tenants: readonly string[];
  },
): Promise<TenantWorld> {
  const scratch = createScratch(`rackwright-tenants-${given.model}`);
  context.after(() => scratch.end());
  const bmcs = [1, 2, 3].map(createFakeBmc);
  const newcomer = createFakeBmc(9);
  const where = { dataDir: scratch.folder('kube'), port: await freePortRange(4) };
  const kube = scratch.keep(await startRealKube({ ...where, auditPolicy }));
  const ironic = scratch.keep(await startFakeIronic({ bmcs: [...bmcs, newcomer] }));
  const client = await createClient({ kubeconfig: kube.kubeconfigPath });
  scratch.keep({ stop: () => client.close() });
  const objectsIn = (namespace: string) => clusterObjects(client, namespace);
  for (const name of given.namespaces) {
    await objectsIn(name).apply(`{ apiVersion: v1, kind: Namespace, metadata: { name: ${name} } }`);
  }
  await installOn({ kube, client }, [
    `hosts.ironicUrl=${ironic.url}`,
    `webhooks.port=${await freePortRange(1)}`,
    `tenancy.model=${given.model}`,
    `tenancy.tenants={${given.tenants.join(',')}}`,
  ]);
  const place = {
    ...{ client, caPem: kube.caPem, folder: scratch.folder('components') },
    env: { RACKWRIGHT_BMC_INSECURE: 'yes' },
    serverFor: () => kube.server,
  };
  const usesOf = (running: readonly RunningComponent[]): readonly Use[] => {
    const users = new Set(running.map(({ user }) => user));
    return readAudit(kube.auditPath).uses.filter(({ user }) => users.has(user));
  };
  const unusedOf = (running: readonly RunningComponent[]): readonly string[] => {
    const audit = readAudit(kube.auditPath);
    return running.flatMap(({ name, user }) => {
      const { rights } = components.find((each) => `rackwright-${each.name}` === name) ?? assert.fail(name);
      return unusedBy({ user, rights }, audit);
    });
  };
  return {
    living: { ironic, bmcs, newcomer },
    objectsIn,
    async start(namespace) {
      const running = await startComponents(place, namespace);
      for (const { process } of running) scratch.keep({ stop: async () => void (await process.end('SIGTERM')) });
      await untilReady(running);
      return running;
    },
    async end(running) {
      const codes = await Promise.all(running.map(({ process }) => process.end('SIGTERM')));
      assert.ok(
        codes.every((code) => code === 0),
        running.map(({ process }) => process.printed.err).join('\n'),
      );
    },
    forbiddenTo: (running) => forbiddenIn(usesOf(running)),
    usesOutside: (running, namespaces) =>
      // What has no namespace is nobody's; whether an engine has the fleet is said in the namespace of the installation.
      usesOf(running).filter(
        ({ namespace, verb, resource, name }) =>
          !['', ...namespaces].includes(namespace) &&
          `${namespace} ${verb} ${resource} ${name}` !== `${home} get leases rackwright-engine`,
      ),
    async untilAllUsed(running) {
      // A watch is written down once the API server has seen its end.
      await until({
        what: 'a use of every right',
        timeoutMs: 60_000,
        everyMs: 1000,
        look: async () => unusedOf(running).length === 0 || undefined,
        detail: () => unusedOf(running).join('\n'),
      });
    },
  };
}
