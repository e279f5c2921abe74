import { usageError } from '../errors.ts';

/** Reads `--dry-run[=server]`. A dry run without the server would check next to nothing, so there is none. */
export function readDryRun(value: string | true | undefined): boolean {
  if (value === undefined || value === 'none') return false;
  if (value === true || value === 'server') return true;
  throw usageError(`--dry-run=${value}: there is only --dry-run=server`);
}
