import type { BareMetalHost } from '../../api/index.ts';
import { isNotFound, type ResourceClient } from '../../kube/index.ts';
import type { HostConfig } from '../../provisioners/index.ts';
import { textOf } from '../credentials/secrets.ts';
import type { ConfigSeen } from '../decide/seen.ts';
import type { Secret } from '../objects.ts';

interface Part {
  readonly name: 'userData' | 'networkData' | 'metaData';
  readonly secret: string;
  readonly isOptional: boolean;
}

/** Reads what a host is told at its first boot, from Secrets of its own namespace. */
export async function readConfig(
  secrets: ResourceClient<Secret>,
  host: BareMetalHost,
  signal: AbortSignal,
): Promise<ConfigSeen> {
  const { namespace = '' } = host.metadata;
  const config: { -readonly [K in keyof HostConfig]: HostConfig[K] } = {};
  for (const part of partsOf(host)) {
    const outside = host.spec?.[part.name]?.namespace ?? namespace;
    const where = `${part.name}: the Secret ${part.secret}`;
    if (outside !== '' && outside !== namespace) {
      return { kind: 'unreadable', part: part.name, message: `${where} is of another namespace, which is not allowed` };
    }
    try {
      const secret = await secrets.get({ namespace, name: part.secret }, { signal });
      const key = [part.name, 'value'].find((name) => secret.data?.[name] !== undefined);
      if (key !== undefined) config[part.name] = textOf(secret, key);
      else if (!part.isOptional) {
        const message = `${where} has neither the key ${part.name} nor the key value`;
        return { kind: 'unreadable', part: part.name, message };
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { kind: 'unreadable', part: part.name, message: `${where} is not in the namespace of the host` };
    }
  }
  return { kind: 'read', config };
}

function partsOf({ spec }: BareMetalHost): Part[] {
  const network = spec?.networkData?.name ?? spec?.preprovisioningNetworkDataName;
  const parts = [
    { name: 'userData' as const, secret: spec?.userData?.name, isOptional: false },
    { name: 'networkData' as const, secret: network, isOptional: true },
    { name: 'metaData' as const, secret: spec?.metaData?.name, isOptional: false },
  ];
  return parts.flatMap(({ secret = '', ...part }) => (secret === '' ? [] : [{ ...part, secret }]));
}
