import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import {
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  isNotFound,
  type KubeClient,
} from '../../../src/kube/index.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../certificate-authority.ts';
import { freePortRange } from '../free-ports.ts';
import { kubeconfigYaml } from '../kube/kubeconfig.ts';
import { startRealKube } from '../kube/real-kube.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { clusterApiPrograms } from './programs.ts';

/** A real Kubernetes API with the real Cluster API core on it. */
export interface RealClusterApi {
  readonly connection: ConnectionSpec;
  /** A kubeconfig of it, so that it can also play the cluster that machines join. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const definitionsRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespaced: false,
};
/** What of it is tried. */
export const clusterApiGates =
  'MachinePool=false,MachineSetPreflightChecks=false,ClusterTopology=false,RuntimeSDK=false';

/** Starts both. The manager listens on every address: only to be called where there are none but loopback. */
export async function startRealClusterApi(): Promise<RealClusterApi> {
  const { manager, definitions } = await clusterApiPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'cluster-api-'));
  const dataDir = join(folder, 'kube');
  const kube = await startRealKube({ dataDir, port: await freePortRange(4) });
  const port = await freePortRange(3);
  let started: StartedProcess | undefined;
  const stop = async (): Promise<void> => {
    await started?.stop();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const connection: ConnectionSpec = { kubeconfig: kube.kubeconfigPath };
    const client = await createClient(connection);
    const authority = await createCertificateAuthority('cluster-api-test');
    await writeCertificates(authority, join(folder, 'certs'));
    const caPem = authority.certPem;
    await installDefinitions(client, definitions, { url: `https://127.0.0.1:${port}/convert`, caPem });
    started = startProcess({
      name: 'cluster-api',
      file: manager,
      logPath: join(folder, 'manager.log'),
      args: [
        ...['--kubeconfig', kube.kubeconfigPath, '--feature-gates', clusterApiGates],
        ...['--webhook-port', String(port), '--webhook-cert-dir', join(folder, 'certs')],
        ...['--health-addr', `127.0.0.1:${port + 1}`, '--diagnostics-address', `127.0.0.1:${port + 2}`],
        '--insecure-diagnostics',
      ],
    });
    await untilWorking(started);
    await client.close();
    const { server, adminToken: token } = kube;
    return { connection, kubeconfig: kubeconfigYaml({ server, caPem: kube.caPem, token }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the certificate that its webhooks are served with. */
export async function writeCertificates(authority: CertificateAuthority, folder: string): Promise<void> {
  const { certPem, keyPem } = await authority.issueServer('cluster-api');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'tls.crt'), certPem);
  writeFileSync(join(folder, 'tls.key'), keyPem, { mode: 0o600 });
}

/** Where its webhooks are called. */
interface Webhook {
  readonly url: string;
  readonly caPem: string;
}

/** One of its definitions with the conversion that its manifests add to it. */
export function withConversion(definition: AnyKubeObject, { url, caPem }: Webhook): AnyKubeObject {
  const clientConfig = { url, caBundle: Buffer.from(caPem).toString('base64') };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return { ...definition, spec: { ...(definition.spec as object), conversion } };
}

async function installDefinitions(client: KubeClient, folder: string, webhook: Webhook): Promise<void> {
  const all = client.resource<AnyKubeObject>(definitionsRef);
  for (const file of readdirSync(folder)) {
    const definition = parse(readFileSync(join(folder, file), 'utf8')) as Definition;
    await all.create(withConversion(definition, webhook));
    await untilServed(client, definition);
  }
}

interface Definition extends AnyKubeObject {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
}

/** Waits until discovery has a kind: a controller ends when it does not find its own. */
export async function untilServed(client: KubeClient, definition: AnyKubeObject): Promise<void> {
  const { spec } = definition as Definition;
  const version = spec.versions.findLast(({ served }) => served)?.name;
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    try {
      const path = `/apis/${spec.group}/${version}`;
      const { resources } = await client.request<{ resources: { name: string }[] }>({ method: 'GET', path });
      if (resources.some(({ name }) => name === spec.names.plural)) return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await delay(50);
  }
  throw new Error(`${spec.names.plural} are not served`);
}

/** It says that it is ready before its caches are full. */
async function untilWorking(manager: StartedProcess): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (Date.now() < deadline) {
    const log = readFileSync(manager.logPath, 'utf8');
    const isWorking = ['machineset', 'machine', 'cluster'].every((name) =>
      log.split('\n').some((line) => line.includes('Starting workers') && line.includes(`controller="${name}"`)),
    );
    if (isWorking) return;
    if (!manager.isRunning()) throw new Error(`the manager of Cluster API ended:\n${manager.tail()}`);
    await delay(100);
  }
  throw new Error(`the manager of Cluster API did not start working:\n${manager.tail()}`);
}
