import { useMemo, useSyncExternalStore } from 'react';
import type { Where } from './kinds.ts';
import { onSession } from './session.ts';

const key = 'rackwright-namespace';
const listeners = new Set<() => void>();

onSession(() => {
  // What one person looked at is no hint for the next.
  chooseNamespace('');
});

/** The namespace that lists are of; empty when they are of all. */
function chosenNamespace(): string {
  return sessionStorage.getItem(key) ?? '';
}

/** Has lists show one namespace, or all of them where the name is empty. */
export function chooseNamespace(name: string): void {
  if (name === '') sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, name);
  for (const listener of [...listeners]) listener();
}

function onChoice(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where lists of a page look: whoever has roles in one namespace is refused the lists of all. */
export function useScope(): Where {
  const namespace = useSyncExternalStore(onChoice, chosenNamespace);
  return useMemo(() => (namespace === '' ? {} : { namespace }), [namespace]);
}
