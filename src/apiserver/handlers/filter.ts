import { compileLabelSelector, type FieldTerm, parseFieldSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { badRequest } from '../status.ts';
import type { Stored } from '../store/store.ts';

/** Keeps what a list or watch asked for; undefined keeps everything. */
export type StoredFilter = ((item: Stored) => boolean) | undefined;

/** Compiles labelSelector and fieldSelector of a query into one filter. */
export function compileFilter(served: ServedResource, query: URLSearchParams): StoredFilter {
  const labels = compileLabelSelector(query.get('labelSelector'));
  const fields = parseFieldSelector(query.get('fieldSelector')).map((term) => compileTerm(served, term));
  if (labels === undefined && fields.length === 0) return undefined;
  return (item) => (labels === undefined || labels(item.labels)) && fields.every((fits) => fits(item));
}

/** Kinds with selectable fields of their own say it in one way, all others in another. */
function unknownField(served: ServedResource, field: string): Error {
  const hasOwn = served.origin === 'custom' || Object.keys(served.selectableFields).length > 0;
  if (hasOwn) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

function compileTerm(served: ServedResource, term: FieldTerm): (item: Stored) => boolean {
  const { field, value, negate } = term;
  if (field === 'metadata.name') return (item) => (item.name === value) !== negate;
  if (field === 'metadata.namespace' && served.namespaced) return (item) => (item.namespace === value) !== negate;
  if (field === 'metadata.namespace' && !served.namespaced) return () => (value === '') !== negate;
  const read = Object.hasOwn(served.selectableFields, field) ? served.selectableFields[field] : undefined;
  if (read === undefined) throw unknownField(served, field);
  return (item) => (read(JSON.parse(item.json) as KubeObject) === value) !== negate;
}
