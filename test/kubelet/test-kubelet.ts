import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isConflict, isNotFound, type KubeClient } from '../../src/kube/index.ts';
import { type Pod, refs } from './objects.ts';
import { logOf, startPod } from './pod-process.ts';

/** How a test kubelet is made. */
export interface TestKubeletOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Where pods have their folders. */
  readonly folder: string;
  /** What images hold: the words that come before a container's own. */
  readonly images: Readonly<Record<string, readonly string[]>>;
}

/** Runs the pods of a namespace as processes of this machine. */
export interface TestKubelet {
  /** How many processes it started. */
  readonly started: number;
  /** Ends all processes. */
  stop(): Promise<void>;
}

/** Starts a kubelet that is also the scheduler: all pods of the namespace run here. */
export function startTestKubelet(options: TestKubeletOptions): TestKubelet {
  const kubelet = new RunningKubelet(options);
  const done = kubelet.watch();
  return {
    get started() {
      return kubelet.started;
    },
    async stop() {
      kubelet.stop();
      await done;
    },
  };
}

const nodeName = 'test-node';

class RunningKubelet {
  readonly #options: TestKubeletOptions;
  readonly #ending = new AbortController();
  readonly #processes = new Map<string, ChildProcess | 'begins'>();
  started = 0;

  constructor(options: TestKubeletOptions) {
    this.#options = options;
  }

  get #pods() {
    return this.#options.client.resource<Pod>(refs.pods);
  }

  async watch(): Promise<void> {
    const { namespace } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        for await (const { type, object } of this.#pods.watch({ namespace, signal })) {
          if (type === 'DELETED') this.#kill(object, 'SIGKILL');
          else if (type === 'ADDED' || type === 'MODIFIED')
            void this.#look(object).catch((error: unknown) => this.#complain(error));
        }
      } catch (error) {
        if (!signal.aborted) this.#complain(error);
      }
    }
  }

  stop(): void {
    this.#ending.abort();
    for (const child of this.#processes.values()) if (child !== 'begins') signalGroup(child, 'SIGKILL');
  }

  #complain(error: unknown): void {
    if (!this.#ending.signal.aborted && !isNotFound(error) && !isConflict(error)) console.error('test kubelet:', error);
  }

  async #look(pod: Pod): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    if (pod.metadata?.deletionTimestamp !== undefined) return await this.#end(pod);
    if (pod.spec?.nodeName === undefined) return await this.#bind(pod);
    if (this.#processes.has(uid) || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return;
    this.#processes.set(uid, 'begins');
    await this.#run(pod, uid);
  }

  async #bind(pod: Pod): Promise<void> {
    const { name = '', namespace } = pod.metadata ?? {};
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
    await this.#pods.subresource('binding').create({ namespace, name }, binding);
  }

  async #run(pod: Pod, uid: string): Promise<void> {
    const { client, images } = this.#options;
    const folder = join(this.#options.folder, uid);
    mkdirSync(folder, { recursive: true });
    this.started += 1;
    const ip = `127.77.${this.started >> 8}.${(this.started & 255) + 1}`;
    const child = await this.#insist(pod, () => startPod({ client, pod, folder, ip, images }));
    if (child === undefined) return;
    this.#processes.set(uid, child);
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    await this.#tell(pod, {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      ...containers(pod, { running: { startedAt: now() } }),
    });
    const [code, signal] = await ended;
    const exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143);
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      message: exitCode === 0 ? '' : logOf(folder),
      startedAt: now(),
      finishedAt: now(),
    };
    await this.#tell(pod, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      podIP: ip,
      podIPs: [{ ip }],
      ...containers(pod, { terminated }),
    });
    rmSync(folder, { recursive: true, force: true });
  }

  /** A Secret may come after the pod that mounts it: a pod waits for what it needs. */
  async #insist(pod: Pod, start: () => Promise<ChildProcess>): Promise<ChildProcess | undefined> {
    while (!this.#ending.signal.aborted) {
      try {
        return await start();
      } catch (error) {
        if (!isNotFound(error)) {
          const waiting = {
            reason: 'InvalidImageName',
            message: error instanceof Error ? error.message : String(error),
          };
          await this.#tell(pod, { phase: 'Pending', ...containers(pod, { waiting }) });
          return undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    return undefined;
  }

  /** Ends the process of a pod that is to go, within its time, and then lets the pod go. */
  async #end(pod: Pod): Promise<void> {
    const child = this.#processes.get(pod.metadata?.uid ?? '');
    if (child !== undefined && child !== 'begins' && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      signalGroup(child, 'SIGTERM');
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), 200);
      await ended;
      clearTimeout(late);
    }
    const { name = '', namespace, uid = '' } = pod.metadata ?? {};
    await this.#pods.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  #kill(pod: Pod, signal: 'SIGKILL'): void {
    const child = this.#processes.get(pod.metadata?.uid ?? '');
    if (child !== undefined && child !== 'begins') signalGroup(child, signal);
  }

  async #tell(pod: Pod, status: object): Promise<void> {
    const { name = '', namespace } = pod.metadata ?? {};
    await this.#pods.status
      .patch({ namespace, name }, { type: 'merge', body: { status } })
      .catch((error: unknown) => this.#complain(error));
  }
}

function containers(pod: Pod, state: object) {
  const [container] = pod.spec?.containers ?? [];
  const { name = '', image = '' } = container ?? {};
  return { containerStatuses: [{ name, image, imageID: '', restartCount: 0, ready: 'running' in state, state }] };
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended in between.
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
