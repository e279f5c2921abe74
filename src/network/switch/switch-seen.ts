import type { Switch, SwitchPort } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { Verification } from '../devices/switch-book.ts';
import { namespaceOf, objectKey, referenceKey } from '../fabric/references.ts';
import type { NetworkTables, ProviderSwitch } from '../fabric/tables.ts';
import type { NetworkSettings } from '../settings.ts';

/** What the switch controller looks at. */
export interface SwitchSeen {
  readonly object: Switch;
  readonly provider: (ProviderSwitch & KubeObject) | undefined;
  /** SwitchPorts that it owns. */
  readonly ports: readonly SwitchPort[];
  /** SwitchPorts of names that it lists and that it does not own. */
  readonly strangers: readonly SwitchPort[];
  readonly verification: Verification | undefined;
  readonly isVerifying: boolean;
  readonly settings: NetworkSettings;
}

/** What a look at a switch needs besides the objects. */
export interface SwitchReader {
  readonly tables: NetworkTables;
  readonly settings: NetworkSettings;
  readonly verificationOf: (key: string) => Verification | undefined;
  readonly isVerifying: (key: string) => boolean;
}

/** Puts together what the switch controller looks at; undefined when the switch is gone. */
export function readSwitchSeen(reader: SwitchReader, key: string): SwitchSeen | undefined {
  const { tables, settings } = reader;
  const object = tables.switches.get(key);
  if (object === undefined) return undefined;
  const { provider } = object.spec;
  const owned = tables.ports.byIndex('owner', key).filter((port) => isOwnedBy(port, object));
  const strangers = Object.keys(object.spec.ports ?? {}).flatMap((name) => {
    const port = tables.ports.get(`${namespaceOf(object)}/${name}`);
    return port === undefined || isOwnedBy(port, object) ? [] : port;
  });
  return {
    object,
    provider: tables.providers[provider.kind].get(referenceKey(provider, namespaceOf(object))),
    ports: owned.toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1)),
    strangers,
    verification: reader.verificationOf(key),
    isVerifying: reader.isVerifying(key),
    settings,
  };
}

/** True when the Switch owns the object. */
export function isOwnedBy(object: KubeObject, { metadata }: Switch): boolean {
  return (object.metadata?.ownerReferences ?? []).some(({ kind, uid }) => kind === 'Switch' && uid === metadata.uid);
}

/** The Switch that owns an object, if any does. */
export function owningSwitch({ metadata }: KubeObject): string | undefined {
  return (metadata?.ownerReferences ?? []).find(({ kind }) => kind === 'Switch')?.name;
}
