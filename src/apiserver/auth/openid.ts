import type { NonResourceRoutes } from '../http/non-resource.ts';
import { algorithmOf, keySetOf, type TokenKeys } from './service-account-keys.ts';

/** What the discovery documents say. */
export interface OpenIdParts {
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** Where clients reach this server. */
  url(): string;
}

const keysPath = '/openid/v1/jwks';
const headers = { 'Cache-Control': 'public, max-age=3600' };

/** Serves the two documents with which others check service account tokens, and passes every other path on. */
export function withOpenId(routes: NonResourceRoutes, parts: OpenIdParts): NonResourceRoutes {
  return {
    async serve(asked) {
      const { info, response } = asked;
      const isRead = info.method === 'GET' || info.method === 'HEAD';
      const path = info.path.replace(/\/$/, '');
      const isConfiguration = path === '/.well-known/openid-configuration';
      if (!isRead || (!isConfiguration && path !== keysPath)) return routes.serve(asked);
      const body = isConfiguration ? configurationOf(parts) : keySetOf(parts.keys);
      const contentType = isConfiguration ? 'application/json' : 'application/jwk-set+json';
      response.writeHead(200, { ...headers, 'Content-Type': contentType }).end(JSON.stringify(body));
      return 200;
    },
  };
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
