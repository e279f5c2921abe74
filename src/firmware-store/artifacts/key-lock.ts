import { type FileHandle, link, open, readFile, rename, utimes } from 'node:fs/promises';
import { type Clock, sleep, type Timer } from '../../kube/index.ts';
import { StoreError } from '../errors.ts';
import { isMissing, remove, statOf } from './files.ts';
import { holderName, isHolderAlive } from './holder.ts';

/** The right to change one entry of a cache, among all processes that share it. */
export interface KeyLock {
  /**
   * `fresh`: nobody had it. `dead`: who had it is gone, and what it left can be gone on with. `silent`: who had it was
   * not heard of for too long, but may wake up and write: what it left must not be used.
   */
  readonly before: 'fresh' | 'dead' | 'silent';
  /** Whether it is still ours: throws `aborted` when another process has it. It stays so while this process runs. */
  beat(): Promise<void>;
  release(): Promise<void>;
}

/** After so long without a beat a lock is taken away from a process that may be frozen. */
export const silentMs = 60_000;

/** A process that runs says so this often, however slow what it does is; one that is frozen says nothing. */
const beatEveryMs = silentMs / 4;

const pollMs = 250;

/** What a lock needs besides its path. */
export interface LockContext {
  readonly clock: Clock;
  newId(): string;
  readonly signal?: AbortSignal | undefined;
}

/** Takes a lock, waiting for it as long as somebody else has it and works. */
export async function takeLock(path: string, context: LockContext): Promise<KeyLock> {
  for (;;) {
    if (context.signal?.aborted === true) throw new StoreError('aborted', { what: 'waiting for a download' });
    const lock = await tryLock(path, context);
    if (lock !== undefined) return lock;
    await sleep(context.clock, pollMs, context.signal);
  }
}

/** Takes a lock if nobody has it. */
export async function tryLock(path: string, context: LockContext): Promise<KeyLock | undefined> {
  const name = holderName(context.newId());
  if (await create(path, name, context.clock)) return held(path, { name, before: 'fresh', clock: context.clock });
  const seen = await judge(path, context.clock);
  if (seen.before === 'held') return undefined;
  if (seen.before !== 'fresh' && !(await takeAway(path, { from: seen.name, by: name }))) return undefined;
  if (!(await create(path, name, context.clock))) return undefined;
  return held(path, { name, before: seen.before, clock: context.clock });
}

async function create(path: string, name: string, clock: Clock): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    await handle.writeFile(name);
  } catch (error) {
    // A full disk takes the file and not what is in it: without a name it would be held for a while.
    await remove(path);
    throw error;
  } finally {
    await handle.close();
  }
  await setTime(path, clock.now());
  return true;
}

interface Seen {
  readonly name: string;
  readonly before: 'held' | KeyLock['before'];
}

async function judge(path: string, clock: Clock): Promise<Seen> {
  try {
    const [name, seen] = [await readFile(path, 'utf8'), await statOf(path)];
    if (seen === undefined) return { name, before: 'fresh' };
    // A lock without a name is being made, or its maker died in between.
    if (name !== '' && isHolderAlive(name) === false) return { name, before: 'dead' };
    return { name, before: clock.now() - seen.mtimeMs > silentMs ? 'silent' : 'held' };
  } catch (error) {
    if (isMissing(error)) return { name: '', before: 'fresh' };
    throw error;
  }
}

/** Only one of several can rename the file away; one that came too late and got a newer lock puts it back. */
async function takeAway(path: string, order: { readonly from: string; readonly by: string }): Promise<boolean> {
  const aside = `${path}~${order.by}`;
  try {
    await rename(path, aside);
    const isMeant = (await readFile(aside, 'utf8')) === order.from;
    if (!isMeant) await link(aside, path);
    return isMeant;
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await remove(aside);
  }
}

function held(
  path: string,
  about: { readonly name: string; readonly before: KeyLock['before']; readonly clock: Clock },
): KeyLock {
  const { name, before, clock } = about;
  const isOurs = async (): Promise<boolean> => {
    try {
      return (await readFile(path, 'utf8')) === name;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };
  let timer: Timer | undefined;
  let isHeld = true;
  const keepBeating = (): void => {
    timer = clock.after(beatEveryMs, () => {
      // Whoever has lost it finds out with its next step; a folder that is away for a moment may be back by then.
      const touched = isOurs().then((isStill) => (isStill && isHeld ? setTime(path, clock.now()) : undefined));
      touched.catch(() => undefined).finally(() => (isHeld ? keepBeating() : undefined));
    });
  };
  keepBeating();
  return {
    before,
    async beat() {
      if (await isOurs()) return setTime(path, clock.now());
      throw new StoreError('aborted', { what: 'a download that another process has taken over' });
    },
    async release() {
      isHeld = false;
      timer?.cancel();
      if (await isOurs()) await remove(path);
    },
  };
}

async function setTime(path: string, nowMs: number): Promise<void> {
  try {
    await utimes(path, nowMs / 1000, nowMs / 1000);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
