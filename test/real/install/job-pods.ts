import { join } from 'node:path';
import type { AnyKubeObject, KubeClient } from '../../../src/kube/index.ts';
import { startTestKubelet, type TestKubelet } from '../../kubelet/test-kubelet.ts';
import { until } from '../ironic/until.ts';

/** Runs the pods of Jobs, or does not for a while. */
export interface JobPods {
  /** Lets pods run from now on. */
  start(): void;
  /** Waits until no Job is at work, and runs no more. */
  pause(): Promise<void>;
  stop(): Promise<void>;
}

const main = join(import.meta.dirname, '..', '..', '..', 'bin', 'rackwright.mjs');
const jobs = { group: 'batch', version: 'v1', resource: 'jobs', namespaced: true, kind: 'Job' };

/** Pods of a namespace as processes of this machine; the image has the command of this tree. */
export function createJobPods(given: {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly folder: string;
  readonly image: string;
}): JobPods {
  const { client, namespace, folder, image } = given;
  let kubelet: TestKubelet | undefined;
  const isOver = ({ status }: AnyKubeObject): boolean =>
    ((status as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).some(({ type }) =>
      ['Complete', 'Failed'].includes(type),
    );
  const stop = async (): Promise<void> => {
    await kubelet?.stop();
    kubelet = undefined;
  };
  return {
    start() {
      kubelet ??= startTestKubelet({ client, namespace, folder, images: { [image]: [process.execPath, main] } });
    },
    async pause() {
      await until({
        what: 'the end of all Jobs',
        timeoutMs: 240_000,
        look: async () =>
          (await client.resource<AnyKubeObject>(jobs).list({ namespace })).items.every(isOver) || undefined,
      });
      await stop();
    },
    stop,
  };
}
