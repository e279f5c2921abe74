import data from './host-states.gen.json' with { type: 'json' };

/** Where a state is drawn: column and line. */
export interface Place {
  readonly state: string;
  readonly column: number;
  readonly line: number;
}

/** A way between two states. */
export interface Way {
  readonly from: string;
  readonly to: string;
  readonly when: string;
  readonly isAbort: boolean;
}

/** Columns and lines of the states we know. Those of a newer table go below: the table decides what there is. */
const known: Readonly<Record<string, readonly [number, number]>> = {
  none: [0, 0],
  unmanaged: [1, 0],
  importing: [2, 0],
  'externally provisioned': [3, 0],
  registering: [0, 1],
  inspecting: [1, 1],
  preparing: [2, 1],
  available: [3, 1],
  provisioning: [4, 1],
  provisioned: [5, 1],
  deprovisioning: [4, 2],
  'powering off before delete': [2, 2],
  deleting: [1, 2],
};

/** The name in the table of what a status says. */
export function tableState(state: string): string {
  if (state === '' || state === 'new') return 'none';
  if (state === 'ready') return 'available';
  return state === 'match profile' ? 'preparing' : state;
}

/** All states and where they are drawn. What is gone is never seen. */
export function placesOf(): readonly Place[] {
  let extra = 0;
  return data.states
    .filter((state) => !data.final.includes(state))
    .map((state) => {
      const [column, line] = known[state] ?? [extra++, 3];
      return { state, column, line };
    });
}

/** All ways between states that are drawn, each pair once; a way that goes on comes before one that gives up. */
export function waysOf(): readonly Way[] {
  const found = new Map<string, Way>();
  const drawn = new Set(placesOf().map(({ state }) => state));
  const ways = data.ways.flatMap(({ from, to, when, isAbort }) =>
    (from[0] === '*' ? [...drawn] : from).map((each) => ({ from: each, to, when, isAbort })),
  );
  for (const way of ways) {
    if (way.from === way.to || !drawn.has(way.from) || !drawn.has(way.to)) continue;
    const key = `${way.from}>${way.to}`;
    if (found.get(key)?.isAbort !== false) found.set(key, way);
  }
  return [...found.values()];
}

/** What may come next, for people. */
export function nextOf(state: string): readonly Way[] {
  return waysOf().filter(({ from }) => from === tableState(state));
}
