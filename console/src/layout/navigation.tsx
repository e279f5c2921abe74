import { Link, type LinkProps } from '@tanstack/react-router';
import { Icon, type IconName } from '../parts/icon.tsx';

interface Entry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly text: string;
  readonly icon: IconName;
  readonly isExact?: boolean;
}

const entries: readonly Entry[] = [
  { to: '/', text: 'Fleet', icon: 'fleet', isExact: true },
  { to: '/conditions', text: 'Tasks', icon: 'tasks' },
  { to: '/firmware', text: 'Firmware', icon: 'firmware' },
  { to: '/network', text: 'Network', icon: 'network' },
  { to: '/discovery', text: 'Discovery', icon: 'discovery' },
  { to: '/audit', text: 'Audit', icon: 'audit' },
];

/** The pages. */
export function Navigation() {
  return (
    <nav className="nav" aria-label="Pages">
      <ul>
        {entries.map(({ to, text, icon, isExact = false }) => (
          <li key={text}>
            <Link
              to={to}
              activeOptions={{ exact: isExact }}
              className="nav-link"
              activeProps={{ className: 'is-active' }}
            >
              <Icon name={icon} />
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
