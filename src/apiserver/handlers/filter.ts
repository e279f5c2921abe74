import { compileLabelSelector, type FieldTerm, parseFieldSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { badRequest } from '../status.ts';
import type { Stored } from '../store/store.ts';

/** Keeps what a list or watch asked for; undefined keeps everything. */
export type StoredFilter = SelectingFilter | undefined;

/**
 * Judges stored objects as the client would see them. One that has to be converted by a webhook first is not kept for
 * now; `settle` then waits for the webhook, after which the same question has its answer.
 */
export interface SelectingFilter {
  (item: Stored): boolean;
  /** Undefined when every answer so far was final. */
  settle(): Promise<void> | undefined;
}

/** Throws 400 for selectors that cannot be read, whatever they are about. */
export function checkSelectors(query: URLSearchParams): void {
  compileLabelSelector(query.get('labelSelector'));
  parseFieldSelector(query.get('fieldSelector'));
}

/** Compiles labelSelector and fieldSelector of a query into one filter. */
export function compileFilter(served: ServedResource, query: URLSearchParams): StoredFilter {
  const labels = compileLabelSelector(query.get('labelSelector'));
  const views = new Views(served);
  const fields = parseFieldSelector(query.get('fieldSelector')).map((term) => compileTerm(served, views, term));
  if (labels === undefined && fields.length === 0) return undefined;
  const keeps = (item: Stored): boolean =>
    (labels === undefined || labels(item.labels)) && fields.every((fits) => fits(item));
  return Object.assign(keeps, { settle: () => views.settle() });
}

/** Stored objects as the client sees them. */
class Views {
  readonly #served: ServedResource;
  /** What a webhook converted, by revision. */
  readonly #converted = new Map<number, string>();
  readonly #waiting = new Map<number, Promise<string>>();
  /** Several terms ask of the same object one after the other. */
  #last: { readonly item: Stored; readonly object: KubeObject } | undefined;

  constructor(served: ServedResource) {
    this.#served = served;
  }

  /** Undefined while a webhook has to be waited for. Built-in kinds choose by what is stored. */
  of(item: Stored): KubeObject | undefined {
    if (this.#last?.item === item) return this.#last.object;
    const known = this.#converted.get(item.revision) ?? (this.#served.origin === 'builtin' ? item.json : undefined);
    if (known !== undefined) return this.#parsed(item, known);
    if (this.#waiting.has(item.revision)) return undefined;
    const text = this.#served.render(item);
    if (typeof text === 'string') return this.#parsed(item, text);
    text.catch(() => undefined); // whoever settles hears of it
    this.#waiting.set(item.revision, text);
    return undefined;
  }

  #parsed(item: Stored, text: string): KubeObject {
    const object = JSON.parse(text) as KubeObject;
    this.#last = { item, object };
    return object;
  }

  settle(): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    // Kept for the next question only, which is the same one again; lasting memory is the served resource's business.
    this.#converted.clear();
    const asked = [...this.#waiting];
    this.#waiting.clear();
    return Promise.all(asked.map(async ([revision, text]) => this.#converted.set(revision, await text))).then(
      () => undefined,
    );
  }
}

/** Kinds with selectable fields of their own say it in one way, all others in another. */
function unknownField(served: ServedResource, field: string): Error {
  const hasOwn = served.origin === 'custom' || Object.keys(served.selectableFields).length > 0;
  if (hasOwn) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

function compileTerm(served: ServedResource, views: Views, term: FieldTerm): (item: Stored) => boolean {
  const { field, value, negate } = term;
  if (field === 'metadata.name') return (item) => (item.name === value) !== negate;
  if (field === 'metadata.namespace' && served.namespaced) return (item) => (item.namespace === value) !== negate;
  if (field === 'metadata.namespace' && !served.namespaced) return () => (value === '') !== negate;
  const read = Object.hasOwn(served.selectableFields, field) ? served.selectableFields[field] : undefined;
  if (read === undefined) throw unknownField(served, field);
  return (item) => {
    const object = views.of(item);
    return object !== undefined && (read(object) === value) !== negate;
  };
}
