import type { JsonSchema } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { nameAndAge, textColumn } from './table.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string };
}

const nameLabel = 'kubernetes.io/metadata.name';
const ownFinalizer = 'kubernetes';

/** An empty list is not written down. */
function withFinalizers(spec: Namespace['spec'] | undefined, finalizers: string[]): NonNullable<Namespace['spec']> {
  const { finalizers: _, ...rest } = spec ?? {};
  return finalizers.length === 0 ? rest : { ...rest, finalizers };
}

const strategy: Strategy = {
  applyDefaults(object) {
    if (object.metadata.name === undefined) return;
    object.metadata.labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name };
  },
  prepareForCreate(object: Namespace) {
    const finalizers = object.spec?.finalizers ?? [];
    object.spec = { finalizers: finalizers.includes(ownFinalizer) ? finalizers : [...finalizers, ownFinalizer] };
    object.status = { phase: 'Active' };
  },
  prepareForUpdate(object: Namespace, old: Namespace) {
    if (old.spec !== undefined) object.spec = withFinalizers(object.spec, old.spec.finalizers ?? []);
    if (old.status !== undefined) object.status = old.status;
  },
  prepareForDelete(object: Namespace) {
    const isHeld = (object.spec?.finalizers ?? []).length > 0;
    if (isHeld) object.status = { ...object.status, phase: 'Terminating' };
    // Held by nothing but metadata any more, it is deleted as everything else is.
    const isEmptied = !isHeld && object.metadata.deletionTimestamp !== undefined;
    if (isEmptied) object.metadata.deletionGracePeriodSeconds = 0;
    return { isHeld, graceSeconds: undefined };
  },
  isHeldWhenDeleted: (object: Namespace) => (object.spec?.finalizers ?? []).length > 0,
  selectableFields: {
    'status.phase': (object: Namespace) => object.status?.phase ?? '',
    name: (object) => object.metadata.name ?? '',
  },
};

/** Namespaces: they hold what is in them, and go when it is gone. */
export function namespaces(schema: JsonSchema): BuiltinResource {
  return {
    group: '',
    version: 'v1',
    resource: 'namespaces',
    singular: 'namespace',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    hasStatus: true,
    nameRule: 'dns-label',
    extraSubresources: [{ name: 'finalize', group: '', version: '', kind: 'Namespace', verbs: ['update'] }],
    schema,
    strategy,
    table: nameAndAge([textColumn('Status', 'Active, or Terminating while its content is being deleted.')], (o) => [
      (o as Namespace).status?.phase ?? '',
    ]),
  };
}
