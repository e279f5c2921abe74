import { PageHead } from '../parts/page-head.tsx';

/** Host. */
export function HostPage() {
  return (
    <div className="page">
      <PageHead title="Host" />
    </div>
  );
}
