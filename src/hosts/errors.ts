import { type ErrorEntry, TableError } from '../kube/index.ts';

/** What can be wrong with hosts that is neither theirs nor the API server's. */
export const hostErrors = {
  firmwareUnread: { retry: 'transient', message: 'the firmware of the host {host} cannot be read just now: {detail}' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type HostErrorCode = keyof typeof hostErrors;

/** What is wrong, with a code to decide on and a message to show. */
export class HostError extends TableError<HostErrorCode> {
  constructor(code: HostErrorCode, fields: Readonly<Record<string, string>>) {
    super({ table: hostErrors, code, fields });
  }
}
