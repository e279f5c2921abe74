import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { explainError, RefusedError } from '../api/refused.ts';
import { ask } from '../api/request.ts';
import {
  type AuditFilter,
  type AuditItem,
  type AuditPage as AuditPart,
  auditPath,
  objectText,
  programText,
  usualFilter,
  verdictText,
  whoText,
} from '../audit/audit-view.ts';
import { PageHead } from '../parts/page-head.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

const columns: readonly Column<AuditItem>[] = [
  { title: 'When', width: '80px', cell: ({ time }) => <TimeAgo at={time} /> },
  {
    title: 'Who',
    width: 'minmax(140px, 1fr)',
    cell: (item) => <span title={whoText(item)}>{whoText(item)}</span>,
  },
  { title: 'With', width: '110px', cell: (item) => <span title={item.agent}>{programText(item)}</span> },
  { title: 'Did', width: '100px', cell: ({ verb }) => <code>{verb}</code> },
  {
    title: 'To',
    width: 'minmax(240px, 2fr)',
    cell: (item) => (
      <span className="mono" title={objectText(item)}>
        {objectText(item)}
      </span>
    ),
  },
  {
    title: 'Outcome',
    width: 'minmax(150px, 1fr)',
    cell: (item) => (
      <Badge tone={item.verdict === 'refused' ? 'bad' : item.dryRun === true ? 'idle' : 'good'}>
        {verdictText(item)}
      </Badge>
    ),
  },
];

/** Who wrote what, and what came of it. */
export function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>(usualFilter);
  const asked = useDeferredValue(filter);
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', asked],
    queryFn: ({ pageParam, signal }) => ask<AuditPart>({ path: auditPath(asked, pageParam), signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.continue,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  return (
    <div className="page page-fill">
      <PageHead
        title="Audit"
        detail="Every write to the API and what came of it, newest first. What was written is never kept here."
      />
      <AuditFilters filter={filter} change={(news) => setFilter((before) => ({ ...before, ...news }))} />
      {error === null ? null : (
        <p className="note problem" role="alert">
          {explainAudit(error)}
        </p>
      )}
      {error === null && items.length === 0 ? (
        <p className="note">{isPending ? 'Reading …' : 'Nothing that was written fits these filters.'}</p>
      ) : null}
      {items.length === 0 ? null : (
        <>
          <VirtualTable label="Audit log" rows={items} columns={columns} keyOf={({ seq }) => String(seq)} />
          <p className="table-foot">
            <span className="soft" role="status">
              {items.length} entries shown
            </span>
            {hasNextPage ? (
              <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading …' : 'Show older ones'}
              </button>
            ) : (
              <span className="soft">That is all that is kept in memory; the file audit.log goes back further.</span>
            )}
          </p>
        </>
      )}
    </div>
  );
}

function AuditFilters({
  filter,
  change,
}: {
  readonly filter: AuditFilter;
  readonly change: (news: Partial<AuditFilter>) => void;
}) {
  const search = (key: 'user' | 'resource' | 'name', label: string) => (
    <input
      type="search"
      className="short"
      aria-label={label}
      placeholder={label}
      value={filter[key]}
      onChange={(event) => change({ [key]: event.currentTarget.value })}
    />
  );
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {search('user', 'User')}
      {search('resource', 'Resource, such as switchports')}
      {search('name', 'Name')}
      <select aria-label="Verb" value={filter.verb} onChange={(event) => change({ verb: event.currentTarget.value })}>
        <option value="">Every verb</option>
        {['create', 'update', 'patch', 'delete', 'deletecollection'].map((verb) => (
          <option key={verb}>{verb}</option>
        ))}
      </select>
      <select
        aria-label="Outcome"
        value={filter.verdict}
        onChange={(event) => change({ verdict: event.currentTarget.value })}
      >
        <option value="">Every outcome</option>
        <option>done</option>
        <option>refused</option>
      </select>
      <label className="check">
        <input
          type="checkbox"
          checked={!filter.isByPeople}
          onChange={(event) => change({ isByPeople: !event.currentTarget.checked })}
        />
        Also what controllers wrote
      </label>
    </form>
  );
}

function explainAudit(error: unknown): string {
  if (error instanceof RefusedError && error.status === 403) {
    return 'You may not see the audit log. The role rackwright-auditor, bound for the cluster, lets somebody.';
  }
  if (error instanceof RefusedError && error.status === 404) {
    return 'This cluster keeps its audit log itself; ask those who run it.';
  }
  return explainError(error);
}
