import { useSyncExternalStore } from 'react';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all that is shown, instead of one for each. */
function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of [...listeners]) each();
  }, 5000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** `3 min`, `2 h`, `5 d`. */
export function shortAge(from: string | number | undefined, to: number): string {
  const begin = typeof from === 'string' ? Date.parse(from) : (from ?? Number.NaN);
  if (Number.isNaN(begin)) return '';
  const seconds = Math.max(0, Math.round((to - begin) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** How long ago something was, with the exact time for whoever points at it. */
export function TimeAgo({ at }: { readonly at: string | undefined }) {
  const current = useSyncExternalStore(onTick, () => now);
  if (at === undefined || at === '') return <span className="faint">–</span>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {shortAge(at, current)}
    </time>
  );
}
