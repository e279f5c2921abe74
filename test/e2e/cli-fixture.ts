import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { runCommandLine, type Terminal } from '../../src/cli/index.ts';

const main = join(import.meta.dirname, '..', '..', 'bin', 'rackwright.mjs');

/** A temporary folder that is removed with the test. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'rackwright-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A `rackwright` process. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** What it printed so far. */
  readonly printed: { out: string; err: string };
  /** Resolves once the standard output holds the text; throws when the process ends before. */
  until(text: string): Promise<void>;
  /** Resolves once it has complained so, which may be read after what it printed later. Throws when it ends without. */
  untilComplaint(of: RegExp): Promise<void>;
  /** Sends a signal and resolves with the exit code once it has ended; null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

/** Starts the command as a process of its own. Settings of whoever runs the tests do not reach it. */
export function startCli(words: readonly string[], env: NodeJS.ProcessEnv = {}): CliProcess {
  const child = spawn(process.execPath, [main, ...words], {
    env: { ...ownEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    printed.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    printed.err += chunk.toString();
  });
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const killWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void closed.then(() => process.removeListener('exit', killWithUs));
  const untilPrinted = async (what: string, { stream, isSo }: { stream: Readable; isSo: () => boolean }) => {
    const gone = new AbortController();
    void closed.then(() => gone.abort());
    while (!isSo()) {
      await once(stream, 'data', { signal: gone.signal }).catch(() => undefined);
      if (gone.signal.aborted && !isSo()) {
        throw new Error(`the process ended without ${what}:\n${printed.out}${printed.err}`);
      }
    }
  };
  return {
    child,
    printed,
    ended: () => closed,
    until: (text) =>
      untilPrinted(`printing "${text}"`, { stream: child.stdout, isSo: () => printed.out.includes(text) }),
    untilComplaint: (of) =>
      untilPrinted(`a complaint like ${of}`, { stream: child.stderr, isSo: () => of.test(printed.err) }),
    end(signal) {
      child.kill(signal);
      return closed;
    },
  };
}

function ownEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(RACKWRIGHT_|KUBE|NODE_TEST_CONTEXT)/.test(name));
  return Object.fromEntries(kept);
}

/** Starts `rackwright up` on any free port and waits until it says that it is ready. */
export async function startUp(dataDir: string, words: readonly string[] = []): Promise<CliProcess> {
  const up = startCli(['up', '--data-dir', dataDir, '--port', '0', ...words]);
  await up.until('Ctrl-C stops it');
  return up;
}

/** What a command printed and how it ended. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a command is given besides its words. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly interrupted?: AbortSignal;
  /** Stands in for the person at the editor: gets the shell command. */
  readonly edit?: (command: string) => Promise<void> | void;
  /** Told of every piece of output as it comes. */
  readonly onOut?: (text: string) => void;
}

/** Runs a command inside this process, which is quicker than a process for each. */
export async function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    interrupted: options.interrupted ?? new AbortController().signal,
    out(text) {
      out += text;
      options.onOut?.(text);
    },
    err(text) {
      err += text;
    },
    readInput: async () => options.input ?? '',
    async runInteractive(command) {
      await options.edit?.(command);
      return 0;
    },
  };
  const code = await runCommandLine(words, terminal);
  return { code, out, err };
}

/** What is changed about the host of a server of the simulated rack. */
export interface HostSwitch {
  readonly dataDir: string;
  /** Of the server. */
  readonly name: string;
  readonly isOn: boolean;
}

/** Has a server of the simulated rack switched by its host, and waits until it is. */
export async function switchHost({ dataDir, name, isOn }: HostSwitch): Promise<void> {
  const where = ['-n', 'simulated', '--data-dir', dataDir];
  const spec = `{apiVersion: metal3.io/v1alpha1, kind: BareMetalHost, metadata: {name: ${name}}, spec: {online: ${isOn}}}`;
  const applied = await runCli(['apply', '-f', '-', '--force-conflicts', ...where], { input: spec });
  if (applied.code !== 0) throw new Error(applied.err);
  const waited = await runCli([
    'wait',
    `bmh/${name}`,
    `--for=jsonpath={.status.poweredOn}=${isOn}`,
    '--timeout=100s',
    ...where,
  ]);
  if (waited.code !== 0) throw new Error(waited.err);
}

/** A host with its credentials, and a port configuration in the other spelling of its kind. */
export const hostManifests = `
apiVersion: v1
kind: Secret
metadata: {name: host-1-bmc}
stringData: {username: admin, password: not-to-be-seen}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: host-1, labels: {rack: a1}}
spec:
  online: true
  bootMACAddress: "00:11:22:33:44:55"
  bmc: {address: "redfish://192.0.2.1/redfish/v1/Systems/1", credentialsName: host-1-bmc}
---
apiVersion: metal3.io/v1alpha1
kind: SwitchportConfiguration
metadata: {name: tenant}
spec: {untaggedVLAN: 10}
`;

/** A running server with the manifests above applied, and ways to talk to it. */
export interface Fleet {
  readonly folder: string;
  readonly dataDir: string;
  /** The process that serves it; tests may end it and put another here. */
  up: CliProcess;
  cli(words: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** One field of an object, by JSONPath. */
  fieldOf(what: string, path: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a fleet in a temporary folder; the words are more flags of `rackwright up`. */
export async function startFleet(words: readonly string[] = []): Promise<Fleet> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const cli = (words: readonly string[], options: CliOptions = {}) =>
    runCli([...words, '--data-dir', dataDir], options);
  const fleet: Fleet = {
    folder: folder.path,
    dataDir,
    up: await startUp(dataDir, words),
    cli,
    async fieldOf(what, path) {
      const { code, out, err } = await cli(['get', what, '-o', `jsonpath={${path}}`]);
      if (code !== 0) throw new Error(err);
      return out;
    },
    async close() {
      await fleet.up.end('SIGKILL');
      folder.remove();
    },
  };
  const applied = await cli(['apply', '-f', '-'], { input: hostManifests });
  if (applied.code !== 0) throw new Error(applied.err);
  // Nothing provisions it: from here on nobody but the test changes it.
  const met = await cli([
    'wait',
    'bmh/host-1',
    '--for=jsonpath={.status.provisioning.state}=registering',
    '--timeout=100s',
  ]);
  if (met.code !== 0) throw new Error(met.err);
  return fleet;
}
