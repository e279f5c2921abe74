/** Requests of one kind that an API server has answered. */
export interface RequestCount {
  readonly verb: string;
  /** With the part of it, such as `serverfirmwares/status`. */
  readonly resource: string;
  readonly code: string;
  readonly count: number;
}

/** Reads what an API server tells of its requests under /metrics; watches are no requests here, since they last. */
export function readRequestCounts(metrics: string): readonly RequestCount[] {
  const lines = metrics.matchAll(/^apiserver_request_total\{(.*)\} (\S+)/gm);
  const counts = [...lines].flatMap(([, labels = '', count]): RequestCount[] => {
    const of = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const { verb = '', resource = '', subresource = '', code = '' } = of;
    if (resource === '' || verb === 'WATCH') return [];
    return [
      { verb, resource: subresource === '' ? resource : `${resource}/${subresource}`, code, count: Number(count) },
    ];
  });
  return [...Map.groupBy(counts, keyOf).values()].flatMap(merged);
}

function keyOf({ verb, resource, code }: Omit<RequestCount, 'count'>): string {
  return `${verb} ${resource} ${code}`;
}

/** A kube-apiserver tells requests for one object, for a namespace and for all apart. */
function merged(same: readonly RequestCount[]): RequestCount[] {
  return same.slice(0, 1).map((first) => ({ ...first, count: same.reduce((sum, { count }) => sum + count, 0) }));
}

/** What was answered between two readings, most first. */
export function requestsBetween(
  before: readonly RequestCount[],
  after: readonly RequestCount[],
): readonly RequestCount[] {
  const known = new Map(before.map((each) => [keyOf(each), each.count]));
  return after
    .map((each) => ({ ...each, count: each.count - (known.get(keyOf(each)) ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((left, right) => right.count - left.count);
}
