import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../errors.ts';
import { readProcessMark } from '../process-mark.ts';

/** The file by which a process says that it is the one that does a job, and where its interface is. */
export interface JobClaim {
  readonly pid: number;
  /** When the process began, in a form that a process with the same number later does not have. */
  readonly startedAt: string;
}

/**
 * Says that this process does the job of a folder. Throws when another does or did: whoever launched twice, since it did
 * not know any more whether it had, gets one job.
 */
export async function claimJob(folder: string, pid: number): Promise<void> {
  const mark = await readProcessMark(pid);
  try {
    await writeFile(join(folder, 'claim.json'), JSON.stringify(mark ?? { pid, startedAt: '' }), {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw new JobError('alreadyRuns', { folder }, { cause });
    }
    throw cause;
  }
}

/** Who does the job of a folder; undefined while nobody said so. */
export async function readClaim(folder: string): Promise<JobClaim | undefined> {
  try {
    const { pid, startedAt } = JSON.parse(await readFile(join(folder, 'claim.json'), 'utf8')) as Partial<JobClaim>;
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined;
  } catch {
    // Not there, or being written: whoever asks looks again.
    return undefined;
  }
}

/** Says where the interface of a job is, for whoever launched it. */
export async function publishAddress(folder: string, url: string): Promise<void> {
  await writeFile(join(folder, 'address'), url, { mode: 0o600 });
}

/** Where the interface of a job is; undefined while nobody said so. */
export async function readAddress(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'address'), 'utf8').catch(() => '');
  return URL.canParse(text) ? text : undefined;
}
