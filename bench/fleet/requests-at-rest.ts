import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/index.ts';
import { type RequestCount, readRequestCounts, requestsBetween } from './request-counts.ts';

const mostRests = 30;

/** What an API server has counted so far. */
export async function countRequests(client: KubeClient): Promise<readonly RequestCount[]> {
  return readRequestCounts(await client.requestText({ method: 'GET', path: '/metrics', accept: 'text/plain' }));
}

/** Waits until none of those that matter comes for so long, and answers with the last counts. */
export async function untilAtRest(
  client: KubeClient,
  rest: { readonly ms: number; pick(requests: readonly RequestCount[]): readonly RequestCount[] },
): Promise<readonly RequestCount[]> {
  let last = await countRequests(client);
  for (let rests = 0; rests < mostRests; rests += 1) {
    await delay(rest.ms);
    const now = await countRequests(client);
    if (rest.pick(requestsBetween(last, now)).length === 0) return now;
    last = now;
  }
  return last;
}
