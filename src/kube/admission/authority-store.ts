import type { KubeClient } from '../client/client.ts';
import { isNotFound, kubeError } from '../errors.ts';
import type { KubeObject, ResourceRef } from '../object.ts';
import type { AuthorityState } from './authority-state.ts';

/** Keeps the authorities where all replicas find them. A write based on an old version fails with a conflict. */
export interface AuthorityStore {
  load(): Promise<{ readonly state: AuthorityState; readonly version: string } | undefined>;
  /** `version` is that of the state the new one was made from; undefined when there was none. */
  save(state: AuthorityState, version: string | undefined): Promise<void>;
}

const secrets: ResourceRef = { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' };
const dataKey = 'authorities.json';

interface SecretKey {
  readonly namespace: string;
  readonly name: string;
}

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** Authorities in a Secret. */
export function createSecretAuthorityStore(client: KubeClient, at: SecretKey): AuthorityStore {
  const resource = client.resource<Secret>(secrets);
  return {
    async load() {
      try {
        const secret = await resource.get(at);
        const text = Buffer.from(secret.data?.[dataKey] ?? '', 'base64').toString('utf8');
        return { state: parseState(text, at), version: secret.metadata?.resourceVersion ?? '' };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async save(state, version) {
      const data = { [dataKey]: Buffer.from(JSON.stringify(state)).toString('base64') };
      const metadata = { ...at, ...(version === undefined ? {} : { resourceVersion: version }) };
      const secret: Secret = { metadata, type: 'Opaque', data };
      await (version === undefined ? resource.create(secret) : resource.replace(secret));
    },
  };
}

function parseState(text: string, at: SecretKey): AuthorityState {
  try {
    const state = JSON.parse(text) as AuthorityState;
    if (typeof state.current.certificatePem === 'string' && Array.isArray(state.retired)) return state;
  } catch {
    // Explained below, without the text: it may hold a key.
  }
  throw kubeError(
    'MalformedAnswer',
    `the Secret ${at.namespace}/${at.name} holds no authorities; delete it to have new ones made`,
  );
}

/** Authorities in memory, for one process and for tests. */
export function createMemoryAuthorityStore(initial?: AuthorityState): AuthorityStore {
  let held = initial;
  let version = 0;
  return {
    load: async () => (held === undefined ? undefined : { state: held, version: String(version) }),
    async save(state, expected) {
      const current = held === undefined ? undefined : String(version);
      if (expected !== current) throw kubeError('Conflict', 'the authorities were changed in between');
      held = state;
      version++;
    },
  };
}
