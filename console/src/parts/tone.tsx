import type { ReactNode } from 'react';
import type { Tone } from './tone-name.ts';

export type { Tone };

/** A word with its colour; the word alone says it too. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`badge tone-${tone}`}>
      <span className="dot" aria-hidden="true" />
      {children}
    </span>
  );
}
