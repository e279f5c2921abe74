import type { SwitchAccess } from '../../switches/index.ts';
import { nameOf, namespaceOf } from '../fabric/references.ts';
import type { ProviderSwitch } from '../fabric/tables.ts';

/** The values of a Secret, decoded. */
export type SecretValues = Readonly<Record<string, string>>;

/** How a switch is reached, or what is wrong with its Secret. */
export type AccessReading =
  | { readonly kind: 'access'; readonly access: SwitchAccess }
  | { readonly kind: 'incomplete'; readonly message: string };

/** Name of the Secret that a provider names. */
export function secretNameOf({ spec }: ProviderSwitch): string | undefined {
  return spec !== undefined && 'credentialsSecret' in spec ? spec.credentialsSecret?.name : undefined;
}

/** Puts together what a switch is reached with. Messages never hold a value of the Secret. */
export function accessOf(provider: ProviderSwitch, values: SecretValues | undefined): AccessReading {
  const at = { namespace: namespaceOf(provider), name: nameOf(provider) };
  switch (provider.kind) {
    case 'AnsibleSwitch': {
      const { username, password, 'ssh-privatekey': privateKey } = values ?? {};
      if (username === undefined || username === '') return incomplete(provider, 'username');
      if (password === undefined && privateKey === undefined) return incomplete(provider, 'password or ssh-privatekey');
      const credentials = { username, password, privateKey };
      return { kind: 'access', access: { kind: provider.kind, ...at, spec: provider.spec, credentials } };
    }
    case 'OVSSwitch': {
      const { 'ca.crt': authority, 'tls.crt': certificate, 'tls.key': privateKey } = values ?? {};
      const credentials = values === undefined ? undefined : { authority, certificate, privateKey };
      return { kind: 'access', access: { kind: provider.kind, ...at, spec: provider.spec, credentials } };
    }
    case 'FixtureSwitch':
      return { kind: 'access', access: { kind: provider.kind, ...at, spec: provider.spec ?? {} } };
  }
}

function incomplete(provider: ProviderSwitch, key: string): AccessReading {
  const name = `${namespaceOf(provider)}/${secretNameOf(provider)}`;
  return { kind: 'incomplete', message: `the Secret ${name} has no ${key}` };
}
