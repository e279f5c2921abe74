import { useState } from 'react';
import { logOut } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { applyTheme, isDarkNow } from '../theme.ts';
import { NamespaceChoice } from './namespace-choice.tsx';

/** Name, who is logged in, dark or light. */
export function TopBar({ userName }: { readonly userName: string }) {
  const [isDark, setDark] = useState(isDarkNow);
  const toggle = () => {
    applyTheme(isDark ? 'light' : 'dark');
    setDark(!isDark);
  };
  return (
    <header className="top-bar">
      <span className="brand">
        <Icon name="brand" />
        Rackwright
      </span>
      <span className="spacer" />
      <NamespaceChoice />
      <span className="user" title={`Logged in as ${userName}`}>
        <Icon name="user" />
        {userName}
      </span>
      <button
        type="button"
        className="quiet"
        aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
        onClick={toggle}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
      </button>
      <button type="button" className="quiet" onClick={logOut}>
        Log out
      </button>
    </header>
  );
}
