import type { BareMetalHost, Metal3Machine } from '../../api/index.ts';
import { type KubeObject, kubeError } from '../../kube/index.ts';
import { aHost, aMetal3Machine } from './objects.ts';

/** For tests: a host as it is stored. */
export type StoredHost = BareMetalHost & KubeObject;

/** For tests: a Metal3Machine as it is stored. */
export type StoredMachine = Metal3Machine & KubeObject;

type Fields = Record<string, unknown>;

/** For tests: an API server as far as versions go: every version of every object, and writes that insist on the newest. */
export class Store {
  readonly objects = new Map<string, (StoredHost | StoredMachine)[]>();

  constructor({ hosts, machines }: { readonly hosts: number; readonly machines: number }) {
    for (let index = 0; index < hosts; index++) this.objects.set(`h${index}`, [aHost(`h${index}`)]);
    for (let index = 0; index < machines; index++) this.objects.set(`m${index}`, [aMetal3Machine(`m${index}`)]);
  }

  versionsOf(name: string): (StoredHost | StoredMachine)[] {
    return this.objects.get(name) ?? [];
  }

  newest(name: string): StoredHost | StoredMachine | undefined {
    return this.versionsOf(name).at(-1);
  }

  patch(name: string, patch: object): void {
    const before = this.newest(name);
    const { metadata = {}, spec = {} } = patch as { metadata?: Fields; spec?: Fields };
    if (before === undefined) throw kubeError('NotFound', name);
    const { resourceVersion } = metadata;
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw kubeError('Conflict', `${name} has changed`);
    }
    const annotations = merged((before.metadata.annotations ?? {}) as Fields, (metadata.annotations ?? {}) as Fields);
    const version = String(this.versionsOf(name).length + 1);
    const after = { ...before.metadata, ...metadata, annotations, resourceVersion: version };
    const written = { ...before, metadata: after, spec: merged((before.spec ?? {}) as Fields, spec) };
    this.versionsOf(name).push(written as unknown as StoredHost | StoredMachine);
  }
}

function merged(before: Fields, patch: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
}
