import { type ReactNode, useId } from 'react';

/** A titled part of a page. */
export function Panel({
  title,
  aside,
  className = '',
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names and what they are. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === undefined || value === '' ? <span className="faint">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a panel that scrolls; with the keyboard too. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable with the keyboard.
    <div className="panel-scroll" tabIndex={0} role="region" aria-label={`${label}, scrolls`}>
      {children}
    </div>
  );
}
