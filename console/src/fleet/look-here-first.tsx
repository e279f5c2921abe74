import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import type { Trouble } from './fleet-view.ts';

const shown = 4;

/** The hosts in trouble, the worst first. */
export function LookHereFirst({
  troubles,
  isReady,
  showAll,
}: {
  readonly troubles: readonly Trouble[];
  readonly isReady: boolean;
  readonly showAll: () => void;
}) {
  if (!isReady) return null;
  if (troubles.length === 0) {
    return (
      <p className="all-well">
        <Icon name="check" /> Nothing needs you right now.
      </p>
    );
  }
  return (
    <section className="look-first" aria-labelledby="look-first">
      <h2 id="look-first">Look here first</h2>
      <ol>
        {troubles.slice(0, shown).map(({ row, word, why, isBad }) => (
          <li key={row.key}>
            <Badge tone={isBad ? 'bad' : 'warn'}>{word}</Badge>
            <Link to="/hosts/$namespace/$name" params={{ namespace: row.namespace, name: row.name }}>
              {row.name}
            </Link>
            <span className="why">{why}</span>
            <span className="faint">
              <TimeAgo at={row.since} />
            </span>
          </li>
        ))}
      </ol>
      {troubles.length > shown ? (
        <button type="button" className="quiet" onClick={showAll}>
          and {troubles.length - shown} more
        </button>
      ) : null}
    </section>
  );
}
