import type { NonResourceRoutes } from '../http/non-resource.ts';
import { ApiError, methodNotAllowed } from '../status.ts';
import { algorithmOf, keySetOf, type TokenKeys } from './service-account-keys.ts';

/** What the discovery documents say. */
export interface OpenIdParts {
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** Where clients reach this server. */
  url(): string;
}

const configurationPath = '/.well-known/openid-configuration';
const keysPath = '/openid/v1/jwks';
const headers = { 'Cache-Control': 'public, max-age=3600' };

/** Serves the two documents with which others check service account tokens, and passes every other path on. */
export function withOpenId(routes: NonResourceRoutes, parts: OpenIdParts): NonResourceRoutes {
  const documents: Readonly<Record<string, { contentType: string; body: () => object }>> = {
    [configurationPath]: { contentType: 'application/json', body: () => configurationOf(parts) },
    [keysPath]: { contentType: 'application/jwk-set+json', body: () => keySetOf(parts.keys) },
  };
  return {
    async serve(asked) {
      const { info, request, response } = asked;
      const document = documents[info.path.replace(/\/$/, '')];
      if (document === undefined) return routes.serve(asked);
      if (info.method !== 'GET' && info.method !== 'HEAD') throw methodNotAllowed();
      const { contentType, body } = document;
      if (!accepts(request.headers.accept, contentType)) throw cannotAccept(contentType);
      response.writeHead(200, { ...headers, 'Content-Type': contentType }).end(JSON.stringify(body()));
      return 200;
    },
  };
}

/** Only the exact type or anything at all, as the real server's router has it. */
function accepts(header: string | undefined, contentType: string): boolean {
  if (header === undefined || header === '') return true;
  const types = header.split(',').map((part) => part.split(';', 1)[0]?.trim());
  return types.includes('*/*') || types.includes(contentType);
}

function cannotAccept(contentType: string): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${contentType}`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

function configurationOf({ keys, issuer, url }: OpenIdParts): object {
  const algorithms = new Set([...keys.trusted.values()].map(({ publicKey }) => algorithmOf(publicKey)));
  return {
    issuer,
    jwks_uri: `${url()}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...algorithms],
  };
}
