import { CliError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';

/** One failure is thrown as it is; of several each is told, and one error ends the command. */
export function throwAll(faults: readonly Error[], terminal: Terminal): void {
  const [first] = faults;
  if (first === undefined) return;
  if (faults.length === 1) throw first;
  for (const fault of faults) terminal.err(`error: ${fault.message}\n`);
  throw new CliError('failed', `${faults.length} objects failed, see above`);
}
