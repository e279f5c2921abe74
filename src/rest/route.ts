import type { Static, TObject, TSchema } from 'typebox';
import type { Access, AccessNeed, AuthenticatedUser } from './access/authorizer.ts';
import type { Answer } from './answer.ts';

/** The methods that routes have. HEAD goes with GET. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request, read and checked. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Path and query as they came. */
  readonly url: string;
  /** Who asks; on public routes without an `admit` of their own nobody is asked for. */
  readonly user: AuthenticatedUser | undefined;
  readonly requestId: string;
  /** Aborts when whoever asked is gone before the answer. */
  readonly signal: AbortSignal;
  /** Rights that depend on what is in the body: throws 403 unless the user has this one too. */
  require(need: AccessNeed): Promise<void>;
}

/** Who asks, as far as that is known before the body is read. */
export interface Asker {
  /** The address at the other end of the connection. */
  readonly peer: string;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** A body that was not taken: it is too large, say, or not JSON. */
export interface RefusedBody {
  /** The address at the other end of the connection. */
  readonly peer: string;
  /** Who was let in to send it. */
  readonly user: AuthenticatedUser | undefined;
  readonly status: number;
  /** As it was answered. */
  readonly message: string;
}

/** A route as it is declared: once, for the check, for the code and for the OpenAPI document. */
export interface RouteDeclaration<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly method: RouteMethod;
  /** `/api/v1/servers/:uuid`. */
  readonly path: string;
  /** Unique among all routes, for generated clients. */
  readonly operation: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: Access;
  /**
   * Of public routes that know their callers by themselves: says who asks, or throws why nobody may, before the body is
   * read.
   */
  readonly admit?: (asker: Asker) => Promise<AuthenticatedUser>;
  /** The largest body that is taken, in bytes, where that is less than elsewhere. */
  readonly maxBodyBytes?: number;
  /** Is told of bodies that were refused before `handle` could see them. */
  readonly onRefusedBody?: (refused: RefusedBody) => void;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Of what it answers where it does what it is asked; `application/json` unless given. */
  readonly mediaType?: string;
  /** By status; refusals that any route gives are added. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Refusals of this route besides those of any: 404 and 409, say, with when. */
  readonly refusals?: Readonly<Record<number, string>>;
  handle(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<Answer> | Answer;
}

/** A route, its types forgotten. */
export type Route = Omit<RouteDeclaration<TObject, TObject, TSchema>, 'handle'> & {
  handle(call: Call<unknown, unknown, unknown>): Promise<Answer> | Answer;
};

/** Declares a route; the handler gets what the schemas say. */
export function defineRoute<
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(route: RouteDeclaration<P, Q, B>): Route {
  return route as unknown as Route;
}

/** The names in a path: `uuid` of `/servers/:uuid`. */
export function namesInPath(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));
}
