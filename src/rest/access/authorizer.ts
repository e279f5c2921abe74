import type { ProtectedResource } from './resources.ts';

/** What is done to a resource, in the words of Kubernetes. */
export type AccessVerb = 'get' | 'list' | 'create' | 'update' | 'delete';

/** What a request needs to be allowed. */
export interface AccessNeed {
  readonly verb: AccessVerb;
  readonly resource: ProtectedResource;
}

/** Who may use a route: everybody, or whoever may do this. */
export type Access = 'public' | AccessNeed;

/** Somebody whose token was good. */
export interface AuthenticatedUser {
  readonly name: string;
  readonly groups: readonly string[];
  /** What a token with scopes allows; empty where another authority is asked. */
  readonly scopes: readonly string[];
  /** Kubernetes' unique id and extra fields of the user, handed on to the review of access. */
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The answer to a token. */
export type Authentication =
  | { readonly outcome: 'known'; readonly user: AuthenticatedUser }
  /** `reason` may be shown to whoever sent the token. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/** The answer to a need. `reason` says what is missing. */
export type AccessVerdict = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** Says who somebody is and what they may do. Throws RestError `unavailable` when it cannot tell: never a yes. */
export interface Authorizer {
  authenticate(token: string): Promise<Authentication>;
  allow(user: AuthenticatedUser, need: AccessNeed): Promise<AccessVerdict>;
}
