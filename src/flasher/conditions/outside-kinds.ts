import type { JsonObject, KindDefinition } from '../../engine/index.ts';
import { createInstallCheck } from './install-schema.ts';
import { type FlasherKindsOptions, rereadAfterInstall } from './kinds.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What the parameters of an outside kind may have in them; the worker outside checks the rest. */
function takes(...members: readonly string[]): KindDefinition['check'] {
  return (parameters: JsonObject) => {
    const unknown = Object.keys(parameters).filter((member) => !members.includes(member));
    return { parameters, problems: unknown.map((member) => `there is no parameter ${member}`) };
  };
}

const inventoryMembers = ['asset_id', 'collect_bios_cfg', 'collect_firmware_status', 'inventory_method'];
const brokerMembers = ['asset_id', 'action', 'action_purpose', 'acquire', 'release'];

/**
 * Kinds that no worker of ours does: those that need an agent on the host itself, and those of a broker of servers. They
 * are done by workers outside, over the worker API.
 */
export function outsideKinds(options: FlasherKindsOptions = {}): readonly KindDefinition[] {
  const check = createInstallCheck({ areUnverifiedAllowed: options.areUnverifiedAllowed ?? false });
  const exclusive = { sharing: 'exclusive', leaseMs: 10 * minute, requestDeadlineMs: minute, maxLeases: 10 } as const;
  // A broker reserves servers elsewhere, and touches no device.
  const broker = { sharing: 'passive', isDisruptive: false, leaseMs: 5 * minute, requestDeadlineMs: minute } as const;
  return [
    {
      ...exclusive,
      kind: 'firmwareInstallInband',
      isDisruptive: true,
      check,
      deadlineMs: 24 * hour,
      reread: rereadAfterInstall,
    },
    {
      ...exclusive,
      kind: 'inventoryInband',
      isDisruptive: false,
      check: takes(...inventoryMembers),
      deadlineMs: 24 * hour,
    },
    { ...broker, kind: 'broker.acquireServer', maxLeases: 5, check: takes(...brokerMembers), deadlineMs: 24 * hour },
    { ...broker, kind: 'broker.releaseServer', maxLeases: 5, check: takes(...brokerMembers), deadlineMs: 24 * hour },
  ];
}

/** Names of the kinds that only workers outside do, in small letters. */
export const outsideKindNames: readonly string[] = outsideKinds().map(({ kind }) => kind.toLowerCase());
