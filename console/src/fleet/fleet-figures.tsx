import { describeFirmware, type FleetFilter, type FleetSummary } from './fleet-view.ts';

/** The figures over the fleet; each is a filter too. */
export function FleetFigures({
  summary,
  only,
  choose,
}: {
  readonly summary: FleetSummary;
  readonly only: FleetFilter['only'];
  readonly choose: (only: FleetFilter['only']) => void;
}) {
  const { hosts, trouble, busy, on, firmwareKnown, firmwareAsWanted } = summary;
  const behind = firmwareKnown - firmwareAsWanted;
  const isMeasured = firmwareKnown > 0;
  const figures = [
    { id: 'all', title: 'Hosts', value: String(hosts), tone: 'idle' },
    { id: 'trouble', title: 'In trouble', value: String(trouble), tone: trouble > 0 ? 'bad' : 'good' },
    { id: 'busy', title: 'Being worked on', value: String(busy), tone: busy > 0 ? 'busy' : 'idle' },
    { id: 'on', title: 'Powered on', value: String(on), tone: 'idle' },
    {
      id: 'behind',
      ...describeFirmware(summary),
      tone: behind > 0 ? 'warn' : isMeasured ? 'good' : 'idle',
    },
  ] as const;
  return (
    <fieldset className="figures">
      <legend className="visually-hidden">Show only</legend>
      {figures.map(({ id, title, value, tone }) => (
        <button
          type="button"
          key={id}
          className={`figure tone-${tone}`}
          aria-pressed={only === id && id !== 'all'}
          onClick={() => choose(only === id ? 'all' : id)}
        >
          <strong>{value}</strong>
          <span>{title}</span>
        </button>
      ))}
    </fieldset>
  );
}
