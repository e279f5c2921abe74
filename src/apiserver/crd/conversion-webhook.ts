import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { ApiError } from '../status.ts';
import { WebhookCallError, type WebhookClient } from '../webhook/webhook-client.ts';
import { type Converter, PendingConversion } from './conversion.ts';
import { checkConverted, conversionFault } from './conversion-checks.ts';
import type { Crd, WebhookClientConfig } from './crd-object.ts';

const timeoutSeconds = 30;
const maxBatch = 500;
/** How many conversions that somebody will ask for again are kept. */
const maxReady = 256;

interface Job {
  readonly objects: KubeObject[];
  resolve(converted: KubeObject[]): void;
  reject(error: unknown): void;
}

/** Converts by asking a webhook; what is asked for in the same moment goes out in one review. */
export class WebhookConverter implements Converter {
  readonly #config: WebhookClientConfig;
  readonly #speaksV1: boolean;
  readonly #client: WebhookClient;
  readonly #waiting = new Map<string, Job[]>();
  readonly #ready = new Map<string, KubeObject>();

  constructor(crd: Crd, client: WebhookClient) {
    const webhook = crd.spec.conversion?.webhook;
    this.#config = webhook?.clientConfig ?? {};
    this.#speaksV1 = (webhook?.conversionReviewVersions ?? []).includes('v1');
    this.#client = client;
  }

  convert(objects: KubeObject[], toApiVersion: string): Promise<KubeObject[]> {
    return new Promise((resolve, reject) => {
      const jobs = this.#waiting.get(toApiVersion);
      const job = { objects, resolve, reject };
      if (jobs !== undefined) {
        jobs.push(job);
        return;
      }
      this.#waiting.set(toApiVersion, [job]);
      setImmediate(() => this.#flush(toApiVersion));
    });
  }

  convertNow(object: KubeObject, toApiVersion: string): KubeObject {
    const key = `${toApiVersion} ${JSON.stringify(object)}`;
    const known = this.#ready.get(key);
    if (known !== undefined) return structuredClone(known);
    const done = this.convert([object], toApiVersion).then(([converted]) => {
      // The webhook may change its mind some day, so these are kept for the next moments only.
      if (this.#ready.size >= maxReady) this.#ready.clear();
      this.#ready.set(key, converted ?? object);
      setTimeout(() => this.#ready.delete(key), 2000).unref();
    });
    done.catch(() => undefined); // whoever catches the error below hears of it
    throw new PendingConversion(done);
  }

  #flush(toApiVersion: string): void {
    const jobs = this.#waiting.get(toApiVersion) ?? [];
    this.#waiting.delete(toApiVersion);
    let batch: Job[] = [];
    let size = 0;
    for (const job of jobs) {
      if (size > 0 && size + job.objects.length > maxBatch) {
        void this.#settle(batch, toApiVersion);
        batch = [];
        size = 0;
      }
      batch.push(job);
      size += job.objects.length;
    }
    if (batch.length > 0) void this.#settle(batch, toApiVersion);
  }

  async #settle(jobs: readonly Job[], toApiVersion: string): Promise<void> {
    try {
      const converted = await this.#ask(
        jobs.flatMap(({ objects }) => objects),
        toApiVersion,
      );
      let at = 0;
      for (const { objects, resolve } of jobs) {
        resolve(converted.slice(at, at + objects.length));
        at += objects.length;
      }
    } catch (error) {
      const [only] = jobs;
      if (jobs.length === 1 && only !== undefined) only.reject(error);
      // One request's bad object must not fail another's good one.
      else await Promise.all(jobs.map((job) => this.#settle([job], toApiVersion)));
    }
  }

  async #ask(objects: KubeObject[], toApiVersion: string): Promise<KubeObject[]> {
    const sent = objects.filter((object) => object.apiVersion !== toApiVersion);
    const [first] = sent;
    if (first === undefined) return objects;
    const answers = await this.#converted(first, sent, toApiVersion);
    let next = 0;
    return objects.map((object) => {
      if (object.apiVersion === toApiVersion) return object;
      const answer = answers[next++];
      return checkConverted(object, asKubeObject(answer ?? {}), toApiVersion);
    });
  }

  async #converted(first: KubeObject, objects: KubeObject[], toApiVersion: string): Promise<JsonObject[]> {
    const uid = randomUUID();
    const request = { uid, desiredAPIVersion: toApiVersion, objects: objects.map(withoutVersion) };
    const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request };
    try {
      if (!this.#speaksV1) throw new WebhookCallError('the webhook does not accept ConversionReview v1');
      const answer = await this.#client.post(this.#config, review as unknown as JsonObject, timeoutSeconds);
      const converted = readResponse(answer, uid);
      if (converted.length === objects.length) return converted;
      throw conversionFault(first, `returned ${converted.length} objects, expected ${objects.length}`);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw conversionFault(first, `failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** An object has no resourceVersion while it is converted, since it is not yet known when it is read. */
function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Reads the type before all else, as a decoder that knows ConversionReviews and nothing else. */
function checkKnown({ apiVersion = '', kind = '' }: JsonObject): void {
  const isKnown = kind === 'ConversionReview' && /^apiextensions\.k8s\.io\/v1(beta1)?$/.test(String(apiVersion));
  if (isKnown || apiVersion === '' || kind === '') return;
  const name = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
  throw new WebhookCallError(`${name} in scheme "pkg/runtime/scheme.go:110"`);
}

function readResponse(review: JsonObject, uid: string): JsonObject[] {
  checkKnown(review);
  const { response } = review;
  if (!isJsonObject(response)) throw new WebhookCallError('no response provided');
  if (response.uid !== uid) {
    const got = JSON.stringify(response.uid ?? '');
    throw new WebhookCallError(`expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  if (review.kind !== 'ConversionReview' || review.apiVersion !== 'apiextensions.k8s.io/v1') {
    const got = `${String(review.apiVersion ?? '')}, Kind=${String(review.kind ?? '')}`;
    throw new WebhookCallError(`expected apiextensions.k8s.io/v1, Kind=ConversionReview, got ${got}`);
  }
  const result = isJsonObject(response.result) ? response.result : {};
  if (result.status !== 'Success') {
    const why = typeof result.message === 'string' && result.message !== '' ? result.message : undefined;
    throw new WebhookCallError(why ?? `response.result.status was '${String(result.status ?? '')}', not 'Success'`);
  }
  return (Array.isArray(response.convertedObjects) ? response.convertedObjects : []).filter(isJsonObject);
}
