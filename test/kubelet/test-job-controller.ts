import { isAlreadyExists, isConflict, isNotFound, type KubeClient } from '../../src/kube/index.ts';
import { type Job, type Pod, refs } from './objects.ts';

/**
 * Does for a server without controllers what a cluster's own does for Jobs that run once: gives each Job its pod, and
 * says in its status how the pod ended.
 */
export function startTestJobController(options: { readonly client: KubeClient; readonly namespace: string }): {
  stop(): Promise<void>;
} {
  const { client, namespace } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const jobs = client.resource<Job>(refs.jobs);
  const pods = client.resource<Pod>(refs.pods);
  const complain = (error: unknown): void => {
    if (signal.aborted || isNotFound(error) || isConflict(error) || isAlreadyExists(error)) return;
    console.error('test job controller:', error);
  };
  const createPod = async (job: Job): Promise<void> => {
    const { name = '', uid = '' } = job.metadata ?? {};
    const { metadata = {}, spec } = job.spec?.template ?? {};
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: `${name}-${uid.slice(0, 5)}`, namespace, ownerReferences: [owner] },
      spec,
    };
    await pods.create(pod as unknown as Pod);
    await jobs.status.patch({ namespace, name }, { type: 'merge', body: { status: { startTime: now(), active: 1 } } });
  };
  const follow = async (pod: Pod): Promise<void> => {
    const { name, uid } = pod.metadata?.ownerReferences?.find(({ kind }) => kind === 'Job') ?? {};
    const phase = pod.status?.phase;
    if (name === undefined || (phase !== 'Succeeded' && phase !== 'Failed')) return;
    const isDone = phase === 'Succeeded';
    const types = isDone ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed'];
    const reason = isDone ? 'CompletionsReached' : 'BackoffLimitExceeded';
    const conditions = types.map((type) => ({
      type,
      status: 'True',
      reason,
      message: '',
      lastProbeTime: now(),
      lastTransitionTime: now(),
    }));
    const status = { active: 0, conditions, ...(isDone ? { succeeded: 1, completionTime: now() } : { failed: 1 }) };
    // Another Job of that name is none of the pod's.
    await jobs.status.patch({ namespace, name }, { type: 'merge', body: { metadata: { uid }, status } });
  };
  const watchAll = async <T>(
    open: () => AsyncGenerator<{ readonly type: string; readonly object: T }>,
    act: (object: T) => Promise<void>,
  ) => {
    while (!signal.aborted) {
      try {
        for await (const { type, object } of open())
          if (type === 'ADDED' || type === 'MODIFIED') await act(object).catch(complain);
      } catch (error) {
        complain(error);
      }
    }
  };
  const isNew = ({ metadata, status, spec }: Job): boolean =>
    metadata?.deletionTimestamp === undefined && status?.startTime === undefined && spec?.suspend !== true;
  const done = Promise.all([
    watchAll(
      () => jobs.watch({ namespace, signal }) as AsyncGenerator<{ type: string; object: Job }>,
      async (job) => {
        if (isNew(job)) await createPod(job);
      },
    ),
    watchAll(() => pods.watch({ namespace, signal }) as AsyncGenerator<{ type: string; object: Pod }>, follow),
  ]);
  return {
    async stop() {
      ending.abort();
      await done;
    },
  };
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
