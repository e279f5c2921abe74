import { PageHead } from '../parts/page-head.tsx';

/** Tasks. */
export function ConditionsPage() {
  return (
    <div className="page">
      <PageHead title="Tasks" />
    </div>
  );
}
