import { createClient, type KubeClient } from '../../../src/kube/index.ts';
import { type CliProcess, startCli } from '../../e2e/cli-fixture.ts';
import { freePortRange } from '../free-ports.ts';
import { auditPolicy, readAudit, type Use } from '../install/audit.ts';
import { createScratch } from '../ironic/scratch.ts';
import { until } from '../ironic/until.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';
import { patienceMs } from './browser.ts';
import { type Person, tokenOf } from './people.ts';

/** A real cluster with hosts that nobody works on, and `rackwright up --kubeconfig` beside it. */
export interface ClusterRig {
  /** Of the console. */
  readonly url: string;
  /** Of the REST services of the process beside the cluster. */
  readonly restUrl: string;
  readonly kube: RealKube;
  /** As the administrator, whose token the process beside the cluster has too. */
  readonly client: KubeClient;
  /** Makes somebody with these roles, and gives a token of theirs. */
  tokenOf(person: Person): Promise<string>;
  /** Says what is seen of a host. */
  report(namespace: string, name: string, status: object): Promise<void>;
  /** Waits until the audit log of the cluster has a request like this one. */
  audited(what: string, isSo: (use: Use) => boolean): Promise<Use>;
  close(): Promise<void>;
}

/** Of the BMCs of all hosts. */
export const bmcPassword = 'calvin-of-the-cluster';

/** Where the hosts are. */
export const rack = [
  ['lab', 'r01-s01'],
  ['lab', 'r01-s02'],
  ['shop', 'r02-s01'],
] as const;

/** The path of a host. */
export function hostPath(namespace: string, name: string): string {
  return `/apis/metal3.io/v1alpha1/namespaces/${namespace}/baremetalhosts/${name}`;
}

/** Starts all of it; the words are those of the command beside a cluster with this kubeconfig. */
export async function startClusterRig(words: (kubeconfig: string) => readonly string[]): Promise<ClusterRig> {
  const scratch = createScratch('rackwright-cluster-console');
  try {
    const where = { dataDir: scratch.folder('kube'), port: await freePortRange(4) };
    const kube = scratch.keep(await startRealKube({ ...where, auditPolicy }));
    const client = await createClient({ kubeconfig: kube.kubeconfigPath });
    scratch.keep({ stop: () => client.close() });
    const dataDir = scratch.folder('data');
    const up = startCli([...words(kube.kubeconfigPath), '--port', '0', '--data-dir', dataDir]);
    scratch.keep({ stop: async () => void (await up.end('SIGTERM')) });
    await up.until('Ctrl-C stops it');
    const rig: ClusterRig = {
      url: consoleUrlIn(up),
      restUrl: /REST and RPC +(\S+)/.exec(up.printed.out)?.[1] ?? '',
      kube,
      client,
      tokenOf: (person) => tokenOf(client, person),
      report: (namespace, name, status) =>
        client.request({
          method: 'PATCH',
          path: `${hostPath(namespace, name)}/status`,
          body: { status },
          contentType: 'application/merge-patch+json',
        }),
      audited: (what, isSo) =>
        until({ what, timeoutMs: patienceMs, look: async () => readAudit(kube.auditPath).uses.find(isSo) }),
      close: () => scratch.end(),
    };
    await fill(rig);
    return rig;
  } catch (error) {
    await scratch.end();
    throw error;
  }
}

/** Where a command says that its console is. */
export function consoleUrlIn({ printed }: CliProcess): string {
  return /Console +(http\S+)/.exec(printed.out)?.[1] ?? '';
}

async function fill({ client, report }: ClusterRig): Promise<void> {
  const post = (path: string, body: object) => client.request({ method: 'POST', path, body });
  for (const namespace of new Set(rack.map(([namespace]) => namespace))) {
    await post('/api/v1/namespaces', { metadata: { name: namespace } });
    await post(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'bmc' },
      stringData: { username: 'root', password: bmcPassword },
    });
  }
  for (const [index, [namespace, name]] of rack.entries()) {
    await post(hostPath(namespace, name).replace(/\/[^/]+$/, ''), {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name, namespace },
      spec: {
        online: true,
        bootMACAddress: `02:00:00:00:00:0${index}`,
        bmc: { address: `redfish://192.0.2.${index}/redfish/v1/Systems/1`, credentialsName: 'bmc' },
      },
    });
    await report(namespace, name, {
      ...{ operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: true, hardwareProfile: 'unknown' },
      ...{ provisioning: { state: 'provisioned', ID: name }, lastUpdated: '2026-01-01T00:00:00Z' },
    });
  }
}

/** A Role that allows this on the hosts of a namespace. */
export async function makeRole(
  { client }: ClusterRig,
  { namespace, name, verbs }: { namespace: string; name: string; verbs: readonly string[] },
): Promise<void> {
  await client.request({
    method: 'POST',
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
    body: { metadata: { name }, rules: [{ apiGroups: ['metal3.io'], resources: ['baremetalhosts'], verbs }] },
  });
}
