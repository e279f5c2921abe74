import type { ReactNode } from 'react';
import type { Where } from '../api/kinds.ts';
import type { Snapshot } from '../api/live-list.ts';
import { Badge } from './tone.tsx';

/** What a page begins with. */
export function PageHead({
  title,
  detail,
  children,
}: {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {detail === undefined ? null : <p className="detail">{detail}</p>}
      </div>
      <div className="page-actions">{children}</div>
    </div>
  );
}

/** Says whether a list is live, and if not, since when and why. */
export function FreshnessBadge({ list }: { readonly list: Pick<Snapshot<unknown>, 'freshness' | 'problem'> }) {
  const { freshness, problem } = list;
  if (freshness === 'live') return <Badge tone="good">live</Badge>;
  if (freshness === 'loading') return <Badge tone="busy">reading</Badge>;
  return (
    <span role="status" title={problem}>
      <Badge tone={freshness === 'stale' ? 'warn' : 'bad'}>
        {freshness === 'stale' ? 'connecting again' : 'not to be had'}
      </Badge>
    </span>
  );
}

/** Instead of rows: loading, empty or why there are none. */
export function ListNote({
  list,
  scope,
  empty,
}: {
  readonly list: Pick<Snapshot<unknown>, 'freshness' | 'problem' | 'refusal' | 'items'>;
  /** Of a list that follows the chosen namespace. */
  readonly scope?: Where;
  readonly empty: ReactNode;
}) {
  if (list.items.length > 0) return null;
  if (list.freshness === 'loading') return <p className="note">Reading …</p>;
  if (list.refusal === 403) {
    const isOfAll = scope !== undefined && scope.namespace === undefined;
    return (
      <p className="note">
        You may not see this: {list.problem}
        {isOfAll ? '. If your roles are of one namespace, choose it above.' : ''}
      </p>
    );
  }
  if (list.problem !== undefined) return <p className="note problem">{list.problem}</p>;
  return <p className="note">{empty}</p>;
}
