import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '../../src/kube/index.ts';
import { type Container, type Pod, refs, type Secret } from './objects.ts';

/** What a pod is run with. */
export interface PodPlan {
  readonly client: KubeClient;
  readonly pod: Pod;
  /** The pod's own; its volumes and its log are there. */
  readonly folder: string;
  readonly ip: string;
  /** What images hold: the words that come before a container's own. */
  readonly images: Readonly<Record<string, readonly string[]>>;
}

/** Starts the one container of a pod as a process of this machine. Throws when something it needs is not there yet. */
export async function startPod(plan: PodPlan): Promise<ChildProcess> {
  const [container] = plan.pod.spec?.containers ?? [];
  if (container === undefined) throw new Error('the pod has no container');
  const entrypoint = container.command ?? plan.images[container.image];
  if (entrypoint === undefined) throw new Error(`there is no image ${container.image}`);
  const mounts = await mountAll(plan, container);
  const environment = Object.fromEntries((container.env ?? []).map((each) => [each.name, envValueOf(each, plan)]));
  const words = [...entrypoint, ...(container.args ?? [])].map((word) => seen(word, { mounts, environment }));
  const [program = '', ...rest] = words;
  const log = openSync(join(plan.folder, 'log'), 'a');
  try {
    const env = { PATH: process.env.PATH ?? '', ...environment };
    return spawn(program, rest, { detached: true, env, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

/** The end of what a pod printed. */
export function logOf(folder: string): string {
  return readFileSync(join(folder, 'log'), 'utf8').slice(-2000);
}

type Mounts = readonly { readonly from: string; readonly to: string }[];

/** Writes the Secrets that a container mounts below the pod's folder. */
async function mountAll({ client, pod, folder }: PodPlan, container: Container): Promise<Mounts> {
  const mounts: { from: string; to: string }[] = [];
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const secretName = pod.spec?.volumes?.find((each) => each.name === name)?.secret?.secretName ?? '';
    const key = { namespace: pod.metadata?.namespace, name: secretName };
    const { data = {} } = await client.resource<Secret>(refs.secrets).get(key);
    const to = join(folder, 'volumes', name);
    mkdirSync(to, { recursive: true });
    for (const [file, text] of Object.entries(data))
      writeFileSync(join(to, file), Buffer.from(text, 'base64'), { mode: 0o440 });
    mounts.push({ from: mountPath, to });
  }
  return mounts;
}

function envValueOf({ value, valueFrom }: NonNullable<Container['env']>[number], { ip, pod }: PodPlan): string {
  if (valueFrom?.fieldRef?.fieldPath === 'status.podIP') return ip;
  return valueFrom?.fieldRef?.fieldPath === 'metadata.name' ? (pod.metadata?.name ?? '') : (value ?? '');
}

/** A process of this machine has no file system of its own, so paths of mounts are told as they really are. */
function seen(
  word: string,
  at: { readonly mounts: Mounts; readonly environment: Readonly<Record<string, string>> },
): string {
  const filled = word.replaceAll(/\$\((\w+)\)/g, (whole, name: string) => at.environment[name] ?? whole);
  const mount = at.mounts.find(({ from }) => filled === from || filled.startsWith(`${from}/`));
  return mount === undefined ? filled : mount.to + filled.slice(mount.from.length);
}
