/** A request that a server refused, with what it said. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
  }
}

/** What to tell a person about an error. */
export function explainError(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (error instanceof TypeError) return 'The server cannot be reached. Is "rackwright up" running?';
  return error instanceof Error ? error.message : String(error);
}
