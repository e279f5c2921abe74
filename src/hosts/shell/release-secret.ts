import type { BareMetalHost } from '../../api/index.ts';
import { isNotFound } from '../../kube/index.ts';
import { releasePatch } from '../credentials/secrets.ts';
import type { Secret } from '../objects.ts';
import { fieldManager, resources } from '../resources.ts';
import type { PerformContext, PerformParts } from './perform.ts';

/** Lets a Secret of a host go; one that is not there is gone already. */
export async function letSecretGo(
  { client, newest }: PerformParts,
  host: BareMetalHost,
  name: string,
  { signal }: PerformContext,
): Promise<void> {
  const secrets = client.resource<Secret>(resources.secrets);
  const { namespace = '' } = host.metadata;
  try {
    const secret = newest.secrets.get(`${namespace}/${name}`) ?? (await secrets.get({ namespace, name }, { signal }));
    const body = releasePatch(host, secret);
    if (body !== undefined) await secrets.patch({ namespace, name }, { type: 'merge', body }, { fieldManager, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  newest.secrets.forget(`${namespace}/${name}`);
}
