import { PageHead } from '../parts/page-head.tsx';

/** Fleet. */
export function FleetPage() {
  return (
    <div className="page">
      <PageHead title="Fleet" />
    </div>
  );
}
