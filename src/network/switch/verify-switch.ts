import { type AnyKubeObject, isNotFound, type KubeClient, ok, type Result } from '../../kube/index.ts';
import type { SwitchBook } from '../devices/switch-book.ts';
import { namespaceOf, objectKey } from '../fabric/references.ts';
import type { ProviderSwitch } from '../fabric/tables.ts';
import { placeOf } from '../fabric/unit.ts';
import { resources } from '../resources.ts';
import { accessOf, type SecretValues, secretNameOf } from './switch-access.ts';
import { accessPrefix } from './switch-facts.ts';
import type { SwitchSeen } from './switch-seen.ts';

/** What a switch is asked with. */
export interface VerifyParts {
  readonly client: KubeClient;
  readonly book: SwitchBook;
  readonly signal: AbortSignal;
}

/**
 * Reads the credentials anew, since they may have been rotated, and begins to ask the switch. Returns at once: a switch
 * that does not answer holds up no other one.
 */
export async function verifySwitch({ client, book, signal }: VerifyParts, seen: SwitchSeen): Promise<Result> {
  const { provider, object } = seen;
  if (provider === undefined) return ok();
  const key = objectKey(object);
  const secret = await readSecret(client, provider, signal);
  const version = `${accessPrefix(seen)}${secret === 'missing' ? 'none' : (secret?.version ?? '')}`;
  if (secret === 'missing') {
    const name = `${namespaceOf(provider)}/${secretNameOf(provider)}`;
    const message = `there is no Secret ${name}, which ${provider.kind} ${objectKey(provider)} names`;
    book.note(key, version, { code: 'CredentialsNotFound', message });
    return ok();
  }
  const read = accessOf(provider, secret?.values);
  if (read.kind === 'incomplete') {
    book.note(key, version, { code: 'CredentialsNotFound', message: read.message });
    return ok();
  }
  // What comes of it is noted down in the book, and wakes whoever is concerned.
  book.verify({ key, version, place: placeOf(provider), access: read.access }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    book.note(key, version, { code: 'SwitchUnreachable', message });
  });
  return ok();
}

interface VersionedSecret {
  readonly version: string;
  readonly values: SecretValues;
}

async function readSecret(
  client: KubeClient,
  provider: ProviderSwitch,
  signal: AbortSignal,
): Promise<VersionedSecret | 'missing' | undefined> {
  const name = secretNameOf(provider);
  if (name === undefined) return undefined;
  try {
    const key = { namespace: namespaceOf(provider), name };
    const { metadata, data } = await client.resource<AnyKubeObject>(resources.secrets).get(key, { signal });
    const encoded = Object.entries((data ?? {}) as Record<string, string>);
    const values = encoded.map(([field, value]) => [field, Buffer.from(value, 'base64').toString('utf8')]);
    return { version: metadata?.resourceVersion ?? '', values: Object.fromEntries(values) };
  } catch (error) {
    if (isNotFound(error)) return 'missing';
    throw error;
  }
}
