import { type FormEvent, useId, useState } from 'react';
import { explainError } from '../api/refused.ts';
import { logIn } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';

/** Asks for a token. */
export function LogInPage() {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem('token') as HTMLInputElement;
    setBusy(true);
    setProblem(undefined);
    logIn(field.value)
      .catch((error: unknown) => setProblem(explainError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <main className="log-in">
      <form className="card" onSubmit={submit}>
        <h1 className="brand">
          <Icon name="brand" />
          Rackwright
        </h1>
        <label htmlFor={id}>Token</label>
        <input
          id={id}
          name="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          aria-describedby={`${id}-help`}
        />
        {problem === undefined ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Logging in …' : 'Log in'}
        </button>
        <p id={`${id}-help`} className="hint">
          <code>rackwright up</code> prints one; <code>kubectl create token NAME</code> makes one for a service account.
          It stays in this tab and is forgotten when the tab closes.
        </p>
      </form>
    </main>
  );
}
