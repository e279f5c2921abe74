import type { AuthenticatedUser, Authorizer } from './authorizer.ts';

/** An authorizer that tells who asks as soon as that is known, so that those who may not are known too. */
export function noteUser(authorizer: Authorizer, note: (user: AuthenticatedUser) => void): Authorizer {
  return {
    async authenticate(token) {
      const answer = await authorizer.authenticate(token);
      if (answer.outcome === 'known') note(answer.user);
      return answer;
    },
    allow: (user, need) => authorizer.allow(user, need),
  };
}
