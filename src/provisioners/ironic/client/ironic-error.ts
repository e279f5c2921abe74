/** Why Ironic did not do what it was asked for. */
export const ironicErrors = {
  /** It does not answer, or answers that it cannot now. */
  away: 'Ironic cannot be asked now',
  /** It does not know us. */
  denied: 'Ironic does not accept our user name and password',
  /** It lacks what we need. */
  tooOld: 'Ironic is too old',
  /** The node is locked or in transition, or no worker is free. */
  busy: 'Ironic works on the node just now',
  /** There is no such thing. */
  absent: 'Ironic does not know it',
  /** The node went on to another state since it was read. */
  moved: 'the node went on to another state',
  /** Its driver could not talk to the BMC, or was not let in there. */
  unreached: 'Ironic cannot use the BMC',
  /** It will not do that, however often it is asked. */
  refused: 'Ironic refused',
} as const;

/** A row of that table. */
export type IronicErrorCode = keyof typeof ironicErrors;

/** An answer of Ironic that says no, or none at all. */
export class IronicError extends Error {
  override readonly name = 'IronicError';
  readonly code: IronicErrorCode;

  constructor(code: IronicErrorCode, detail: string, options?: { readonly cause?: unknown }) {
    super(`${ironicErrors[code]}: ${detail}`, options);
    this.code = code;
  }
}

/** Whether it is such an error, of that kind where one is named. */
export function isIronicError(error: unknown, code?: IronicErrorCode): error is IronicError {
  return error instanceof IronicError && (code === undefined || error.code === code);
}

/** The error that an answer with such a status means. */
export function errorOfAnswer(status: number, fault: string): IronicError {
  if (status === 401 || status === 403) return new IronicError('denied', fault);
  if (status === 404) return new IronicError('absent', fault);
  if (status === 409) return new IronicError('busy', fault);
  // Ironic has no other mark for these two.
  if (status === 503 && /conductor worker/.test(fault)) return new IronicError('busy', fault);
  if (status === 400 && /can not be performed on node .* while it is in state/s.test(fault)) {
    return new IronicError('moved', fault);
  }
  // Its drivers tell so; an Ironic that is in trouble itself has other words.
  if (status === 500 && /^(Redfish|IPMI) /.test(fault)) return new IronicError('unreached', fault);
  // An Ironic of another version is there now: 406.
  if (status === 406 || status === 408 || status === 429 || status >= 500) return new IronicError('away', fault);
  return new IronicError('refused', fault);
}

/** The words of an answer that says no; Ironic wraps them into a text that is JSON again. */
export function faultOf(text: string, status: number): string {
  const inner = parse(text)?.error_message;
  const fault = typeof inner === 'string' ? (parse(inner)?.faultstring ?? inner) : parse(inner)?.faultstring;
  return typeof fault === 'string' && fault !== '' ? fault : `it answered ${status}`;
}

function parse(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  try {
    const parsed: unknown = JSON.parse(String(value));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
