import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { type StartedProcess, startProcess } from '../processes.ts';
import { type DiscoveryConf, ironicConf } from './ironic-conf.ts';
import { writePasswordFile } from './password-file.ts';
import { type IronicPrograms, realIronicPrograms } from './programs.ts';
import { until } from './until.ts';

/** Where an Ironic shall live. */
export interface IronicOptions {
  /** Wiped on start. */
  readonly dataDir: string;
  readonly port: number;
  /** How often the conductor reads the power state of every node, 600 s unless given; each read costs half a second of CPU. */
  readonly powerSyncSeconds?: number;
  /** Asks for these by HTTP basic; without them anybody may do anything. */
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly discovery?: DiscoveryConf;
}

/** The members of an Ironic node that tests look at. */
export interface IronicNode {
  readonly uuid: string;
  readonly name: string | null;
  readonly provision_state: string;
  readonly target_provision_state: string | null;
  readonly power_state: string | null;
  readonly target_power_state: string | null;
  readonly last_error: string | null;
  readonly maintenance: boolean;
  readonly reservation: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An answer of Ironic that says no. */
export class IronicRefusal extends Error {
  override readonly name = 'IronicRefusal';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A running Ironic: API and conductor in one process. */
export interface Ironic {
  readonly url: string;
  /** A folder whose files nodes may name as file:// images. */
  readonly filesDir: string;
  readonly pid: number;
  /** Calls the API at the newest version; a refusal is an IronicRefusal. Waits while the node is locked. */
  api(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** Waits until the node rests in the state; a node that rests in another one is an error with Ironic's reason. */
  waitForState(node: string, state: string): Promise<IronicNode>;
  /** Waits until the node's power is `power on` or `power off` and Ironic is done changing it. */
  waitForPower(node: string, power: string): Promise<IronicNode>;
  /** The last lines of the log. */
  tail(): string;
  /** Ends it and starts it again with all that it had. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const newestVersion = '1.115';
const patienceMs = 300_000;
/** Each look costs the process that is waited for some of the CPU it has. */
const lookEveryMs = 500;

/** Starts a fresh Ironic on loopback and resolves when its redfish driver is ready. */
export async function startIronic(options: IronicOptions): Promise<Ironic> {
  const programs = await realIronicPrograms();
  const dataDir = resolve(options.dataDir);
  const confPath = writeFiles(dataDir, options);
  if (options.credentials !== undefined) {
    writePasswordFile({ python: programs.python, path: join(dataDir, 'htpasswd'), ...options.credentials });
  }
  const env = { ...process.env, TMPDIR: join(dataDir, 'tmp'), PATH: `${programs.tools}:${process.env.PATH}` };
  await createSchema({ programs, confPath, env });
  const start = () =>
    startProcess({
      name: 'ironic',
      file: programs.python,
      args: [programs.ironic, '--config-file', confPath],
      cwd: dataDir,
      logPath: join(dataDir, 'ironic.log'),
      env,
    });
  const ironic = ironicOf({ start, options, filesDir: join(dataDir, 'http') });
  await ironic.restart();
  return ironic;
}

function writeFiles(dataDir: string, options: IronicOptions): string {
  rmSync(dataDir, { recursive: true, force: true });
  for (const folder of ['state', 'tmp', 'http', 'tftpboot', 'master']) {
    mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 });
  }
  const confPath = join(dataDir, 'ironic.conf');
  const { port, powerSyncSeconds = 600, credentials, discovery = {} } = options;
  const withBasicAuth = credentials !== undefined;
  writeFileSync(confPath, ironicConf({ dataDir, port, powerSyncSeconds, withBasicAuth, discovery }));
  return confPath;
}

async function createSchema(plan: { programs: IronicPrograms; confPath: string; env: NodeJS.ProcessEnv }) {
  const args = [plan.programs.ironicDbsync, '--config-file', plan.confPath, 'create_schema'];
  await promisify(execFile)(plan.programs.python, args, { env: plan.env });
}

function ironicOf(parts: { start: () => StartedProcess; options: IronicOptions; filesDir: string }): Ironic {
  const { start, options, filesDir } = parts;
  let started: StartedProcess | undefined;
  const url = `http://127.0.0.1:${options.port}`;
  const headers = authorizationOf(options.credentials);
  const api: Ironic['api'] = (method, path, body) =>
    callPatiently(() => call({ method, url: `${url}${path}`, body, headers }));
  const readNode = async (node: string) => (await api('GET', `/v1/nodes/${node}`)) as IronicNode;
  // The conductor lets its workers finish, which takes a few seconds.
  const stop = async () => started?.stop(30_000);
  const ironic: Ironic = {
    url,
    filesDir,
    get pid() {
      return started?.pid ?? -1;
    },
    api,
    waitForState: (node, state) => waitForState(() => readNode(node), state),
    waitForPower: (node, power) => waitForPower(() => readNode(node), power),
    tail: () => started?.tail() ?? '',
    async restart() {
      await stop();
      started = start();
      try {
        await waitUntilReady(ironic, started);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
  return ironic;
}

function authorizationOf(credentials: IronicOptions['credentials']): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

async function call(asked: Asked): Promise<unknown> {
  const answer = await request(asked.url, {
    method: asked.method,
    headers: {
      'x-openstack-ironic-api-version': newestVersion,
      'content-type': 'application/json',
      ...asked.headers,
    },
    ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode < 400) return text === '' ? undefined : JSON.parse(text);
  throw new IronicRefusal(
    `${asked.method} ${asked.url} answered ${answer.statusCode}: ${faultOf(text)}`,
    answer.statusCode,
  );
}

/** Ironic wraps the reason into a text that is JSON again. */
function faultOf(text: string): string {
  try {
    const { error_message: inner } = JSON.parse(text) as { error_message?: unknown };
    const fault = typeof inner === 'string' ? (JSON.parse(inner) as { faultstring?: string }) : inner;
    return (fault as { faultstring?: string } | undefined)?.faultstring ?? text;
  } catch {
    return text;
  }
}

/** A node is locked while the conductor reads its power or ends a step; the caller can only come back. */
async function callPatiently(attempt: () => Promise<unknown>): Promise<unknown> {
  const { answer } = await until({
    what: 'the lock of the node',
    timeoutMs: 60_000,
    look: async () => {
      try {
        return { answer: await attempt() };
      } catch (error) {
        if (error instanceof IronicRefusal && error.status === 409 && /is locked/.test(error.message)) return undefined;
        throw error;
      }
    },
  });
  return answer;
}

async function waitForState(readNode: () => Promise<IronicNode>, state: string): Promise<IronicNode> {
  let last: IronicNode | undefined;
  return until({
    what: `the state ${state}`,
    timeoutMs: patienceMs,
    everyMs: lookEveryMs,
    detail: () => `it is ${last?.provision_state}, last error: ${last?.last_error}`,
    look: async () => {
      last = await readNode();
      if (last.target_provision_state !== null && !last.provision_state.endsWith('failed')) return undefined;
      if (last.provision_state === state) return last.reservation === null ? last : undefined;
      throw new Error(`the node is ${last.provision_state} instead of ${state}: ${last.last_error}`);
    },
  });
}

async function waitForPower(readNode: () => Promise<IronicNode>, power: string): Promise<IronicNode> {
  let last: IronicNode | undefined;
  return until({
    what: power,
    timeoutMs: patienceMs,
    everyMs: lookEveryMs,
    detail: () => `it is ${last?.power_state}, last error: ${last?.last_error}`,
    look: async () => {
      last = await readNode();
      if (last.target_power_state !== null) return undefined;
      if (last.power_state === power) return last.reservation === null ? last : undefined;
      throw new Error(`the node is ${last.power_state} instead of ${power}: ${last.last_error}`);
    },
  });
}

async function waitUntilReady(ironic: Ironic, started: StartedProcess): Promise<void> {
  await until({
    what: 'the redfish driver of Ironic',
    timeoutMs: patienceMs,
    detail: () => started.tail(),
    look: async () => {
      if (!started.isRunning()) throw new Error(`ironic ended before it was ready:\n${started.tail()}`);
      const answer = await ironic.api('GET', '/v1/drivers').catch(() => undefined);
      const { drivers = [] } = (answer ?? {}) as { drivers?: { name: string; hosts: string[] }[] };
      return drivers.find((each) => each.name === 'redfish' && each.hosts.length > 0);
    },
  });
}
