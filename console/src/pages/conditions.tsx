import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { conditionsResource, useAccess } from '../api/access.ts';
import { explainError } from '../api/refused.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { countText, type TaskRow, toTaskRow } from '../tasks/task-row.ts';
import { cancelTask, type TaskPart, useServerNames, useTasks } from '../tasks/use-tasks.ts';

const parts: readonly { readonly id: TaskPart; readonly text: string; readonly empty: string }[] = [
  { id: 'running', text: 'Running', empty: 'Nothing runs right now.' },
  { id: 'queue', text: 'Queue', empty: 'Nothing waits.' },
  { id: 'history', text: 'History', empty: 'Nothing was ever asked for.' },
];

/** The work on devices: what waits, what runs and how far it is, what is over. */
export function ConditionsPage() {
  const [part, setPart] = useState<TaskPart>('running');
  const [text, setText] = useState('');
  const names = useServerNames();
  const counts = { running: useTasks('running'), queue: useTasks('queue'), history: useTasks('history') };
  const { data, error } = counts[part];
  const rows = useMemo(() => {
    const wanted = text.toLowerCase();
    return (data?.records ?? [])
      .map((record) => toTaskRow(record, names))
      .filter((row) => `${row.server} ${row.kind} ${row.word} ${row.what} ${row.id}`.toLowerCase().includes(wanted));
  }, [data, names, text]);
  const columns = useColumns();
  return (
    <div className="page page-fill">
      <PageHead title="Tasks" detail="Every piece of work that touches a device: one at a time for each." />
      <div className="filters">
        <fieldset className="switch-buttons">
          <legend className="visually-hidden">Which tasks</legend>
          {parts.map(({ id, text: title }) => (
            <button key={id} type="button" aria-pressed={part === id} onClick={() => setPart(id)}>
              {title} <span className="count">{countText(counts[id].data)}</span>
            </button>
          ))}
        </fieldset>
        <input
          type="search"
          aria-label="Search tasks"
          placeholder="Search server, kind, message …"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {error === null ? null : (
        <p className="note problem" role="alert">
          {explainError(error)}
        </p>
      )}
      {error === null && data !== undefined && rows.length === 0 ? (
        <p className="note">{text === '' ? parts.find(({ id }) => id === part)?.empty : 'None fits the search.'}</p>
      ) : null}
      {data?.isMore === true ? (
        <p className="note">
          These are the newest {data.records.length}; there are more, which the search does not find.
        </p>
      ) : null}
      {rows.length === 0 ? null : <VirtualTable label="Tasks" rows={rows} columns={columns} keyOf={({ id }) => id} />}
    </div>
  );
}

function useColumns(): readonly Column<TaskRow>[] {
  const mayCancel = useAccess({ verb: 'update', resource: conditionsResource });
  const queries = useQueryClient();
  const forbidden = mayCancel.isAllowed === true ? undefined : mayCancel.why;
  return useMemo(
    () => [
      { title: 'Server', width: 'minmax(120px, 1fr)', cell: ({ server }) => <span className="mono">{server}</span> },
      { title: 'Task', width: 'minmax(130px, 1fr)', cell: ({ kind }) => kind },
      { title: 'State', width: '120px', cell: ({ tone, word }) => <Badge tone={tone}>{word}</Badge> },
      { title: 'Progress', width: '130px', cell: ({ percent }) => <Progress percent={percent} /> },
      { title: 'What', width: 'minmax(200px, 3fr)', cell: ({ what }) => <span title={what}>{what || '–'}</span> },
      { title: 'Asked by', width: 'minmax(80px, .7fr)', cell: ({ by }) => <span className="soft">{by}</span> },
      { title: 'Changed', width: '72px', cell: ({ at }) => <TimeAgo at={at} /> },
      {
        title: 'Cancel',
        width: '92px',
        cell: ({ id, server, kind, noCancel }) =>
          noCancel === 'It is over.' ? null : (
            <ActionButton
              isDangerous
              blockedBy={forbidden ?? noCancel}
              question={`Cancel "${kind}" on ${server}? What runs stops at its next safe point.`}
              act={() => cancelTask(id).then(() => queries.invalidateQueries({ queryKey: ['tasks'] }))}
            >
              Cancel
              <span className="visually-hidden">
                {' '}
                {kind} on {server}
              </span>
            </ActionButton>
          ),
      },
    ],
    [forbidden, queries],
  );
}

function Progress({ percent }: { readonly percent: number | undefined }) {
  if (percent === undefined) return <span className="faint">–</span>;
  const rounded = Math.round(percent);
  return (
    <span className="progress">
      <progress max={100} value={rounded} aria-label={`${rounded} percent`} />
      {rounded} %
    </span>
  );
}
