import type { ReactNode } from 'react';

/** What a colour says: fine, being worked on, look at it, broken, or nothing of these. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A word with its colour; the word alone says it too. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`badge tone-${tone}`}>
      <span className="dot" aria-hidden="true" />
      {children}
    </span>
  );
}
