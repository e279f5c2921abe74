import { Panel } from '../parts/panel.tsx';
import { Badge, type Tone } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { concernedServers, type FirmwarePlan, planSentence, type ServerPlan } from './firmware-plan.ts';

const tones: Readonly<Record<string, Tone>> = {
  update: 'busy',
  scan: 'idle',
  'under-way': 'busy',
  waits: 'warn',
  blocked: 'bad',
  inert: 'idle',
  'no-target': 'idle',
  'up-to-date': 'good',
};

const columns: readonly Column<ServerPlan>[] = [
  { title: 'Machine', width: '170px', cell: ({ server }) => server },
  { title: 'Would', width: '120px', cell: ({ state }) => <Badge tone={tones[state] ?? 'idle'}>{state}</Badge> },
  {
    title: 'Installs, in this order',
    width: 'minmax(280px, 2fr)',
    cell: ({ installs, waiting }) => (
      <span title={[...installs, ...waiting].map(stepText).join('\n')}>
        {installs.length === 0 ? <span className="faint">nothing</span> : installs.map(stepText).join(', then ')}
      </span>
    ),
  },
  {
    title: 'Restarts',
    width: '150px',
    cell: ({ hostReboots, bmcRestarts }) =>
      hostReboots + bmcRestarts === 0 ? (
        <span className="faint">none</span>
      ) : (
        `${hostReboots} × host, ${bmcRestarts} × BMC`
      ),
  },
  {
    title: 'To know',
    width: 'minmax(220px, 1.5fr)',
    cell: ({ reasons, notes, waiting, isScanFirst }) => {
      const texts = [
        ...reasons.map(({ message }) => message),
        ...waiting.map(({ name, reason }) => `${name} waits: ${reason}`),
        ...notes.map(({ message }) => message),
        ...(isScanFirst ? ['Versions are read anew first.'] : []),
      ];
      return <span title={texts.join('\n')}>{texts.join(' ')}</span>;
    },
  },
];

function stepText({
  name,
  installed,
  wanted,
}: {
  readonly name: string;
  readonly installed?: string;
  readonly wanted: string;
}) {
  return `${name} ${installed ?? 'not seen'} → ${wanted}`;
}

/** What would be done. */
export function PlanView({ plan, group }: { readonly plan: FirmwarePlan; readonly group: string }) {
  const servers = concernedServers(plan, group);
  const troubles = plan.groups.filter(({ name }) => name === group).flatMap(({ reasons }) => reasons);
  return (
    <Panel title="Plan" className="plan">
      <p role="status">{planSentence(servers)}</p>
      {troubles.map(({ code, message }) => (
        <p key={code} className={code === 'OtherHardware' ? 'soft' : 'problem'}>
          {message}
        </p>
      ))}
      {(plan.warnings ?? []).map((text) => (
        <p key={text} className="problem">
          {text}
        </p>
      ))}
      {servers.length === 0 ? null : (
        <div className="table-box" style={{ height: Math.min(servers.length * 34 + 54, 480) }}>
          <VirtualTable label="Planned work" rows={servers} columns={columns} keyOf={({ server }) => server} />
        </div>
      )}
    </Panel>
  );
}
