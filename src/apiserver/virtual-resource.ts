import type { JsonObject } from '../schema/index.ts';
import type { RequestContext } from './request-context.ts';

/** A resource that is asked, not stored: access and token reviews. */
export interface VirtualResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Answers a POST; the result is sent with 201. */
  create(context: RequestContext, object: JsonObject): Promise<JsonObject> | JsonObject;
}

/** A subresource with behaviour of its own: pods/eviction, serviceaccounts/token, namespaces/finalize. */
export interface SubresourceHandler {
  /** Bucket of the parent, e.g. `/pods`. */
  readonly bucket: string;
  readonly subresource: string;
  /** Handles the body of a POST or PUT; answers code and JSON. */
  handle(context: RequestContext, body: JsonObject): Promise<{ code: number; object: JsonObject }>;
}
