import { readFile } from 'node:fs/promises';
import { collectFrom, listProcesses, type ProcessEntry, type ProcessMark } from '../../process-mark.ts';

/** A command with all that it starts: the process that began it, in a session and group of its own, and a mark. */
export interface CommandGroup extends ProcessMark {
  /** In the environment of all that it starts, which has it also after leaving the session. */
  readonly mark: string;
}

/** The variable that holds the mark. */
export const markVariable = 'RACKWRIGHT_COMMAND';

/** True while any process of a command runs, also after the one that began it has ended. */
export async function isAtWork(group: CommandGroup): Promise<boolean> {
  if ((await membersOf(group)).length > 0) return true;
  // One that was started while the first look went on may have been missed by it.
  return (await membersOf(group)).length > 0;
}

/** Sends a signal to every process of a command that runs. */
export async function signalGroup(group: CommandGroup, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  for (const { pid } of await membersOf(group)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // It has ended by now, or belongs to another user: then it goes on, and counts as at work.
      if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')))
        throw error;
    }
  }
}

async function membersOf(group: CommandGroup): Promise<readonly ProcessEntry[]> {
  const all = (await listProcesses()).filter(({ pid }) => pid !== process.pid);
  const leader = all.find(({ pid }) => pid === group.pid);
  // Its number is another's only once nobody is left in its session.
  const isSessionOurs = leader === undefined || leader.startedAt === group.startedAt;
  return await collectFrom(all, async (each) => {
    if (!isSameBoot(each, group)) return undefined;
    if (each.pid === group.pid && isSessionOurs) return each;
    const isInSession = isSessionOurs && (each.session === group.pid || each.group === group.pid);
    const mark = await readMark(each.pid);
    const isOurs = mark === undefined ? isInSession : mark === group.mark;
    return isOurs ? each : undefined;
  });
}

/** After a restart of the machine all numbers are others'. */
function isSameBoot({ startedAt }: ProcessEntry, group: CommandGroup): boolean {
  return process.platform !== 'linux' || startedAt.split('/')[0] === group.startedAt.split('/')[0];
}

/** Undefined for those without one, and for those of other users. */
async function readMark(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    const found = environment.split('\0').find((each) => each.startsWith(`${markVariable}=`));
    return found?.slice(markVariable.length + 1);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}
