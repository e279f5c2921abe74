import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../../kube/index.ts';

/** What can be wrong with the choice of a strategy; all of it is said when a process starts. */
export const strategyErrors = {
  noStrategy: {
    status: 500,
    retry: 'terminal',
    message: 'no strategy is enabled: enable one of {known}, or name a package that has one',
  },
  severalStrategies: {
    status: 500,
    retry: 'terminal',
    message: 'an update service has exactly one strategy, and {count} are enabled ({names}): disable all but one',
  },
  unknownStrategy: {
    status: 500,
    retry: 'terminal',
    message:
      'there is no strategy {name}: it is none of {known}, and no package of that name could be loaded ({detail}); install the package or correct the name',
  },
  badStrategy: {
    status: 500,
    retry: 'terminal',
    message: 'the strategy {name} cannot be used: {detail}',
  },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type StrategyErrorCode = keyof typeof strategyErrors;

/** Why no strategy could be chosen. */
export class StrategyError extends HttpTableError<StrategyErrorCode> {
  constructor(code: StrategyErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: strategyErrors, code, fields }, more);
  }
}

/** True for errors of strategies with one of the codes, or with any when none is named. */
export function isStrategyError(error: unknown, ...codes: readonly StrategyErrorCode[]): error is StrategyError {
  return isErrorOf(StrategyError, error, codes);
}
