import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { askRest } from '../api/request.ts';
import { everyRecord, firstRecords } from '../api/rest-pages.ts';
import type { ConditionRecord } from './task-row.ts';

/** Which part of the tasks is shown. */
export type TaskPart = 'running' | 'queue' | 'history';

interface Asking {
  readonly query: Readonly<Record<string, string>>;
  /** Each of a thousand; the page says when there are more. */
  readonly mostParts: number;
  readonly everyMs: number;
}

const asking: Readonly<Record<TaskPart, Asking>> = {
  running: { query: { state: 'active' }, mostParts: 5, everyMs: 1000 },
  queue: { query: { state: 'pending' }, mostParts: 5, everyMs: 2000 },
  history: { query: { history: 'true' }, mostParts: 1, everyMs: 5000 },
};

/** Long lists are asked for less often. */
const longList = 1000;
const longListMs = 10_000;

/** Follows a part of the tasks; the services are asked again and again while it is in sight. */
export function useTasks(part: TaskPart) {
  const { query, mostParts, everyMs } = asking[part];
  return useQuery({
    queryKey: ['tasks', part],
    queryFn: async () => {
      const { records, isMore } = await firstRecords<ConditionRecord>('/api/v1/conditions', { query, mostParts });
      const shown = part === 'history' ? records.filter(({ finalized_at: ended }) => ended !== null) : records;
      return { records: shown, isMore };
    },
    refetchInterval: ({ state }) => ((state.data?.records.length ?? 0) > longList ? longListMs : everyMs),
    placeholderData: keepPreviousData,
  });
}

/** Names of servers by their id. */
export function useServerNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['server-names'],
    queryFn: async () => {
      const records = await everyRecord<{ readonly uuid: string; readonly name: string }>('/api/v1/servers');
      return new Map(records.map(({ uuid, name }) => [uuid, name]));
    },
    staleTime: 30_000,
  });
  return data ?? noNames;
}

const noNames: ReadonlyMap<string, string> = new Map();

/** Asks for a condition to stop: what waits at once, what runs at a safe point. */
export function cancelTask(id: string): Promise<object> {
  return askRest({ method: 'POST', path: `/api/v1/conditions/${id}/cancel`, body: {} });
}
