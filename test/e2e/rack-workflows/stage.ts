import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, startUp, temporaryFolder } from '../cli-fixture.ts';
import { untilSo } from '../work-services.ts';

/** Runs a command with the words of kubectl, and what it reads; gives what it printed, or fails the test. */
export type Kubectl = (words: readonly string[], input?: string) => Promise<string>;

/** `rackwright up` as anybody starts it, and whoever uses it: by kubectl, and by hands in the data centre. */
export interface RackStage {
  readonly kubectl: Kubectl;
  apply(...objects: object[]): Promise<void>;
  read<T>(kind: string, name: string, namespace?: string): Promise<T>;
  /** Waits until a field of an object has a value. */
  untilField(what: string, path: string, value: string, namespace?: string): Promise<void>;
  /** Presses the power button of a server. */
  press(server: string, type: string): Promise<void>;
  /** What happened to a server, line by line. */
  logOf(server: string): Promise<readonly string[]>;
  /** What the simulator says of a server past everything. */
  server(name: string): Promise<ServerFacts>;
  /** The firmware that its vendor offers for a server, each with the link to its image. */
  offersFor(server: string): Promise<readonly FirmwareOffer[]>;
  /** With the words of the simulator, which kubectl does not know. */
  simulate(...words: string[]): Promise<string>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A server as it is. */
export interface ServerFacts {
  readonly power: string;
  readonly runs: string;
  readonly firmware: readonly { readonly slot: string; readonly component: string; readonly version: string }[];
}

/** A version that can be had. */
export interface FirmwareOffer {
  readonly component: string;
  readonly version: string;
  readonly isNewest: boolean;
  readonly url: string;
}

/** Starts it; resolves once its hosts are where they go by themselves. */
export async function startRackStage(
  kubectlOn: (dataDir: string) => Kubectl | Promise<Kubectl>,
  words: readonly string[] = [],
): Promise<RackStage> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let up = await startUp(dataDir, words);
  const kubectl = await kubectlOn(dataDir);
  const simulate = async (...asked: string[]): Promise<string> => {
    const { code, out, err } = await runCli(['simulate', ...asked, '--data-dir', dataDir]);
    assert.equal(code, 0, `simulate ${asked.join(' ')}: ${err}`);
    return out;
  };
  const admin = () =>
    JSON.parse(readFileSync(join(dataDir, 'simulator', 'admin.json'), 'utf8')) as { url: string; token: string };
  const askAdmin = async <T>(path: string): Promise<T> => {
    const { url, token } = admin();
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200, path);
    return (await answer.json()) as T;
  };
  await up.until('Hosts of the rack: ');
  return {
    kubectl,
    simulate,
    async apply(...objects) {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
    },
    read: async (kind, name, namespace = 'simulated') =>
      JSON.parse(await kubectl(['get', kind, name, '-n', namespace, '-o', 'json'])),
    async untilField(what, path, value, namespace = 'simulated') {
      await kubectl(['wait', what, '-n', namespace, `--for=jsonpath={${path}}=${value}`, '--timeout=300s']);
    },
    async press(server, type) {
      await simulate('reset', server, type);
    },
    logOf: async (server) => (await simulate('log', server)).trimEnd().split('\n'),
    server: (name) => askAdmin<ServerFacts>(`/v1/bmcs/${name}`),
    async offersFor(server) {
      const { firmware } = await askAdmin<{ firmware: (FirmwareOffer & { image: string })[] }>(
        `/v1/bmcs/${server}/firmware`,
      );
      return firmware.map((each) => ({ ...each, url: `${admin().url}${each.image}` }));
    },
    async restart() {
      await up.end('SIGTERM');
      up = await startUp(dataDir, words);
      await up.until('Hosts of the rack: ');
    },
    async close() {
      await up.end('SIGKILL');
      folder.remove();
    },
  };
}

/** How many lines of a log are of an event. */
export async function countOf(stage: RackStage, server: string, event: string): Promise<number> {
  return (await stage.logOf(server)).filter((line) => line.split(' ')[1] === event).length;
}

/** Waits until a server runs that. */
export async function untilRuns(stage: RackStage, server: string, what: string): Promise<void> {
  await untilSo(async () => (await stage.server(server)).runs === what);
}
