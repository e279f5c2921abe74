import type { JsonObject } from '../../../engine/index.ts';
import { createTaskClient, decodeJobFile, type JobFile } from '../../../jobs/index.ts';
import {
  type Clock,
  createCertificateAuthority,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  issueServerCertificate,
  type KubeClient,
  type ResourceClient,
  sleep,
} from '../../../kube/index.ts';
import { type Logger, redactText } from '../../../telemetry/index.ts';
import { type JobFileParts, jobFileOf } from '../job-access.ts';
import { LaunchError } from '../launch-errors.ts';
import type { JobSight, LaunchedJob, Launcher, LaunchOrder } from '../launcher.ts';
import {
  type JobShape,
  jobNameOf,
  jobOf,
  jobRef,
  jobSelector,
  type KubeJob,
  type KubePod,
  type KubeSecret,
  leaseAnnotation,
  namespaceRef,
  podRef,
  secretOf,
  secretRef,
  tokenAnnotation,
  tokenHash,
} from './job-objects.ts';
import { endOf, sightOf } from './job-sight.ts';

/** How jobs are run in a cluster. */
export interface KubernetesLauncherOptions extends JobFileParts {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly image: string;
  readonly command?: readonly string[] | undefined;
  /** None unless given: the entrypoint of the image is the job application. */
  readonly words?: readonly string[] | undefined;
  readonly template?: JsonObject | undefined;
  /** An hour unless given. */
  readonly ttlSeconds?: number;
  /** 7460 unless given. */
  readonly taskPort?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often a Job that is to go is looked at; 500 ms unless given. */
  readonly lookEveryMs?: number;
  /** How long a Job of an earlier lease may take to go before another is made; 30 s unless given. */
  readonly replaceWithinMs?: number;
}

/** Much longer than it takes from a Job to its Secret. */
const abandonedMs = 15 * 60_000;

/** Makes a launcher that runs each job as a batch/v1 Job. */
export function createKubernetesLauncher(options: KubernetesLauncherOptions): Launcher {
  return new KubernetesLauncher(options);
}

class KubernetesLauncher implements Launcher {
  readonly name = 'kubernetes';
  readonly areJobsInside = false;
  readonly #options: KubernetesLauncherOptions;
  readonly #shape: JobShape;
  readonly #jobs: ResourceClient<KubeJob>;
  readonly #pods: ResourceClient<KubePod>;
  readonly #secrets: ResourceClient<KubeSecret>;

  constructor(options: KubernetesLauncherOptions) {
    this.#options = options;
    const { client, namespace, image, command, words = [], template, ttlSeconds = 3600, taskPort = 7460 } = options;
    this.#shape = { namespace, image, command, words, template, ttlSeconds, taskPort };
    this.#jobs = client.resource(jobRef);
    this.#pods = client.resource(podRef);
    this.#secrets = client.resource(secretRef);
  }

  /** Addresses of API servers are the same in many clusters; the uid of a namespace is not. */
  async scope(): Promise<string> {
    const { client, namespace } = this.#options;
    const found = await client.resource(namespaceRef).get({ name: namespace }).catch(unlessRefused(namespace));
    return `${namespace}/${found.metadata?.uid ?? ''}`;
  }

  async launch(order: LaunchOrder): Promise<LaunchedJob> {
    const file = await jobFileOf(order, this.#options, await this.#certify(jobNameOf(order.jobId)));
    const job = await this.#ensureJob(order);
    await this.#ensureSecret(file, job).catch(async (error: unknown) => {
      // Its pod would wait for the Secret for ever.
      await this.#remove(job).catch((cause: unknown) => {
        this.#options.logger.warn('a Job without its Secret could not be removed', { job: order.jobId, error: cause });
      });
      throw error;
    });
    const { name = '', uid = '' } = job.metadata ?? {};
    this.#options.logger.info('a Job was created', { job: order.jobId, type: order.type, name });
    return { handle: { namespace: this.#options.namespace, name, uid } };
  }

  /** Creates the Job, or finds that it is there; one of an earlier lease has to go first. */
  async #ensureJob(order: LaunchOrder): Promise<KubeJob> {
    const { clock, replaceWithinMs = 30_000 } = this.#options;
    const name = jobNameOf(order.jobId);
    const end = clock.monotonic() + replaceWithinMs;
    for (;;) {
      const made = await this.#create(order);
      if (made !== undefined) return made;
      const found = await this.#get(name);
      if (found !== undefined && found.metadata?.deletionTimestamp === undefined) {
        const { [tokenAnnotation]: hash, [leaseAnnotation]: lease = 0 } = found.metadata?.annotations ?? {};
        if (hash === tokenHash(order.token)) return found;
        if (Number(lease) > order.work.lease.token) throw new LaunchError('outdated', { name });
        await this.#remove(found);
      }
      if (clock.monotonic() >= end) throw new LaunchError('notReplaced', { name });
      await sleep(clock, this.#lookEveryMs);
    }
  }

  /** Undefined when there is a Job of that name. */
  async #create(order: LaunchOrder): Promise<KubeJob | undefined> {
    const job = jobOf(order, this.#shape);
    // Its pods may not have ended yet, though the Job itself is gone.
    const left = await this.#podsOf(jobNameOf(order.jobId));
    if (left.some(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')) return undefined;
    try {
      return await this.#jobs.create(job);
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      if (!isInvalid(error) && !isForbidden(error)) throw error;
      throw new LaunchError('refused', { name: job.metadata?.name ?? '', detail: error.message }, { cause: error });
    }
  }

  async #ensureSecret(file: JobFile, job: KubeJob): Promise<void> {
    const key = { namespace: this.#options.namespace, name: job.metadata?.name ?? '' };
    const secret = secretOf(file, job);
    try {
      await this.#secrets.create(secret);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await this.#secrets.get(key);
      if (isOf(found, job)) return;
      // Left of an earlier Job that the cluster has not cleaned up yet; its token is worth nothing any more.
      await this.#secrets.delete(key, { preconditions: { uid: found.metadata?.uid ?? '' } }).catch(unlessMissing);
      await this.#secrets.create(secret);
    }
  }

  /** A certificate of its own for each job: nobody knows the address of a pod before it runs, so it goes by a name. */
  async #certify(name: string): Promise<NonNullable<JobFile['tls']>> {
    const now = new Date(this.#options.clock.now());
    const authority = await createCertificateAuthority({ commonName: `${name} authority`, now });
    const issued = await issueServerCertificate(authority, { now, dns: [name] });
    const certificatePem = `${issued.certificatePem.trimEnd()}\n${authority.certificatePem}`;
    return { certificatePem, privateKeyPem: issued.privateKeyPem, name };
  }

  async look(handle: JsonObject): Promise<JobSight> {
    if (!this.#isOurs(handle)) return unknownJob;
    const { name, uid } = handle;
    const job = await this.#get(name);
    if (job === undefined || job.metadata?.uid !== uid) {
      const pods = await this.#podsOf(name, uid);
      const isAlive = pods.some(({ status }) => status?.phase === 'Running');
      return isAlive ? { state: 'running' } : { state: 'gone', why: 'its Job was deleted' };
    }
    const sight = sightOf(job, await this.#podsOf(name, uid));
    return sight.state === 'gone' ? { state: 'gone', why: redactText(sight.why) } : sight;
  }

  async interrupt(
    handle: JsonObject,
    { timeoutMs, isForced }: { readonly timeoutMs: number; readonly isForced: boolean },
  ): Promise<JobSight> {
    const { clock } = this.#options;
    if (!this.#isOurs(handle)) return unknownJob;
    const { name, uid } = handle;
    const end = clock.monotonic() + timeoutMs;
    const isAsked = await this.#ask(handle, { timeoutMs, isForced });
    const job = await this.#get(name);
    const isThere = job !== undefined && job.metadata?.uid === uid;
    // What has not begun does nothing that could not be broken off.
    if (!isAsked && isThere && (await this.#isIdle(name, uid))) await this.#remove(job);
    const sight = await this.#goneBy(handle, end);
    if (sight.state === 'gone' || !isForced) return sight;
    if (isThere) await this.#remove(job);
    return await this.#goneBy(handle, clock.monotonic() + (this.#options.replaceWithinMs ?? 30_000));
  }

  /** What ended goes when its time is over; what could not begin would stay, with the password in its Secret. */
  async bury(handle: JsonObject): Promise<void> {
    if (!this.#isOurs(handle)) return;
    const job = await this.#get(handle.name);
    if (job !== undefined && job.metadata?.uid === handle.uid && endOf(job) === undefined) await this.#remove(job);
  }

  /** A Job without its Secret never begins: who made it was killed in between. Others may be about to make Secrets of theirs. */
  async sweep(kept: readonly JsonObject[]): Promise<void> {
    const { namespace, clock, logger } = this.#options;
    const uids = new Set(kept.map(({ uid }) => uid));
    const { items } = await this.#jobs.list({ namespace, labelSelector: jobSelector });
    for (const job of items) {
      const { name = '', uid = '', creationTimestamp } = job.metadata ?? {};
      const isOld = clock.now() - Date.parse(creationTimestamp ?? '') > abandonedMs;
      if (!isOld || uids.has(uid) || endOf(job) !== undefined) continue;
      const secret = await this.#secrets.get({ namespace, name }).catch(unlessMissing);
      if (secret !== undefined && isOf(secret, job)) continue;
      logger.info('a Job that cannot begin, and that nobody looks after, is removed', { name });
      await this.#remove(job);
    }
  }

  #isOurs(handle: JsonObject): handle is JobHandle {
    return isHandle(handle) && handle.namespace === this.#options.namespace;
  }

  async #isIdle(name: string, uid: string): Promise<boolean> {
    const pods = await this.#podsOf(name, uid);
    return pods.every(({ status }) => status?.phase === 'Pending');
  }

  async #goneBy(handle: JsonObject, end: number): Promise<JobSight> {
    const { clock } = this.#options;
    for (;;) {
      const sight = await this.look(handle);
      const left = end - clock.monotonic();
      if (sight.state === 'gone' || left <= 0) return sight;
      await sleep(clock, Math.min(left, this.#lookEveryMs));
    }
  }

  /** Asks the job itself; false when it cannot be asked. */
  async #ask(
    { name, uid }: JobHandle,
    how: { readonly timeoutMs: number; readonly isForced: boolean },
  ): Promise<boolean> {
    const pods = await this.#podsOf(name, uid);
    const ip = pods.find(({ status }) => status?.phase === 'Running')?.status?.podIP;
    const file = await this.#readFile(name);
    if (ip === undefined || file?.tls === undefined) return false;
    const { certificatePem, name: servername = name } = file.tls;
    const host = ip.includes(':') ? `[${ip}]` : ip;
    const url = `https://${host}:${this.#shape.taskPort}`;
    try {
      await createTaskClient({ url, token: file.token, tls: { certificatePem, name: servername } }).cancel(how);
      return true;
    } catch (error) {
      // It may end at this moment, or not listen yet: either is as it should be.
      const why = error instanceof Error ? error.message : String(error);
      this.#options.logger.info('the job does not answer', { job: file.jobId, why });
      return false;
    }
  }

  async #readFile(name: string): Promise<JobFile | undefined> {
    const secret = await this.#secrets.get({ namespace: this.#options.namespace, name }).catch(unlessMissing);
    const data = secret?.data?.['job.json'];
    return data === undefined ? undefined : decodeJobFile(Buffer.from(data, 'base64').toString('utf8'), name);
  }

  /** Only that very Job, and its pods with it. */
  async #remove(job: KubeJob): Promise<void> {
    const { name = '', uid = '' } = job.metadata ?? {};
    const key = { namespace: this.#options.namespace, name };
    await this.#jobs
      .delete(key, { preconditions: { uid }, propagationPolicy: 'Background' })
      .catch((error: unknown) => {
        // Another one of that name is none of ours.
        if (!isConflict(error)) unlessMissing(error);
      });
  }

  async #get(name: string): Promise<KubeJob | undefined> {
    return await this.#jobs.get({ namespace: this.#options.namespace, name }).catch(unlessMissing);
  }

  async #podsOf(name: string, uid?: string): Promise<readonly KubePod[]> {
    const labelSelector =
      uid === undefined ? `batch.kubernetes.io/job-name=${name}` : `batch.kubernetes.io/controller-uid=${uid}`;
    const { items } = await this.#pods.list({ namespace: this.#options.namespace, labelSelector });
    return items;
  }

  get #lookEveryMs(): number {
    return this.#options.lookEveryMs ?? 500;
  }

  async close(): Promise<void> {}
}

function unlessMissing(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function unlessRefused(namespace: string): (error: unknown) => never {
  return (error) => {
    const detail = error instanceof Error ? error.message : String(error);
    throw new LaunchError('noNamespace', { namespace, detail }, { cause: error });
  };
}

/** True for the Secret of that very Job. */
function isOf(secret: KubeSecret, job: KubeJob): boolean {
  return secret.metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid) === true;
}

interface JobHandle extends JsonObject {
  name: string;
  uid: string;
}

const unknownJob: JobSight = { state: 'unknown', why: 'it is no Job of this namespace' };

function isHandle(handle: JsonObject): handle is JobHandle {
  return typeof handle.name === 'string' && typeof handle.uid === 'string';
}
