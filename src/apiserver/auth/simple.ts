import type { Authenticator, Authorizer } from './auth.ts';

/** One administrator by token; everybody else may do nothing. */
export function createSimpleAuth(adminToken: string): { authenticator: Authenticator; authorizer: Authorizer } {
  return {
    authenticator: {
      authenticate: (request) =>
        request.headers.authorization === `Bearer ${adminToken}`
          ? { username: 'admin', groups: ['system:masters', 'system:authenticated'] }
          : undefined,
    },
    authorizer: { authorize: ({ user }) => ({ isAllowed: user.groups.includes('system:masters'), reason: '' }) },
  };
}
