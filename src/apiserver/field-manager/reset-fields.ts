import { type FieldSet, SetBuilder } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Paths each endpoint resets before it stores an object, by subresource; the main endpoint is the empty one. */
export type ResetFields = Readonly<Record<string, readonly (readonly string[])[]>>;

const standard: ResetFields = { '': [['status']], status: [['spec']] };

/** Kinds whose endpoints reset something else. */
const exceptions: Readonly<Record<string, ResetFields>> = {
  'v1/Namespace': { ...standard, finalize: [['status']] },
  'v1/Pod': { ...standard, status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': { ...standard, status: [['metadata'], ['spec']] },
};

/** What an endpoint that resets these fields never owns. */
export function excludedFields(
  kind: { apiVersion: string; kind: string; hasStatusSubresource: boolean },
  given: ResetFields | undefined,
): ReadonlyMap<string, FieldSet> {
  const usual = exceptions[`${kind.apiVersion}/${kind.kind}`] ?? standard;
  const resetFields = given ?? (kind.hasStatusSubresource ? usual : {});
  return new Map(
    Object.entries(resetFields).map(([subresource, paths]) => {
      const set = new SetBuilder();
      for (const path of paths) set.insert(path.map(fieldElement));
      return [subresource, set.set];
    }),
  );
}
