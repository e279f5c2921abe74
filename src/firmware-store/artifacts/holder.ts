import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds something in a folder that several processes share, as a name of a file: `host.pid.start.id`. */
export function holderName(id: string): string {
  return `${plainHost()}.${process.pid}.${startOf(process.pid)}.${id}`;
}

/**
 * Whether the process in a holder's name still runs. Of another machine, which may share the folder over the network, it
 * cannot be told.
 */
export function isHolderAlive(name: string): boolean | undefined {
  const [host, pid, start = ''] = name.split('.');
  if (host !== plainHost()) return undefined;
  const id = Number(pid);
  if (!Number.isInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
  } catch (error) {
    // It runs as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // In a container every life has the same number: only when it began tells them apart.
  const now = startOf(id);
  return !/^\d+$/.test(start) || now === 'x' || start === now;
}

/** When a process began, in the ticks of its machine; `x` where that cannot be told. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, which may have anything in it, ends with the last bracket.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? 'x';
  } catch {
    // No Linux, or gone meanwhile, which the caller finds out by itself.
    return 'x';
  }
}

function plainHost(): string {
  return hostname().replaceAll(/[^\w-]/g, '_');
}
