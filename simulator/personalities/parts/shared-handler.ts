import { sharedRoutes } from '../../redfish/resources/index.ts';
import type { Handler } from '../../redfish/route.ts';

/** What every vendor answers to a method of a pattern: for a vendor that does so too, but not always. */
export function sharedHandler(pattern: string, method: 'get' | 'post'): Handler {
  const found = sharedRoutes.find((route) => route.pattern === pattern && route[method] !== undefined)?.[method];
  if (found === undefined) throw new Error(`No shared route takes ${method.toUpperCase()} ${pattern}: it was renamed`);
  return found;
}
