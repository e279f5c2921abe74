import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CertificateAuthority,
  type CertificatePair,
  type CertificateSubject,
  createCertificateAuthority,
} from '../certificate-authority.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { type KubeBinaries, realKubeBinaries } from './binaries.ts';
import { apiserverArguments, auditLog, controllerManagerArguments, etcdArguments, type KubeLayout } from './flags.ts';
import { kubeconfigYaml } from './kubeconfig.ts';

/** Where a real Kubernetes control plane shall live. */
export interface RealKubeOptions {
  /** Wiped on start. */
  readonly dataDir: string;
  /** The API listens here, etcd on the next two ports, the controller manager on the third. */
  readonly port: number;
  /** Leave the controller manager out, for measurements of the API server alone. */
  readonly withoutControllers?: boolean;
  /** Has every request written down as this policy says, in the file `auditPath`. */
  readonly auditPolicy?: object;
  /** Controllers besides those whose work the embedded server does too. */
  readonly controllers?: readonly string[];
}

/** A running etcd, kube-apiserver and kube-controller-manager. */
export interface RealKube {
  readonly server: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfigPath: string;
  readonly kubectl: string;
  readonly auditPath: string;
  readonly version: string;
  readonly startupMs: number;
  /** Process ids by program name. */
  readonly pids: Readonly<Record<string, number>>;
  /** A client certificate that the server accepts. */
  issueClientCertificate(subject: CertificateSubject): Promise<CertificatePair>;
  /** Kills kube-apiserver, starts it again on the same etcd, and resolves when it is ready. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a fresh control plane on loopback and resolves when it is ready. */
export async function startRealKube(options: RealKubeOptions): Promise<RealKube> {
  const binaries = await realKubeBinaries();
  const authority = await createCertificateAuthority('real-kube-test');
  const dataDir = resolve(options.dataDir);
  const layout: KubeLayout = {
    dataDir,
    port: options.port,
    etcdPort: options.port + 1,
    peerPort: options.port + 2,
    controllerPort: options.port + 3,
    hasAudit: options.auditPolicy !== undefined,
  };
  const tokens = await writeFiles(layout, authority);
  if (options.auditPolicy !== undefined) {
    writeFileSync(join(dataDir, 'audit-policy.yaml'), JSON.stringify(options.auditPolicy));
  }
  const began = performance.now();
  const started = [
    startPart(layout, { name: 'etcd', file: binaries.etcd, args: etcdArguments(layout) }),
    startApiServer(binaries, layout),
  ];
  const stop = async () => {
    for (const each of [...started].reverse()) await each.stop();
  };
  const wait = { port: options.port, caPem: authority.certPem, token: tokens.admin, started };
  try {
    await waitUntil(isReady, wait);
    if (options.withoutControllers !== true) {
      // It ends where the API server does not answer soon, which it may not on a machine that has much else to do.
      started.push(startControllerManager(binaries, layout, options));
      await waitUntil(hasDefaultServiceAccount, wait);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    server: `https://127.0.0.1:${options.port}`,
    caPem: authority.certPem,
    adminToken: tokens.admin,
    kubeconfigPath: join(dataDir, 'kubeconfig'),
    kubectl: binaries.kubectl,
    auditPath: join(dataDir, auditLog),
    version: binaries.version,
    startupMs: Math.round(performance.now() - began),
    get pids() {
      return Object.fromEntries(started.map((each) => [each.name, each.pid]));
    },
    issueClientCertificate: (subject) => authority.issueClient(subject),
    async restartApiServer() {
      await started[1]?.stop(0);
      started[1] = startApiServer(binaries, layout);
      await waitUntil(isReady, wait);
    },
    stop,
  };
}

function startControllerManager(
  { controllerManager: file }: KubeBinaries,
  layout: KubeLayout,
  { controllers }: RealKubeOptions,
): StartedProcess {
  return startPart(layout, {
    ...{ name: 'kube-controller-manager', file },
    args: controllerManagerArguments(layout, controllers),
  });
}

function startApiServer({ apiserver: file }: KubeBinaries, layout: KubeLayout): StartedProcess {
  return startPart(layout, { name: 'kube-apiserver', file, args: apiserverArguments(layout) });
}

function startPart(
  { dataDir }: KubeLayout,
  part: { readonly name: string; readonly file: string; readonly args: readonly string[] },
): StartedProcess {
  return startProcess({ ...part, cwd: dataDir, logPath: join(dataDir, `${part.name}.log`) });
}

async function writeFiles(layout: KubeLayout, authority: CertificateAuthority): Promise<{ admin: string }> {
  rmSync(layout.dataDir, { recursive: true, force: true });
  mkdirSync(layout.dataDir, { recursive: true, mode: 0o700 });
  const put = (name: string, text: string) => writeFileSync(join(layout.dataDir, name), text, { mode: 0o600 });
  const serving = await authority.issueServer('kube-apiserver');
  const signer = await authority.issueServer('service-accounts');
  const admin = randomBytes(16).toString('hex');
  const controllers = randomBytes(16).toString('hex');
  const server = `https://127.0.0.1:${layout.port}`;
  put('ca.crt', authority.certPem);
  put('tls.crt', serving.certPem);
  put('tls.key', serving.keyPem);
  put('sa.key', signer.keyPem);
  put('sa.crt', signer.certPem);
  put(
    'tokens.csv',
    `${admin},admin,admin,system:masters\n${controllers},system:kube-controller-manager,kcm,system:masters\n`,
  );
  put('kubeconfig', kubeconfigYaml({ server, caPem: authority.certPem, token: admin }));
  put('controllers.kubeconfig', kubeconfigYaml({ server, caPem: authority.certPem, token: controllers }));
  return { admin };
}

interface ReadyWait {
  readonly port: number;
  readonly caPem: string;
  readonly token: string;
  readonly started: readonly StartedProcess[];
}

async function waitUntil(isSo: (wait: ReadyWait) => Promise<boolean>, wait: ReadyWait): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    const dead = wait.started.find((each) => !each.isRunning());
    if (dead !== undefined) throw new Error(`${dead.name} ended before it was ready:\n${dead.tail()}`);
    if (await isSo(wait)) return;
    await delay(50);
  }
  const last = wait.started.at(-1);
  throw new Error(`${last?.name} was not ready after 120 s:\n${last?.tail() ?? ''}`);
}

async function isReady(wait: ReadyWait): Promise<boolean> {
  return (await fetchText(wait, '/readyz')) === 'ok';
}

/** The default service account is the last thing the controllers make in a new cluster. */
async function hasDefaultServiceAccount(wait: ReadyWait): Promise<boolean> {
  const body = await fetchText(wait, '/api/v1/namespaces/default/serviceaccounts/default');
  return body?.includes('"kind":"ServiceAccount"') === true;
}

function fetchText(wait: ReadyWait, path: string): Promise<string | undefined> {
  return new Promise((done) => {
    const headers = { authorization: `Bearer ${wait.token}` };
    const asked = request(
      { host: '127.0.0.1', port: wait.port, path, ca: wait.caPem, headers, timeout: 2000, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => done(text));
        answer.on('error', () => done(undefined));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(undefined));
    asked.end();
  });
}
