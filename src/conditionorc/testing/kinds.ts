import type { JsonObject, KindDefinition } from '../../engine/index.ts';
import { firmwareValidation } from '../validation/firmware-validation.ts';

/** For tests: a kind with short times that takes these members as parameters. */
export function kindForTests(
  name: string,
  takes: readonly string[],
  more: Partial<KindDefinition> = {},
): KindDefinition {
  return {
    kind: name,
    sharing: 'exclusive',
    isDisruptive: true,
    leaseMs: 10_000,
    requestDeadlineMs: 5000,
    maxLeases: 3,
    check(parameters: JsonObject) {
      const unknown = Object.keys(parameters).filter((member) => !takes.includes(member));
      return { parameters, problems: unknown.map((member) => `${member} is not known`) };
    },
    ...more,
  };
}

const shared = { sharing: 'shared', isDisruptive: false } as const;

/** For tests: the kinds of the document, as far as conditionOrc knows them. */
export const kindsForTests: readonly KindDefinition[] = [
  kindForTests('firmwareInstall', ['firmware_set_id', 'firmwares', 'force_install', 'dry_run'], {
    reread: { kind: 'inventoryOOB' },
  }),
  kindForTests('inventoryOOB', [], shared),
  kindForTests('powerCycleHard', []),
  kindForTests('powerOn', []),
  kindForTests('biosControl', ['action', 'settings']),
  firmwareValidation,
];
