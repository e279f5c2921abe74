import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { askRest } from '../api/request.ts';
import type { ConditionRecord } from './task-row.ts';

/** Which part of the tasks is shown. */
export type TaskPart = 'running' | 'queue' | 'history';

const queries: Readonly<Record<TaskPart, Readonly<Record<string, string>>>> = {
  running: { state: 'active', limit: '500' },
  queue: { state: 'pending', limit: '1000' },
  history: { history: 'true', limit: '1000' },
};

const often = { running: 1000, queue: 2000, history: 5000 } as const;

/** Follows a part of the tasks; the services are asked again and again while it is in sight. */
export function useTasks(part: TaskPart) {
  return useQuery({
    queryKey: ['tasks', part],
    queryFn: async () => {
      const path = `/api/v1/conditions?${new URLSearchParams(queries[part])}`;
      const { records } = await askRest<{ records: readonly ConditionRecord[] }>({ path });
      return part === 'history' ? records.filter(({ finalized_at: ended }) => ended !== null) : records;
    },
    refetchInterval: often[part],
    placeholderData: keepPreviousData,
  });
}

/** Names of servers by their id. */
export function useServerNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['server-names'],
    queryFn: async () => {
      const path = '/api/v1/servers?limit=1000';
      const { records } = await askRest<{ records: readonly { uuid: string; name: string }[] }>({ path });
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
