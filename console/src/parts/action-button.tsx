import { type ReactNode, useId, useState } from 'react';
import { explainError } from '../api/refused.ts';
import { Icon, type IconName } from './icon.tsx';

/** A button that does something on the server. */
export interface ActionProps {
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  /** What most people come to the page for. */
  readonly isPrimary?: boolean;
  /** Why it cannot be done now; it is grey then and says so. */
  readonly blockedBy?: string | undefined;
  /** Asked before it is done. */
  readonly question?: string;
  readonly act: () => Promise<unknown>;
  readonly children: ReactNode;
}

/**
 * What is forbidden stays in the order of the keyboard (aria-disabled, not disabled): how else would somebody who
 * cannot point at it learn why.
 */
export function ActionButton({
  icon,
  isDangerous = false,
  isPrimary = false,
  blockedBy,
  question,
  act,
  children,
}: ActionProps) {
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isBlocked = blockedBy !== undefined || isBusy;
  const click = () => {
    if (isBlocked || (question !== undefined && !window.confirm(question))) return;
    setBusy(true);
    setProblem(undefined);
    act()
      .catch((error: unknown) => setProblem(explainError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <span className="action">
      <button
        type="button"
        className={isDangerous ? 'danger' : isPrimary && !isBlocked ? 'primary' : ''}
        aria-disabled={isBlocked}
        aria-describedby={blockedBy === undefined ? undefined : id}
        title={blockedBy}
        onClick={click}
      >
        {icon === undefined ? null : <Icon name={icon} />}
        {children}
      </button>
      {blockedBy === undefined ? null : (
        <span id={id} className="visually-hidden">
          {blockedBy}
        </span>
      )}
      {problem === undefined ? null : (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
