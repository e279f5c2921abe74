import { lstat, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, type ProcessMark, readProcessMark } from '../../process-mark.ts';
import { type CommandGroup, isAtWork, signalGroup } from './command-group.ts';

/** A folder that a command runs in, with the credentials in it. It says whose it is, for whoever finds it after a crash. */
export interface ToolFolder {
  readonly path: string;
  /** Writes down by what the processes of the command are known, before it begins. */
  note(tool: CommandGroup, endsBy: number): Promise<void>;
  remove(): Promise<void>;
}

/** A command that runs on this machine, whoever started it. */
export interface RunningTool {
  readonly tool: CommandGroup;
  /** When it has to be over, in milliseconds since 1970. */
  readonly endsBy: number;
  /** True when the process that started it is gone: nobody ends it when its time is over. */
  readonly isOrphan: boolean;
}

interface Note {
  readonly origin: string;
  readonly owner: ProcessMark;
  readonly tool?: CommandGroup;
  readonly endsBy?: number;
}

const prefix = 'rackwright-cli-';
const noteName = 'note.json';
const draftName = `${noteName}.new`;

/** What nothing else in the folder may be called. */
export const noteNames: readonly string[] = [noteName, draftName];

/** Makes a folder for a command that works on the BMC at an origin. */
export async function openToolFolder(origin: string): Promise<ToolFolder> {
  const owner = (await readProcessMark(process.pid)) ?? { pid: process.pid, startedAt: '' };
  const path = await mkdtemp(join(tmpdir(), prefix));
  const write = async (note: Note): Promise<void> => {
    const draft = join(path, draftName);
    await writeFile(draft, JSON.stringify(note), { mode: 0o600 });
    await rename(draft, join(path, noteName));
  };
  await write({ origin, owner });
  return {
    path,
    note: (tool, endsBy) => write({ origin, owner, tool, endsBy }),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** The commands that run on this machine for the BMC at an origin. */
export async function findTools(origin: string): Promise<readonly RunningTool[]> {
  const found: RunningTool[] = [];
  for (const { note } of await listNotes()) {
    if (note === undefined) continue;
    const { tool, endsBy = 0, owner } = note;
    if (note.origin !== origin || tool === undefined || !(await isAtWork(tool))) continue;
    found.push({ tool, endsBy, isOrphan: !(await isRunning(owner)) });
  }
  return found;
}

/** Ends the commands that a process started, with all that they started themselves. */
export async function signalToolsOf(
  owner: ProcessMark,
  { signal, folder }: { readonly signal: 'SIGTERM' | 'SIGKILL'; readonly folder: string },
): Promise<void> {
  for (const { note } of await listNotes(folder)) {
    if (note?.tool === undefined || note.owner.pid !== owner.pid || note.owner.startedAt !== owner.startedAt) continue;
    await signalGroup(note.tool, signal);
  }
}

/** Throws away, with the credentials in them, the folders of crashed processes whose commands are over as well. */
export async function sweepToolFolders(): Promise<void> {
  for (const { path, note } of await listNotes()) {
    const isUsed = note !== undefined && (await isRunning(note.owner));
    if (isUsed || (note?.tool !== undefined && (await isAtWork(note.tool)))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

interface Listed {
  readonly path: string;
  /** Undefined where it was half written when the machine went down: nobody works there any more. */
  readonly note: Note | undefined;
}

async function listNotes(folder = tmpdir()): Promise<readonly Listed[]> {
  const all = await readdir(folder).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  const names = all.filter((name) => name.startsWith(prefix));
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const text = await readNote(path);
      return text === undefined ? [] : [{ path, note: parseNote(text) }];
    }),
  );
  return found.flat();
}

/** Only of folders of our own: anybody may make one here, and what it says is acted on. */
async function readNote(path: string): Promise<string | undefined> {
  try {
    const { uid } = await lstat(path);
    if (uid !== process.getuid?.()) return undefined;
    return await readFile(join(path, noteName), 'utf8');
  } catch (error) {
    // It goes, or has just been made.
    if (isGone(error)) return undefined;
    throw error;
  }
}

function parseNote(text: string): Note | undefined {
  try {
    const note = JSON.parse(text) as Note | null;
    return typeof note?.origin === 'string' && typeof note.owner?.pid === 'number' ? note : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
