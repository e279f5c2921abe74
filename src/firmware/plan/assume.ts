import { ironcoreGroup, ironcoreVersion, type ServerFirmwareGroup } from '../../api/index.ts';
import type { AnyKubeObject } from '../../kube/index.ts';
import { admitGroup } from '../admission/firmware-rules.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { fleetOf, nameOf, type PlanFacts } from './settle-fleet.ts';

/** Objects as they would be after they were applied. */
export interface Assumption {
  readonly firmwares: readonly OwnedFirmware[];
  readonly groups: readonly ServerFirmwareGroup[];
}

/** The facts with these objects in place of those of their names. Pure. */
export function assume(facts: PlanFacts, { firmwares, groups }: Assumption): PlanFacts {
  return { ...facts, firmwares: replaced(facts.firmwares, firmwares), groups: replaced(facts.groups, groups) };
}

function replaced<T extends { readonly metadata: { readonly name?: string } }>(
  before: readonly T[],
  given: readonly T[],
): readonly T[] {
  if (given.length === 0) return before;
  const named = new Map(given.map((each) => [nameOf(each), each]));
  const kept = before.map((each) => named.get(nameOf(each)) ?? each);
  const known = new Set(before.map(nameOf));
  return [...kept, ...[...named.values()].filter((each) => !known.has(nameOf(each)))];
}

/** Whether a group would be refused beside the objects that are there: the rules of admission decide. Pure. */
export function isGroupRefused(facts: PlanFacts, group: ServerFirmwareGroup): boolean {
  const at = { group: ironcoreGroup, version: ironcoreVersion };
  const request = {
    uid: '',
    kind: { ...at, kind: 'ServerFirmwareGroup' },
    resource: { ...at, resource: 'serverfirmwaregroups' },
    operation: 'CREATE',
    userInfo: {},
    object: group as unknown as AnyKubeObject,
  } as const;
  return admitGroup(request, { fleet: fleetOf(facts), discovered: facts.discovered }).kind === 'denied';
}
