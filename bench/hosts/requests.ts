import type { RequestCount } from '../fleet/request-counts.ts';
import { operatorResources } from './scene.ts';

/** API servers name these by their method or by what they do. */
const verbs: Readonly<Record<string, string>> = { POST: 'CREATE', PUT: 'UPDATE' };

/** Without the hosts and Secrets that the bench makes, and without what an API server asks of itself. */
export function operatorRequests(requests: readonly RequestCount[]): readonly RequestCount[] {
  return requests
    .map((each) => ({ ...each, verb: verbs[each.verb] ?? each.verb }))
    .filter(({ verb, resource }) => {
      const isOfBench = verb === 'CREATE' && (resource === 'baremetalhosts' || resource === 'secrets');
      return !isOfBench && operatorResources.has(resource.split('/')[0] ?? '');
    });
}

/** For each host, by verb, resource and code, most first. */
export function requestsAHost(requests: readonly RequestCount[], hosts: number): Record<string, number> {
  return Object.fromEntries(
    requests.map(({ verb, resource, code, count }) => [`${verb} ${resource} ${code}`, count / hosts]),
  );
}
