import type { JsonObject, KindDefinition } from '../../engine/index.ts';
import { readAtMember } from '../install/install-outcome.ts';
import { checkServerControl, checkVirtualMedia } from './control-schemas.ts';
import { createInstallCheck } from './install-schema.ts';
import { checkBios, checkInventory, checkPower } from './other-schemas.ts';

/** How the kinds of a flasher are set. Times are milliseconds. */
export interface FlasherKindsOptions {
  /** Take firmware that comes without a checksum. False unless given. */
  readonly areUnverifiedAllowed?: boolean;
  /** How long a lease lasts without progress; longer than any request to a BMC may take without any. */
  readonly leaseMs?: number;
  /** How long the last request of a lost worker may go on. */
  readonly requestDeadlineMs?: number;
}

/** Settings are stored with the inventory, and a restart of the host shows other parts and versions. */
const rereadAfterBios = { kind: 'inventoryOOB', parameters: { collect_bios_cfg: true } } as const;

/** After an install its server is read again, unless the worker has done so and says when. */
export const rereadAfterInstall = {
  kind: 'inventoryOOB',
  isDone: ({ [readAtMember]: at }: JsonObject) => typeof at === 'number',
  /** A BMC that was given up in the middle of a write may end it later. */
  settlesAt: ({ actions }: JsonObject) => {
    const times = (Array.isArray(actions) ? actions : []).map((action) => Date.parse(writingUntil(action)));
    const known = times.filter((time) => !Number.isNaN(time));
    return known.length === 0 ? undefined : Math.max(...known);
  },
} as const;

function writingUntil(action: unknown): string {
  const { may_be_writing_until: until } = Object(action) as Partial<Record<string, unknown>>;
  return typeof until === 'string' ? until : '';
}

const minute = 60_000;
const hour = 60 * minute;

/** The kinds of conditions that a flasher works on, for the engine to know. */
export function flasherKinds(options: FlasherKindsOptions = {}): readonly KindDefinition[] {
  // A BMC may take five minutes to answer after the last byte of an image.
  const leaseMs = options.leaseMs ?? 10 * minute;
  const requestDeadlineMs = options.requestDeadlineMs ?? 5 * minute;
  const exclusive = { sharing: 'exclusive', isDisruptive: true, leaseMs, requestDeadlineMs, maxLeases: 10 } as const;
  // Power and settings are asked for with short requests.
  const brief = { ...exclusive, requestDeadlineMs: Math.min(requestDeadlineMs, minute), maxLeases: 5 } as const;
  const check = createInstallCheck({ areUnverifiedAllowed: options.areUnverifiedAllowed ?? false });
  return [
    {
      ...exclusive,
      kind: 'firmwareInstall',
      check,
      isHarmless: (parameters) => parameters.dry_run === true,
      deadlineMs: 48 * hour,
      isCarriedOn: true,
      reread: rereadAfterInstall,
    },
    // It changes nothing, but a BMC that is flashed has no time for a hundred questions.
    {
      ...brief,
      kind: 'inventoryOOB',
      sharing: 'shared',
      isDisruptive: false,
      check: checkInventory,
      deadlineMs: 24 * hour,
    },
    // Takes no host away from anybody.
    { ...brief, kind: 'powerOn', isDisruptive: false, check: checkPower, deadlineMs: 24 * hour },
    { ...brief, kind: 'powerOff', check: checkPower, deadlineMs: 24 * hour },
    { ...brief, kind: 'powerCycleHard', check: checkPower, deadlineMs: 24 * hour },
    { ...brief, kind: 'powerCycleSoft', check: checkPower, deadlineMs: 24 * hour },
    { ...brief, kind: 'biosControl', check: checkBios, deadlineMs: 24 * hour, reread: rereadAfterBios },
    { ...brief, kind: 'serverControl', check: checkServerControl, deadlineMs: 24 * hour },
    // A medium in a drive takes no host away from anybody.
    { ...brief, kind: 'virtualMediaMount', isDisruptive: false, check: checkVirtualMedia, deadlineMs: 24 * hour },
  ];
}
