import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { resources } from '../api/kinds.ts';
import { listObjects } from '../api/objects.ts';
import { useScope } from '../api/scope.ts';
import { useLiveList, useLiveObjects } from '../api/use-live.ts';
import { whyEmpty } from '../api/why-empty.ts';
import type { Switch } from '../network/faceplate.tsx';
import { Faceplates } from '../network/faceplates.tsx';
import { faceplatesOf, type PortRow, portTone, toPortRow, vlanColour, vlanCounts } from '../network/port-view.ts';
import { type ResourceLimit, Tenants } from '../network/tenants.tsx';
import { FreshnessBadge, ListNote, PageHead } from '../parts/page-head.tsx';

const portRowView = { view: 'faceplate', project: toPortRow };

/** Switches, their ports and who may use which VLANs. */
export function NetworkPage() {
  const scope = useScope();
  const ports = useLiveList<PortRow>(resources.switchPorts, scope, portRowView);
  const switches = useLiveObjects<Switch>(resources.switches, scope);
  const limits = useQuery({
    queryKey: ['resource limits', scope],
    queryFn: () => listObjects<ResourceLimit>(resources.resourceLimits, scope),
    refetchInterval: 15_000,
  });
  const [only, setOnly] = useState<number>();
  const plates = useMemo(() => faceplatesOf(ports.items), [ports.items]);
  const counts = useMemo(() => vlanCounts(ports.items), [ports.items]);
  const byKey = useMemo(
    () => new Map(switches.items.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each])),
    [switches.items],
  );
  const troubled = ports.items.filter(({ error }) => error !== '');
  const busy = ports.items.filter((port) => portTone(port) === 'busy').length;
  return (
    <div className="page stack network-page">
      <PageHead
        title="Network"
        detail={`${plates.length} switches, ${ports.items.length} ports${busy === 0 ? '' : `, ${busy} being changed`}${troubled.length === 0 ? '' : `, ${troubled.length} in error`}`}
      >
        <FreshnessBadge list={ports} />
      </PageHead>
      <Troubles of={troubled} />
      <fieldset className="filters legend">
        <legend className="visually-hidden">VLANs; choose one to see its ports</legend>
        {counts.map(([vlan, count]) => (
          <button
            key={vlan}
            type="button"
            className={`vlan-chip vlan-${vlanColour(vlan)}`}
            aria-pressed={only === vlan}
            onClick={() => setOnly(only === vlan ? undefined : vlan)}
          >
            VLAN {vlan} <span className="vlan-count">{count}</span>
          </button>
        ))}
      </fieldset>
      <ListNote list={ports} scope={scope} empty="There are no switch ports. A Switch lists those that are managed." />
      <Faceplates plates={plates} switches={byKey} only={only} />
      <Tenants
        of={limits.data ?? []}
        note={whyEmpty(
          limits,
          'No namespace has a SwitchResourceLimit: only the namespace of a switch may use its VLANs.',
        )}
      />
    </div>
  );
}

const shownTroubles = 5;

function Troubles({ of }: { readonly of: readonly PortRow[] }) {
  if (of.length === 0) return null;
  return (
    <section className="look-first" aria-label="Ports in error">
      <ul>
        {of.slice(0, shownTroubles).map(({ namespace, name, error }) => (
          <li key={`${namespace}/${name}`}>
            <Link to="/network/$namespace/$name" params={{ namespace, name }}>
              {name}
            </Link>{' '}
            <span>{error}</span>
          </li>
        ))}
      </ul>
      {of.length > shownTroubles ? <p className="soft">and {of.length - shownTroubles} more</p> : null}
    </section>
  );
}
