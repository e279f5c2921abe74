import { hostname } from 'node:os';

/** Who holds something in a folder that several processes share, as a name of a file: `host.pid.id`. */
export function holderName(id: string): string {
  return `${plainHost()}.${process.pid}.${id}`;
}

/**
 * Whether the process in a holder's name still runs. Of another machine, which may share the folder over the network, it
 * cannot be told.
 */
export function isHolderAlive(name: string): boolean | undefined {
  const [host, pid] = name.split('.');
  if (host !== plainHost()) return undefined;
  const id = Number(pid);
  if (!Number.isInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It runs as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function plainHost(): string {
  return hostname().replaceAll(/[^\w-]/g, '_');
}
