import { join } from 'node:path';
import type { ServerCore } from '../core.ts';
import type { NonResourceRoutes } from '../http/non-resource.ts';
import type { UserInfo } from '../resource.ts';
import type { ObjectStore } from '../store/store.ts';
import type { SubresourceHandler, VirtualResource } from '../virtual-resource.ts';
import { CredentialAuthenticator } from './authenticator.ts';
import { ClientCertificates } from './client-certificate.ts';
import { withOpenId } from './openid.ts';
import { startRoleAggregation } from './rbac/aggregation.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { RbacIndex } from './rbac/rbac-index.ts';
import { accessReviews } from './reviews/access-reviews.ts';
import { identityReviews } from './reviews/identity-reviews.ts';
import { ServiceAccountController } from './service-account-controller.ts';
import { loadTokenKeys, type TokenKeys } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { openTokensFile, type StaticTokens } from './static-tokens.ts';
import { tokenRequests } from './token-request.ts';

/** What decides who comes in and what they may do. */
export interface AccessOptions {
  readonly dataDir: string;
  readonly store: ObjectStore;
  readonly adminToken: string;
  readonly caPem: string;
  /** Who issues service account tokens; also their audience. */
  readonly issuer?: string;
  now(): Date;
  onFault(error: unknown): void;
}

/** Authentication, authorization and the calls about them, on one data directory. */
export class Access {
  readonly authenticator: CredentialAuthenticator;
  readonly authorizer: RbacAuthorizer;
  readonly virtual: readonly VirtualResource[];
  readonly #options: AccessOptions;
  readonly #keys: TokenKeys;
  readonly #tokens: ServiceAccountTokens;
  readonly #issuer: string;
  readonly #open: { close(): void }[] = [];

  constructor(options: AccessOptions) {
    const { dataDir, store, now, onFault } = options;
    this.#options = options;
    this.#issuer = options.issuer ?? 'https://kubernetes.default.svc';
    this.#keys = loadTokenKeys(join(dataDir, 'pki'));
    this.#tokens = new ServiceAccountTokens({ keys: this.#keys, issuer: this.#issuer, store, now });
    const file = openTokensFile({ path: join(dataDir, 'tokens.csv'), now, onFault });
    this.authenticator = new CredentialAuthenticator({
      certificates: new ClientCertificates(now),
      staticTokens: [adminOnly(options.adminToken), file],
      serviceAccounts: this.#tokens,
    });
    const index = new RbacIndex();
    this.#open.push(index.follow(store));
    this.authorizer = new RbacAuthorizer(index);
    this.virtual = [...accessReviews(this.authorizer), ...identityReviews(this.authenticator)];
  }

  /** Subresources that hand out credentials. */
  subresources(core: ServerCore): SubresourceHandler[] {
    return [tokenRequests(core, this.#tokens)];
  }

  /** Adds the documents with which others check our tokens. */
  withRoutes(routes: NonResourceRoutes, url: () => string): NonResourceRoutes {
    return withOpenId(routes, { keys: this.#keys, issuer: this.#issuer, url });
  }

  /** Starts the controllers that keep aggregated roles, default accounts and token Secrets as they should be. */
  startControllers(core: ServerCore): void {
    const { caPem, onFault } = this.#options;
    this.#open.push(startRoleAggregation(core, onFault));
    this.#open.push(new ServiceAccountController({ core, tokens: this.#tokens, caPem, onFault }).start());
  }

  close(): void {
    for (const each of this.#open) each.close();
  }
}

function adminOnly(token: string): StaticTokens {
  const admin: UserInfo = { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return { find: (given) => (given === token ? admin : undefined) };
}
