import type { Condition, JsonObject } from '../../engine/index.ts';
import type { Answer, Call } from '../../rest/index.ts';
import { showCondition } from '../records/condition-record.ts';
import { showServerConditions } from '../records/server-record.ts';

/** 200 with one condition, and with all of its unit in the shape that shipped. */
export function answerCondition(
  server: { readonly id: string; readonly facility: string },
  shown: { readonly record: Condition; readonly unit: readonly Condition[]; readonly message?: string },
): Answer {
  const { record, unit, message } = shown;
  return {
    status: 200,
    body: {
      ...(message === undefined ? {} : { message }),
      record: showCondition(record) as JsonObject,
      records: showServerConditions(server, unit) as unknown as JsonObject,
    },
  };
}

/** Who asks, by name. */
export function clientOf({ user }: Pick<Call<unknown, unknown, unknown>, 'user'>): string {
  return user?.name ?? 'anonymous';
}
