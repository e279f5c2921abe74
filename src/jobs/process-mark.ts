import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process, so that another one that gets its number later is not taken for it. */
export interface ProcessMark {
  readonly pid: number;
  readonly startedAt: string;
}

const run = promisify(execFile);
const openAtOnce = 32;

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

/** A process that runs, with the group and the session that it is in. */
export interface ProcessEntry extends ProcessMark {
  readonly group: number;
  readonly session: number;
}

/** All processes that run. Where sessions cannot be seen, groups stand for them. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  if (process.platform !== 'linux') return await listByPs();
  const [names, boot] = await Promise.all([readdir('/proc'), readBoot()]);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return await collectFrom(pids, async (pid) => await readEntry(pid, boot));
}

/** What is found in each of many files, a few of which are open at a time: a process may have few open. */
export async function collectFrom<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Promise<Found | undefined>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let at = 0; at < items.length; at += openAtOnce) {
    const some = await Promise.all(items.slice(at, at + openAtOnce).map(find));
    found.push(...some.filter((each) => each !== undefined));
  }
  return found;
}

async function fromProc(pid: number): Promise<string | undefined> {
  return (await readEntry(pid, await readBoot()))?.startedAt;
}

async function readBoot(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** It started at a time since the machine did, and which start of the machine that was. */
async function readEntry(pid: number, boot: string): Promise<ProcessEntry | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may hold anything, also more parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    // In containers nobody may be there to bury the dead.
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, group: Number(fields[2]), session: Number(fields[3]), startedAt: `${boot}/${fields[19] ?? ''}` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}

async function listByPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,pgid=,stat=,lstart=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid = '', group = '', state = '', ...started] = line.trim().split(/\s+/);
    if (pid === '' || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), group: Number(group), session: Number(group), startedAt: started.join(' ') }];
  });
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
