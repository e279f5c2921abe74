import type { Handler, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { isOwn } from './paths.ts';

/** Routes under a system, manager or chassis: a request that names another than the machine's own gets 404. */
export function ownRoutes(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const { get, patch, post, delete: remove, ...rest } = route;
    return {
      ...rest,
      ...(get && { get: own(get) }),
      ...(patch && { patch: own(patch) }),
      ...(post && { post: own(post) }),
      ...(remove && { delete: own(remove) }),
    };
  });
}

function own(handler: Handler): Handler {
  return (request) => (isOwn(request) ? handler(request) : refuseMissing(request.path));
}
