import { Link } from '@tanstack/react-router';

/** Where there is no page. */
export function MissingPage() {
  return (
    <div className="page">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Go to the fleet</Link>
      </p>
    </div>
  );
}
