import { createHash } from 'node:crypto';
import { jobLabels } from '../../../api/index.ts';
import type { JsonObject, JsonValue } from '../../../engine/index.ts';
import { encodeJobFile, type JobFile } from '../../../jobs/index.ts';
import type { AnyKubeObject, KubeObject, ResourceRef } from '../../../kube/index.ts';
import type { LaunchOrder } from '../launcher.ts';

/** batch/v1 Job, as far as it is looked at here. */
export interface KubeJob extends KubeObject {
  spec?: { suspend?: boolean };
  status?: {
    readonly active?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** A Pod, as far as it is looked at here. */
export interface KubePod extends KubeObject {
  status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly waiting?: { readonly reason?: string; readonly message?: string };
        readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
      };
    }[];
  };
}

/** A Secret with base64 data. */
export interface KubeSecret extends KubeObject {
  type?: string;
  data?: Readonly<Record<string, string>>;
}

/** Where Jobs are served. */
export const jobRef: ResourceRef = { group: 'batch', version: 'v1', resource: 'jobs', namespaced: true, kind: 'Job' };
/** Where Pods are served. */
export const podRef: ResourceRef = { group: '', version: 'v1', resource: 'pods', namespaced: true, kind: 'Pod' };
/** Where Secrets are served. */
export const secretRef: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  namespaced: true,
  kind: 'Secret',
};

/** Where Namespaces are served. */
export const namespaceRef: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespaced: false,
  kind: 'Namespace',
};

/** By this a launcher finds again which lease a Job is of. */
export const tokenAnnotation = 'rackwright.dev/token-sha256';
/** The number of that lease: it only grows, so that who comes late does not take away what came after. */
export const leaseAnnotation = 'rackwright.dev/lease';

/** How Jobs are made. */
export interface JobShape {
  readonly namespace: string;
  readonly image: string;
  /** The entrypoint of the image unless given. */
  readonly command?: readonly string[] | undefined;
  /** What makes the entrypoint the job application; `--job-file` and others follow. */
  readonly words: readonly string[];
  /** The port of the job's own interface. */
  readonly taskPort: number;
  /** How long an ended Job stays. */
  readonly ttlSeconds: number;
  /**
   * What is changed about the Job: node selectors, limits, a service account, volumes. A merge patch, but lists are merged as
   * Kubernetes merges them: containers, volumes and variables by their names, mounts by their paths.
   */
  readonly template?: JsonObject | undefined;
}

/** By this all Jobs of launchers are found. */
export const jobSelector = Object.entries(jobLabels)
  .map(([name, value]) => `${name}=${value}`)
  .join();

const mountPath = '/var/run/rackwright/job';
/** Nobody in particular, as distroless images have it. */
const user = 65_532;

/** The name of a job's Job: the same for the same job, so that a second one is not taken. */
export function jobNameOf(jobId: string): string {
  const isName = /^[a-z0-9]([a-z0-9-]{0,46}[a-z0-9])?$/.test(jobId);
  return `rackwright-job-${isName ? jobId : createHash('sha256').update(jobId).digest('hex').slice(0, 40)}`;
}

/** What a token is known by where it must not be seen. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

/** The Job of a job. */
export function jobOf(order: LaunchOrder, shape: JobShape): KubeJob {
  const name = jobNameOf(order.jobId);
  const labels = {
    ...jobLabels,
    'rackwright.dev/job-type': order.type,
    'rackwright.dev/job': name.slice('rackwright-job-'.length),
  };
  const job: JsonObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: shape.namespace,
      labels,
      annotations: {
        [tokenAnnotation]: tokenHash(order.token),
        [leaseAnnotation]: String(order.work.lease.token),
        'rackwright.dev/job-id': order.jobId,
      },
    },
    spec: {
      // Whether it is tried again is for the update service to say, under another lease.
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      ttlSecondsAfterFinished: shape.ttlSeconds,
      podReplacementPolicy: 'Failed',
      template: { metadata: { labels }, spec: podSpecOf(name, shape) },
    },
  };
  return mergePatch(job, shape.template ?? {}) as unknown as KubeJob;
}

function podSpecOf(name: string, { image, command, words, taskPort }: JobShape): JsonObject {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'job',
        image,
        ...(command === undefined ? {} : { command: [...command] }),
        args: [
          ...words,
          '--job-file',
          `${mountPath}/job.json`,
          '--mounted',
          '--host',
          '$(POD_IP)',
          '--task-port',
          String(taskPort),
        ],
        env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        ports: [{ name: 'task', containerPort: taskPort, protocol: 'TCP' }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [{ name: 'job', mountPath, readOnly: true }],
      },
    ],
    volumes: [{ name: 'job', secret: { secretName: name, defaultMode: 0o440 } }],
  };
}

/** The Secret of a Job; it goes with it. */
export function secretOf(file: JobFile, job: KubeJob): KubeSecret {
  const { name = '', namespace = '', uid = '', labels } = job.metadata ?? {};
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: false };
  const secret: AnyKubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }), ownerReferences: [owner] },
    type: 'Opaque',
    data: { 'job.json': Buffer.from(encodeJobFile(file)).toString('base64') },
  };
  return secret as KubeSecret;
}

/** By what the entries of lists are told apart, as in strategic merge patches of Pods; other lists are replaced. */
const listKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  hostAliases: 'ip',
};

/** A JSON merge patch (RFC 7396) that merges those lists. */
function mergePatch(target: JsonValue, patch: JsonObject): JsonObject {
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    const [key, before] = [listKeys[name], merged[name] ?? null];
    if (value === null) delete merged[name];
    else if (key !== undefined && Array.isArray(value) && Array.isArray(before)) {
      merged[name] = mergeLists(before, value, key);
    } else merged[name] = isObject(value) ? mergePatch(before, value) : value;
  }
  return merged;
}

function mergeLists(before: readonly JsonValue[], patch: readonly JsonValue[], key: string): JsonValue[] {
  const merged = [...before];
  for (const one of patch) {
    const at = merged.findIndex((other) => isObject(other) && isObject(one) && other[key] === one[key]);
    if (at === -1) merged.push(one);
    else if (isObject(one)) merged[at] = mergePatch(merged[at] ?? {}, one);
  }
  return merged;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
