import { Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';

/** How long an operating system may take to shut down before the power of its host is cut, as it is given. */
export const GracePeriodSchema = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 3600,
    description:
      'how long an operating system may take to shut down at each restart of the host, before its power is cut; unless given, or with 0, the power is cut at once',
  }),
);

interface Given {
  readonly grace_period_seconds?: number;
}

/** As it is stored: only where it was said, so that what was asked for without it stays the same order. */
export function graceIn({ grace_period_seconds: seconds }: Given): JsonObject {
  return seconds === undefined || seconds === 0 ? {} : { grace_period_seconds: seconds };
}

/** Of stored parameters; undefined where the power is cut at once. */
export function readGracePeriod({ grace_period_seconds: seconds }: Given): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
