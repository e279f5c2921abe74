import type { TestContext } from 'node:test';
import { createFixedAuthorizer } from '../access/fixed-authorizer.ts';
import { createRest, type Rest, type RestOptions } from '../rest.ts';
import type { Route } from '../route.ts';

/** For tests: who may do what. */
export const testTokens = {
  reader: { name: 'reader', scopes: ['read'] },
  writer: { name: 'writer', scopes: ['read', 'write'] },
  opener: { name: 'opener', scopes: ['read:server:credentials'] },
  nobody: { name: 'nobody', scopes: [] },
};

/** For tests: a REST server with these routes on a free port, closed when the test ends. */
export async function startedRest(
  t: Pick<TestContext, 'after'>,
  routes: readonly Route[],
  options: Partial<RestOptions> = {},
): Promise<{ readonly rest: Rest; readonly url: string; readonly port: number }> {
  const rest = createRest({
    info: { title: 'test', description: 'A service of a test.', version: '1' },
    authorizer: createFixedAuthorizer(testTokens),
    ...options,
  });
  rest.add(...routes);
  const where = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => rest.close());
  return { rest, ...where };
}
