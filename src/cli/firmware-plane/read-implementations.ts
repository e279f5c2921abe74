import { isJobError, type JobImplementation, loadImplementations } from '../../jobs/index.ts';
import { CliError, usageError } from '../errors.ts';

/** What the packages of `--job-implementation` have. Throws a usage error for what is wrong with them. */
export async function readImplementations(names: readonly string[] = []): Promise<readonly JobImplementation[]> {
  try {
    return await loadImplementations({ names });
  } catch (error) {
    if (!isJobError(error)) throw error;
    throw new CliError('usage', `--job-implementation: ${error.message}`, { cause: error });
  }
}

/** The same where nothing but discoveries is done: whoever gives other jobs there would wait for them in vain. */
export async function readDiscoveries(names: readonly string[] = []): Promise<readonly JobImplementation[]> {
  const found = await readImplementations(names);
  const other = found.find(({ type }) => type !== 'discovery');
  if (other === undefined) return found;
  const instead = 'updates and scans are done by flashers here; run rackwright update-service for it';
  throw usageError(`--job-implementation: one is for ${other.type} jobs, and ${instead}`);
}
