import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../../kube/index.ts';

/** Everything that agents are refused with. None of it tells who has a machine. */
export const agentErrors = {
  badInventory: { status: 400, retry: 'terminal', message: 'the inventory cannot be taken: {problems}' },
  badBootToken: {
    status: 401,
    retry: 'blocked',
    message: 'introductions need the token of the boot configuration, as "Authorization: Bearer TOKEN"',
  },
  badAgentToken: {
    status: 401,
    retry: 'blocked',
    message: 'that is not a token of this machine, or it has expired: the agent has to introduce itself again',
  },
  macInUse: {
    status: 409,
    retry: 'blocked',
    message: 'a machine with the MAC address {mac} is known and in use, and nothing proves that this is the same one',
  },
  noSuchCommand: { status: 404, retry: 'terminal', message: 'this machine was not given the command {command}' },
  forgotten: {
    status: 410,
    retry: 'terminal',
    message: 'this machine was taken out: its agent is to be quiet until the machine is started again',
  },
  tooMany: { status: 429, retry: 'transient', message: 'too many requests {whose}; try again in {seconds} s' },
  badTokenFile: {
    status: 500,
    retry: 'terminal',
    message: 'the file {file} with boot tokens cannot be used: {detail}',
  },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type AgentErrorCode = keyof typeof agentErrors;

/** A refusal by the endpoint for agents. */
export class AgentError extends HttpTableError<AgentErrorCode> {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: AgentErrorCode,
    fields: Readonly<Record<string, string | number>> = {},
    more: ErrorMore & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super({ table: agentErrors, code, fields }, more);
    this.headers = more.headers ?? {};
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isAgentError(error: unknown, ...codes: readonly AgentErrorCode[]): error is AgentError {
  return isErrorOf(AgentError, error, codes);
}
