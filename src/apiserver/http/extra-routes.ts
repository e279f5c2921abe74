import { ApiError, badRequest, methodNotAllowed } from '../status.ts';
import { readBody } from './body.ts';
import type { NonResourceRequest, NonResourceRoutes } from './non-resource.ts';
import { acceptsGzip, respondJson } from './respond.ts';

/** What somebody whom RBAC allows the path asks for. */
export interface ExtraRequest {
  readonly query: URLSearchParams;
  /** The JSON that was posted; undefined for a GET. */
  readonly body: unknown;
  /** The credentials it came with, to ask this server on its behalf; undefined when it came with a certificate. */
  readonly authorization: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** An answer: something to show, or why there is nothing. */
export type ExtraAnswer =
  | { readonly code: 200; readonly body: object }
  | { readonly code: number; readonly message: string; readonly reason?: string };

/** A path beside those of Kubernetes; RBAC judges it as it judges /metrics, by `nonResourceURLs`. */
export interface ExtraRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  answer(request: ExtraRequest): Promise<ExtraAnswer>;
}

const media = { format: 'json' as const, contentType: 'application/json', pretty: false };

/** Serves these paths, and passes every other one on. */
export function withExtraRoutes(routes: NonResourceRoutes, extra: readonly ExtraRoute[]): NonResourceRoutes {
  return {
    async serve(asked) {
      const { info, request, response } = asked;
      const route = extra.find(({ path }) => path === info.path);
      if (route === undefined) return routes.serve(asked);
      if (info.method !== route.method) throw methodNotAllowed();
      const body = route.method === 'POST' ? parseBody(await readBody(request)) : undefined;
      // It may ask this server itself: a seat kept meanwhile could be the one that its own requests wait for.
      asked.giveWay?.();
      const answer = await route.answer({ ...requestOf(asked), body });
      if ('message' in answer) throw new ApiError({ code: answer.code, reason: answer.reason ?? '', ...told(answer) });
      const frame = { code: answer.code, media, warnings: new Set<string>(), acceptsGzip: acceptsGzip(request) };
      respondJson(response, JSON.stringify(answer.body), frame);
      return answer.code;
    },
  };
}

function told({ message }: { readonly message: string }): { message: string; details: object } {
  return { message, details: {} };
}

function requestOf({ info, request, response }: NonResourceRequest): Omit<ExtraRequest, 'body'> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return { query: info.query, authorization: request.headers.authorization, signal: gone.signal };
}

function parseBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw badRequest(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
