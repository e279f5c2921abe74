import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { currentSession, onSession } from '../api/session.ts';
import { LogInPage } from '../pages/log-in.tsx';
import { Navigation } from './navigation.tsx';
import { TopBar } from './top-bar.tsx';

/** What every page is in: landmarks, navigation, who is logged in. */
export function Layout() {
  const session = useSyncExternalStore(onSession, currentSession);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // Screen readers go on reading where the page begins, not where the link was.
    main.current?.focus({ preventScroll: true });
  }, [path]);
  if (session === undefined) return <LogInPage />;
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <TopBar userName={session.userName} />
      <Navigation />
      <main id="main" className="main" tabIndex={-1} ref={main}>
        <Outlet />
      </main>
    </div>
  );
}
