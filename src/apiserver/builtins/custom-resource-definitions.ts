import type { JsonSchema } from '../../schema/index.ts';
import { kubeTime } from '../core.ts';
import { type Crd, cleanupFinalizer, withCondition } from '../crd/crd-object.ts';
import { defaultCrd, validateCrd, validateCrdUpdate } from '../crd/validate-crd.ts';
import { compileCrdShape } from '../crd/validate-shape.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { nameColumn } from './table.ts';

const asCrd = (object: KubeObject): Crd => object as unknown as Crd;

function settleStoredVersions(crd: Crd): void {
  const storage = crd.spec.versions?.find((version) => version.storage)?.name;
  const stored = crd.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return;
  crd.status = { ...crd.status, storedVersions: [...stored, storage] };
}

const strategy: Strategy = {
  hasGeneration: true,
  applyDefaults: defaultCrd,
  prepareForCreate(object) {
    const crd = asCrd(object);
    const storage = crd.spec.versions?.find((version) => version.storage)?.name;
    crd.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storage === undefined ? null : [storage],
    };
  },
  prepareForUpdate(object) {
    settleStoredVersions(asCrd(object));
  },
  validate: validateCrd,
  validateUpdate: validateCrdUpdate,
  prepareForDelete(object, { now }) {
    const crd = asCrd(object);
    if (crd.metadata.deletionTimestamp !== undefined) return { isHeld: false, graceSeconds: undefined };
    const finalizers = crd.metadata.finalizers ?? [];
    crd.metadata.finalizers = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
    const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
    const condition = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message } as const;
    crd.status = { ...crd.status, conditions: withCondition(crd, condition, kubeTime(now)) };
    return { isHeld: true, graceSeconds: undefined };
  },
};

/** CustomResourceDefinitions: kinds that users bring. */
export function customResourceDefinitions(schema: JsonSchema): BuiltinResource {
  return {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    hasStatus: true,
    allowsUnconditionalUpdate: false,
    schema,
    compiled: compileCrdShape(schema),
    strategy,
    table: {
      columns: [nameColumn, { name: 'Created At', type: 'date', description: 'When it was created.' }],
      row: (object) => [object.metadata.name, object.metadata.creationTimestamp],
      isPlain: true,
    },
  };
}
