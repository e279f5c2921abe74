import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeJobFile,
  encodeJobFile,
  isRunning,
  type JobFile,
  type ProcessMark,
  readClaim,
} from '../../../jobs/index.ts';
import { redactText } from '../../../telemetry/index.ts';

/** The folder of one launched job: the file that it is launched with, who it is, what it prints. */
export interface JobFolder {
  readonly path: string;
  readonly jobFile: string;
  readonly outputFile: string;
}

/** The folder of a job under one token: launching it again under another is another job. */
export function folderOf(root: string, order: { readonly jobId: string; readonly token: string }): JobFolder {
  const name = createHash('sha256').update(`${order.jobId}\n${order.token}`).digest('hex').slice(0, 32);
  return folderAt(join(root, name));
}

/** True for names that folders of jobs have. */
export function isJobFolder(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

/** The folder at a path. */
export function folderAt(path: string): JobFolder {
  return { path, jobFile: join(path, 'job.json'), outputFile: join(path, 'output.log') };
}

/** Writes what a job is launched with; nobody sees half of it. */
export async function writeJobFile(folder: JobFolder, file: JobFile): Promise<void> {
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  const draft = `${folder.jobFile}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, encodeJobFile(file), { mode: 0o600, flag: 'wx' });
  await rename(draft, folder.jobFile);
}

/** What a job was launched with; undefined when it was removed. */
export async function readJobFileOf(folder: JobFolder): Promise<JobFile | undefined> {
  const text = await readFile(folder.jobFile, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : decodeJobFile(text, folder.jobFile);
}

/** Writes down which process it is, as soon as it was started. */
export async function writeProcess(folder: JobFolder, mark: ProcessMark): Promise<void> {
  const draft = join(folder.path, 'process.json.new');
  await writeFile(draft, JSON.stringify(mark), { mode: 0o600 });
  await rename(draft, join(folder.path, 'process.json'));
}

/** The process that does the job of a folder: as it says itself, or else as it was started. */
export async function readProcess(folder: JobFolder): Promise<ProcessMark | undefined> {
  const claimed = await readClaim(folder.path);
  if (claimed !== undefined) return claimed;
  const text = await readFile(join(folder.path, 'process.json'), 'utf8').catch(() => '');
  if (text === '') return undefined;
  const { pid, startedAt } = JSON.parse(text) as ProcessMark;
  return { pid, startedAt };
}

/** True while the process of a folder runs. */
export async function doesRun(folder: JobFolder): Promise<boolean> {
  const mark = await readProcess(folder);
  return mark !== undefined && (await isRunning(mark));
}

/** The last lines that a job printed, without its secrets. */
export async function lastLines(folder: JobFolder, mostBytes: number): Promise<readonly string[]> {
  const secrets = secretsOf(await readJobFileOf(folder).catch(() => undefined));
  const text = await tailOf(folder.outputFile, mostBytes);
  const clean = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
  return redactText(clean)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function secretsOf(file: JobFile | undefined): readonly string[] {
  // Short ones would be found everywhere, and are no secrets.
  return [file?.token, file?.bmc?.password].filter((each) => each !== undefined && each.length >= 4) as string[];
}

async function tailOf(path: string, mostBytes: number): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostBytes);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length });
    const text = buffer.toString('utf8');
    // The first line is cut somewhere.
    return size > length ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await file.close();
  }
}

/** Throws away what only a job that runs needs, the token first. */
export async function removeFolder(folder: JobFolder): Promise<void> {
  await rm(folder.jobFile, { force: true });
  await rm(folder.path, { recursive: true, force: true });
}
