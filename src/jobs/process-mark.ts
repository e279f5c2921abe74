import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process, so that another one that gets its number later is not taken for it. */
export interface ProcessMark {
  readonly pid: number;
  readonly startedAt: string;
}

const run = promisify(execFile);

/** The mark of a process that runs; undefined for those that ended, also if nobody has noticed yet. */
export async function readProcessMark(pid: number): Promise<ProcessMark | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
  return started === undefined ? undefined : { pid, startedAt: started };
}

/** True while that very process runs. */
export async function isRunning(mark: ProcessMark): Promise<boolean> {
  return (await readProcessMark(mark.pid))?.startedAt === mark.startedAt;
}

/** The time since the machine started, and which start that was. */
async function fromProc(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The name of the program is in parentheses and may hold anything, also more parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    // In containers nobody may be there to bury the dead.
    if (state === 'Z' || state === 'X') return undefined;
    return `${boot.trim()}/${fields[19] ?? ''}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}

async function fromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [state = '', ...started] = stdout.trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch (error) {
    // It ends with 1 when there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
    throw error;
  }
}
