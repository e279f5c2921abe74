import { ensure } from '../bootstrap.ts';
import type { ServerCore } from '../core.ts';
import { systemContext, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import type { KubeObject } from '../object.ts';
import { ApiError } from '../status.ts';
import type { Stored } from '../store/store.ts';
import { followBucket } from './follow-bucket.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

const accountName = 'kubernetes.io/service-account.name';
const accountUid = 'kubernetes.io/service-account.uid';
const tokenSecretType = 'kubernetes.io/service-account-token';
const rootCaName = 'kube-root-ca.crt';
const retryAfterMs = 1000;
const rootCaNote = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** What the controller works with. */
export interface ServiceAccountControllerParts {
  readonly core: ServerCore;
  readonly tokens: ServiceAccountTokens;
  readonly caPem: string;
  onFault(error: unknown): void;
}

type TokenSecret = KubeObject & { type?: string; data?: Record<string, string> };

/**
 * Gives every namespace its `default` service account and the certificate of this server, and fills Secrets that ask
 * for a service account's token.
 */
export class ServiceAccountController {
  readonly #parts: ServiceAccountControllerParts;
  /** Work in progress by what it is about; a second wish for the same waits and runs once more. */
  readonly #running = new Map<string, 'once' | 'again'>();
  /** The Secrets of a namespace that ask for a token; looking through all Secrets for every account would not scale. */
  readonly #tokenSecrets = new Map<string, Map<string, Stored>>();
  #isClosed = false;

  constructor(parts: ServiceAccountControllerParts) {
    this.#parts = parts;
  }

  start(): { close(): void } {
    const { store } = this.#parts.core;
    const namespace = (stored: Stored): void => this.#furnish(stored.name);
    const parent = (stored: Stored): void => this.#furnish(stored.namespace);
    const subscriptions = [
      followBucket(store, '/namespaces', { set: namespace, remove: () => undefined }),
      followBucket(store, '/serviceaccounts', {
        set: (stored) => this.#fillSecretsOf(stored),
        remove: (stored) => {
          if (stored.name === 'default') parent(stored);
          this.#fillSecretsOf(stored);
        },
      }),
      followBucket(store, '/configmaps', {
        set: (stored) => (stored.name === rootCaName ? parent(stored) : undefined),
        remove: (stored) => (stored.name === rootCaName ? parent(stored) : undefined),
      }),
      followBucket(store, '/secrets', {
        set: (stored) => this.#fill(stored),
        remove: (stored) => this.#tokenSecrets.get(stored.namespace)?.delete(stored.name),
      }),
    ];
    return {
      close: () => {
        this.#isClosed = true;
        for (const subscription of subscriptions) subscription.close();
      },
    };
  }

  #run(what: string, work: () => Promise<void>): void {
    if (this.#isClosed) return;
    if (this.#running.has(what)) {
      this.#running.set(what, 'again');
      return;
    }
    this.#running.set(what, 'once');
    void this.#finish(what, work);
  }

  async #finish(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#retryLater(error, () => this.#run(what, work));
    }
    const isAgain = this.#running.get(what) === 'again';
    this.#running.delete(what);
    if (isAgain) this.#run(what, work);
  }

  #retryLater(error: unknown, retry: () => void): void {
    // Gone, refused, or changed by somebody else, who has woken us again.
    if (error instanceof ApiError && error.code < 500) return;
    this.#parts.onFault(error);
    setTimeout(retry, retryAfterMs).unref();
  }

  #furnish(namespace: string): void {
    this.#run(`namespace ${namespace}`, async () => {
      const { core, caPem } = this.#parts;
      const stored = core.store.head({ bucket: '/namespaces', namespace: '', name: namespace });
      if (stored === undefined || isDying(stored)) return;
      await ensure(core, '/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      });
      await this.#publishCa(namespace, caPem);
    });
  }

  async #publishCa(namespace: string, caPem: string): Promise<void> {
    const { core } = this.#parts;
    const data = { 'ca.crt': caPem };
    const key = { bucket: '/configmaps', namespace, name: rootCaName };
    const metadata = { name: rootCaName, namespace, annotations: rootCaNote };
    const found = core.store.head(key);
    if (found === undefined) {
      await ensure(core, '/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return;
    }
    const current = JSON.parse(found.json) as KubeObject & { data?: Record<string, string> };
    if (current.data?.['ca.crt'] === caPem || isDying(found)) return;
    await this.#change(key, (live) => ({ ...live, data }), 'root-ca-cert-publisher');
  }

  async #change(
    key: { bucket: string; namespace: string; name: string },
    transform: (live: KubeObject) => KubeObject,
    manager: string,
  ): Promise<void> {
    const { core } = this.#parts;
    const served = core.registry.storage(key.bucket);
    if (served === undefined) return;
    const context = systemContext(core, served, { verb: 'update', namespace: key.namespace, name: key.name });
    const options = systemWrite('UpdateOptions', manager);
    await updateObject(core, context, served, { key, subresource: '', options, isManaged: false, transform });
  }

  #fillSecretsOf(account: Stored): void {
    for (const secret of [...(this.#tokenSecrets.get(account.namespace)?.values() ?? [])]) this.#fill(secret);
  }

  #fill(stored: Stored): void {
    if (!stored.json.includes(`"type":"${tokenSecretType}"`)) return;
    const known = this.#tokenSecrets.get(stored.namespace) ?? new Map<string, Stored>();
    this.#tokenSecrets.set(stored.namespace, known.set(stored.name, stored));
    this.#run(`secret ${stored.namespace}/${stored.name}`, () => this.#fillNow(stored));
  }

  async #fillNow({ bucket, namespace, name }: Stored): Promise<void> {
    const { core, caPem, tokens } = this.#parts;
    const key = { bucket, namespace, name };
    const head = core.store.head(key);
    if (head === undefined || isDying(head)) return;
    const secret = JSON.parse(head.json) as TokenSecret;
    if (secret.type !== tokenSecretType) return;
    const account = secret.metadata.annotations?.[accountName] ?? '';
    const found = core.store.get({ bucket: '/serviceaccounts', namespace, name: account });
    const askedUid = secret.metadata.annotations?.[accountUid];
    if (found === undefined || (askedUid !== undefined && askedUid !== found.uid)) {
      const written = core.store.write({ kind: 'delete', key, object: secret, expect: head.revision });
      if (!('conflict' in written)) await written;
      return;
    }
    if (isFilled(secret, found.uid, caPem)) return;
    const token = tokens.issueForSecret({ namespace, name: account, uid: found.uid }, name);
    await this.#change(key, (live) => filled(live, { uid: found.uid, token, caPem }), 'kube-controller-manager');
  }
}

function isDying(stored: Stored): boolean {
  return (
    stored.json.includes('"deletionTimestamp"') &&
    (JSON.parse(stored.json) as KubeObject).metadata.deletionTimestamp !== undefined
  );
}

function isFilled({ metadata, data }: TokenSecret, uid: string, caPem: string): boolean {
  return (
    metadata.annotations?.[accountUid] === uid &&
    (data?.token ?? '') !== '' &&
    data?.['ca.crt'] === base64(caPem) &&
    data?.namespace === base64(metadata.namespace ?? '')
  );
}

function filled(live: KubeObject, given: { uid: string; token: string; caPem: string }): KubeObject {
  const secret = live as TokenSecret;
  const { data, metadata } = secret;
  const kept = (data?.token ?? '') === '' ? base64(given.token) : data?.token;
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [accountUid]: given.uid } },
    data: {
      ...data,
      token: kept ?? '',
      'ca.crt': base64(given.caPem),
      namespace: base64(metadata.namespace ?? ''),
    },
  } as KubeObject;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
