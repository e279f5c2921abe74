import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';
import { type Outcome, Sender } from './send.ts';
import { restOperations, storedState } from './stored-state.ts';
import { startTarget, type Target } from './target.ts';
import { type LivezTimes, watchLivez } from './watch-livez.ts';

/** How much is sent. */
export interface HostileOptions {
  readonly requests: number;
  readonly seed: number;
  /** Requests under way at once. */
  readonly atOnce: number;
  /** Servers of the simulated rack. */
  readonly servers: number;
}

/** What came of it. */
export interface HostileReport {
  /** How many requests were answered with each code, by port; `closed` where there was no answer. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Answers that no page of the docs allows, and requests that got neither an answer nor a closed connection. */
  readonly undocumented: readonly string[];
  /** What is stored now and was not before, or is not any more. */
  readonly stored: readonly string[];
  /** How the server ended when it was told to: anything but 0, also before it was told to, is a crash. */
  readonly exitCode: number | null;
  /** /livez before, and during, in milliseconds. */
  readonly quiet: LivezTimes;
  readonly loaded: LivezTimes;
  readonly seconds: number;
}

const quietMs = 3000;
/** What is written of an answer that should not be. */
const mostShown = 400;

/** Starts `rackwright up`, sends hostile requests to all of its ports with and without credentials, and says what came of it. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  try {
    const target = await startTarget(join(folder, 'data'), { servers: options.servers });
    let report: Omit<HostileReport, 'exitCode'>;
    try {
      report = await attack(target, options);
    } catch (error) {
      await target.stop();
      throw new Error(`the attack ended early:\n${target.process.printed.err.slice(-4000)}`, { cause: error });
    }
    return { ...report, exitCode: await target.stop() };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function attack(target: Target, options: HostileOptions): Promise<Omit<HostileReport, 'exitCode'>> {
  const operations = await restOperations(target);
  const before = await storedState(target);
  const livez = watchLivez(target.api.port);
  try {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const quiet = await livez.take();
    const began = performance.now();
    const tally = await sendAll(target, hostileRequests(options.seed, operations), options);
    const seconds = (performance.now() - began) / 1000;
    const loaded = await livez.take();
    const after = await storedState(target);
    const stored = [
      ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
      ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ];
    return { ...tally, stored, quiet, loaded, seconds };
  } finally {
    await livez.stop();
  }
}

async function sendAll(
  { ports, identities }: Target,
  requests: Iterator<HostileRequest>,
  { requests: count, atOnce }: HostileOptions,
): Promise<Pick<HostileReport, 'codes' | 'undocumented'>> {
  const codes: Record<string, Record<string, number>> = {};
  const undocumented: string[] = [];
  const sender = new Sender();
  const tokens = Object.entries(identities);
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < count) {
      const [identity, token] = tokens[sent++ % tokens.length] ?? ['nobody', undefined];
      const hostile = requests.next().value as HostileRequest;
      const port = ports.find(({ name }) => name === hostile.port);
      if (port === undefined) throw new Error(`there is no port ${hostile.port}`);
      const outcome = await sender.send(port, hostile, token);
      const ofPort = codes[hostile.port] ?? {};
      codes[hostile.port] = ofPort;
      const code = outcome.code === 0 ? 'closed' : String(outcome.code);
      ofPort[code] = (ofPort[code] ?? 0) + 1;
      if (!isDocumented(hostile, outcome)) undocumented.push(describe(hostile, { identity, outcome }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  sender.close();
  return { codes, undocumented };
}

/** What kube-apiserver answers with 500: mistakes of clients, with no reason in the Status or in plain text. */
function isDocumented({ port }: HostileRequest, { code, headers, text, isStuck }: Outcome): boolean {
  if (isStuck === true) return false;
  if (code < 500 || code === 503 || code === 504) return true;
  if (port === 'rest') return code === 501;
  if (port === 'agents' || code !== 500) return false;
  const isStatus = String(headers['content-type']).startsWith('application/json');
  return isStatus ? !text.includes('"reason":"InternalError"') : text.startsWith('Internal Server Error: ');
}

function describe(
  { port, method, path, raw, body, headers }: HostileRequest,
  { identity, outcome }: { readonly identity: string; readonly outcome: Outcome },
): string {
  const sent = String(raw ?? body ?? '').slice(0, mostShown);
  const answer = outcome.isStuck === true ? 'got no answer' : `was answered ${outcome.code} ${outcome.text}`;
  const what = `${method} ${path} of ${identity} to ${port}, ${JSON.stringify(headers)} ${JSON.stringify(sent)}`;
  return `${what.slice(0, 2 * mostShown)} ${answer.slice(0, mostShown)}`;
}
