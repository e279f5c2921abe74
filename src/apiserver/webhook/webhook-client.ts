import type { Agent } from 'undici';
import { createEgress, type Egress } from '../../egress/index.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../schema/index.ts';
import type { WebhookClientConfig } from '../crd/crd-object.ts';
import { serverFault, transportFault } from './webhook-fault.ts';

/** A webhook could not be asked, or gave no answer that can be used. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/** Finds the address of a Service; a server outside of a cluster network has none. */
export type ServiceResolver = (service: NonNullable<WebhookClientConfig['service']>) => string | undefined;

const maxConnections = 32;
const maxAnswerBytes = 16 * 1024 * 1024;
const structType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

type Undici = typeof import('undici');

/** Calls webhooks over HTTPS; connections are kept per host and certificate authority. */
export class WebhookClient {
  readonly #agents = new Map<string, Agent>();
  /** Loaded with the first call: most servers have no webhooks, and it is a tenth of what an empty one holds. */
  #undici: Promise<Undici> | undefined;
  readonly #resolveService: ServiceResolver;
  readonly #egress: Egress;

  constructor(resolveService: ServiceResolver = () => undefined, egress: Egress = createEgress()) {
    this.#resolveService = resolveService;
    this.#egress = egress;
  }

  /** Posts a review and resolves with the answer; rejects with a WebhookCallError. */
  async post(config: WebhookClientConfig, review: JsonObject, timeoutSeconds: number): Promise<JsonObject> {
    const url = this.#addressOf(config);
    url.searchParams.set('timeout', `${timeoutSeconds}s`);
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const answer = await this.#send(url, config.caBundle, { text: JSON.stringify(review), signal });
    if (answer.code < 200 || answer.code > 206) throw new WebhookCallError(serverFault(answer.code, answer.text));
    return decode(answer);
  }

  /** Drops idle connections of configurations that changed; those in use finish first. */
  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #addressOf({ url, service }: WebhookClientConfig): URL {
    if (url !== undefined) return new URL(url);
    const name = `${service?.namespace ?? ''}/${service?.name ?? ''}`;
    const found = service === undefined ? undefined : this.#resolveService(service);
    if (found !== undefined) return new URL(service?.path ?? '/', found);
    throw new WebhookCallError(
      `service "${name}" cannot be reached: this server is not part of a cluster network; give the webhook a clientConfig.url`,
    );
  }

  async #send(
    url: URL,
    caBundle: string | undefined,
    { text, signal }: { text: string; signal: AbortSignal },
  ): Promise<{ code: number; text: string; contentType: string }> {
    try {
      this.#undici ??= import('undici');
      const undici = await this.#undici;
      const response = await undici.request(url, {
        method: 'POST',
        dispatcher: this.#agentFor(url, caBundle ?? '', undici),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
        },
        body: text,
        signal,
      });
      const contentType = String(response.headers['content-type'] ?? '');
      return { code: response.statusCode, text: await readLimited(response.body), contentType };
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      throw new WebhookCallError(`Post ${JSON.stringify(url.href)}: ${transportFault(error, url)}`, { cause: error });
    }
  }

  #agentFor(url: URL, caBundle: string, undici: Undici): Agent {
    const key = `${url.host} ${caBundle}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const ca = caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
    const agent = new undici.Agent({
      connections: maxConnections,
      connect: this.#egress.guard(
        undici.buildConnector({
          ...(ca === undefined ? {} : { ca }),
          ALPNProtocols: ['http/1.1'],
          lookup: this.#egress.lookup,
        }),
      ),
    });
    this.#agents.set(key, agent);
    return agent;
  }
}

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new WebhookCallError(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function decode({ code, text, contentType }: { code: number; text: string; contentType: string }): JsonObject {
  if (text === '') {
    throw new WebhookCallError(`0-length response with status code: ${code} and content type: ${contentType}`);
  }
  const head = "couldn't get version/kind; json parse error";
  const parsed = parseJson(text);
  // Text that is no JSON is read as YAML, and there it is a string.
  const value: Json = 'error' in parsed ? text : parsed.value;
  if (isJsonObject(value)) return value;
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new WebhookCallError(`${head}: json: cannot unmarshal ${kind} into Go value of type ${structType}`);
}
