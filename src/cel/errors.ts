/** Why an evaluation stopped: its own fault, wrong argument types found only at run time, or too much work. */
export type CelErrorKind = 'evaluation' | 'no-such-overload' | 'cost-limit' | 'out-of-budget';

/** An expression could not be evaluated. The message is cel-go's. */
export class CelError extends Error {
  readonly kind: CelErrorKind;

  constructor(message: string, kind: CelErrorKind = 'evaluation', options?: ErrorOptions) {
    super(message, options);
    this.name = 'CelError';
    this.kind = kind;
  }
}

/** The error for a call whose arguments fit no overload. */
export function noSuchOverload(detail?: string): CelError {
  return new CelError(detail === undefined ? 'no such overload' : `no such overload: ${detail}`, 'no-such-overload');
}

/** How a failed rule is reported in a validation error, and whether the rules after it still run. */
export function describeRuleError(error: CelError, rule: string): { detail: string; stops: boolean } {
  switch (error.kind) {
    case 'no-such-overload':
      return {
        detail: `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`,
        stops: false,
      };
    case 'cost-limit':
      return {
        detail: `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
        stops: true,
      };
    case 'out-of-budget':
      return { detail: error.message, stops: true };
    case 'evaluation':
      return { detail: `${error.message} evaluating rule: ${rule}`, stops: false };
  }
}
