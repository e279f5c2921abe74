import type { Switch, SwitchPort, SwitchResourceLimit, SwitchResourceLimitStatus } from '../../api/index.ts';
import { type Decision, type Instant, namesForPeople, writeConditions } from '../../kube/index.ts';
import { formatVlans, idsOf, vlanSetOf, withoutVlans } from '../../switches/index.ts';
import { fullReference, namespaceOf, objectKey } from '../fabric/references.ts';
import { allowedVlans, vlansOf } from '../port/judge-port.ts';
import { settingsOfRecord } from '../port/port-situation.ts';

/** A port of a tenant, and the Switch that it is on. */
export interface TenantPort {
  readonly port: SwitchPort;
  readonly owner: Switch | undefined;
}

/** What the limit controller looks at. */
export interface LimitSeen {
  readonly limit: SwitchResourceLimit;
  /** Ports of hosts of its namespace. */
  readonly ports: readonly TenantPort[];
}

/** What is decided about a limit. */
export type LimitDecision = Decision<never, SwitchResourceLimitStatus>;

/**
 * Counts what a tenant uses. It is counted anew from the ports each time, so that a VLAN on two ports is still in use
 * when one of them lets go of it. Pure.
 */
export function decideLimit({ limit, ports }: LimitSeen, now: Instant): LimitDecision {
  const counted = ports.filter(isOnTheTenant).map(({ port }) => ({
    name: objectKey(port),
    vlans: vlansOf(settingsOfRecord(port.status?.configuration) ?? { isDisabled: false, taggedVlans: [], acl: [] }),
  }));
  const counts = new Map<number, number>();
  for (const { vlans } of counted) for (const vlan of idsOf(vlans)) counts.set(vlan, (counts.get(vlan) ?? 0) + 1);
  const allowed = allowedVlans(limit);
  const offenders = counted.filter(({ vlans }) => withoutVlans(vlans, allowed).length > 0).map(({ name }) => name);
  const used = vlanSetOf(counts.keys());
  const draft =
    offenders.length === 0
      ? { status: 'True' as const, reason: 'WithinLimit', message: 'No port uses more than it may.' }
      : {
          status: 'False' as const,
          reason: 'BeyondLimit',
          message: `${namesForPeople(offenders, 5)} use VLANs ${formatVlans(withoutVlans(used, allowed))}, which are not allowed any more; they stay until their ports are changed.`,
        };
  const { generation } = limit.metadata;
  const context = { before: limit.status?.conditions, generation, now };
  return {
    effects: [],
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      usedVLANRange: formatVlans(used),
      usedVLANs: [...counts].toSorted(([a], [b]) => a - b).map(([vlan, count]) => ({ vlan, ports: count })),
      conditions: writeConditions([{ type: 'WithinLimit', ...draft }], context, ['WithinLimit']),
    },
    wake: { on: 'change' },
    why: [{ code: draft.reason, message: draft.message }],
  };
}

/** What the infra team put on a port, such as its provisioning network, is not the tenant's use. */
function isOnTheTenant({ port, owner }: TenantPort): boolean {
  const { configurationRef, hostRef, configuration } = port.status ?? {};
  if (configuration === undefined || hostRef === undefined) return false;
  const link = configurationRef ?? port.spec?.configuration;
  if (link === undefined) return true;
  const { namespace } = fullReference(link, namespaceOf(port));
  return owner === undefined || namespace !== namespaceOf(owner) || hostRef.namespace === namespaceOf(owner);
}
