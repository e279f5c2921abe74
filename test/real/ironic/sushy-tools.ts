import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { writePasswordFile } from './password-file.ts';
import { type IronicPrograms, realIronicPrograms } from './programs.ts';
import { createRedfishReader, type RedfishReader } from './redfish-reader.ts';
import { until } from './until.ts';

/** Where sushy-tools' Redfish emulator shall live and what stands behind it. */
export interface SushyToolsOptions {
  /** Wiped on start. */
  readonly dataDir: string;
  readonly port: number;
  /**
   * `libvirt`: the stock driver on libvirt's test hypervisor (no virtual media). `fakeplus`: the fake driver with BIOS,
   * processors and firmware version added (virtual media works, state is kept on disk).
   */
  readonly driver: 'libvirt' | 'fakeplus';
  /** Serve https with a certificate of the run's own authority. */
  readonly withTls?: boolean;
  /** Ask for the user name and the password (HTTP Basic: the emulator has no sessions). */
  readonly withBasicAuth?: boolean;
}

/** A running emulator with eight systems. */
export interface SushyTools {
  /** Scheme, host and port, without a path. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The first of the systems. */
  readonly systemPath: string;
  /** All systems, to give each test its own. */
  readonly systemPaths: readonly string[];
  /** The authority to trust, as text and as a file; only with TLS. */
  readonly caPem?: string;
  readonly caPath?: string;
  /** Reads the emulator's own resources, past whatever is being tested. */
  readonly reader: RedfishReader;
  readonly pid: number;
  /** Lets nobody in with the old password from now on; only with Basic authentication. */
  changePassword(password: string): void;
  /** Says how updates of firmware go from now on; completed at once unless told. Only with `fakeplus`. */
  setTaskState(state: 'Running' | 'Completed' | 'Exception'): void;
  stop(): Promise<void>;
}

const username = 'admin';
const firstPassword = 'emulated-bmc';
const systemPaths = Array.from(
  { length: 8 },
  (_, index) => `/redfish/v1/Systems/11111111-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
);

/** Starts sushy-tools' emulator on loopback and resolves when it answers. */
export async function startSushyTools(options: SushyToolsOptions): Promise<SushyTools> {
  const programs = await realIronicPrograms({ withLibvirt: options.driver === 'libvirt' });
  const dataDir = resolve(options.dataDir);
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(join(dataDir, 'state'), { recursive: true, mode: 0o700 });
  const tls = options.withTls === true ? await writeCertificates(dataDir) : undefined;
  const emulator = startEmulator({ programs, dataDir, options });
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${options.port}`;
  let password = firstPassword;
  const readerNow = () =>
    createRedfishReader({ url, username, password, ...(tls === undefined ? {} : { caPem: tls.caPem }) });
  const reader: RedfishReader = { read: (path) => readerNow().read(path) };
  try {
    await waitUntilItAnswers(emulator, reader);
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  const [systemPath = ''] = systemPaths;
  return {
    ...{ url, username, systemPath, systemPaths, reader, pid: emulator.pid },
    ...tls,
    get password() {
      return password;
    },
    changePassword(changed) {
      password = changed;
      // The emulator reads the file with every request, and shall never find half of it.
      const path = join(dataDir, 'htpasswd');
      writePasswordFile({ python: programs.python, path: `${path}.new`, username, password });
      renameSync(`${path}.new`, path);
    },
    setTaskState(state) {
      const path = join(dataDir, 'state', 'task-state');
      writeFileSync(`${path}.new`, state);
      renameSync(`${path}.new`, path);
    },
    stop: () => emulator.stop(),
  };
}

interface EmulatorPlan {
  readonly programs: IronicPrograms;
  readonly dataDir: string;
  readonly options: SushyToolsOptions;
}

function startEmulator({ programs, dataDir, options }: EmulatorPlan): StartedProcess {
  const config = join(import.meta.dirname, `emulator-${options.driver}.conf.py`);
  const inData = (name: string) => join(dataDir, name);
  if (options.withBasicAuth === true) {
    writePasswordFile({ python: programs.python, path: inData('htpasswd'), username, password: firstPassword });
  }
  const env: NodeJS.ProcessEnv = { ...process.env, EMULATOR_STATE_DIR: inData('state'), TMPDIR: dataDir };
  if (options.withBasicAuth === true) env.EMULATOR_AUTH_FILE = inData('htpasswd');
  if (options.withTls === true) {
    env.EMULATOR_SSL_CERT = inData('tls.crt');
    env.EMULATOR_SSL_KEY = inData('tls.key');
  }
  if (programs.libraryPath !== undefined) env.LD_LIBRARY_PATH = programs.libraryPath;
  return startProcess({
    name: 'sushy-emulator',
    file: programs.python,
    args: [programs.sushyEmulator, '--config', config, '-i', '127.0.0.1', '-p', String(options.port)],
    cwd: dataDir,
    logPath: inData('sushy-emulator.log'),
    env,
  });
}

async function writeCertificates(dataDir: string): Promise<{ caPem: string; caPath: string }> {
  const authority = await createCertificateAuthority('emulated-bmcs');
  const serving = await authority.issueServer('emulated-bmc');
  const caPath = join(dataDir, 'ca.crt');
  writeFileSync(caPath, authority.certPem);
  writeFileSync(join(dataDir, 'tls.crt'), serving.certPem);
  writeFileSync(join(dataDir, 'tls.key'), serving.keyPem, { mode: 0o600 });
  return { caPem: authority.certPem, caPath };
}

async function waitUntilItAnswers(emulator: StartedProcess, reader: RedfishReader): Promise<void> {
  await until({
    what: 'the first answer of sushy-emulator',
    timeoutMs: 300_000,
    detail: () => emulator.tail(),
    look: async () => {
      if (!emulator.isRunning()) throw new Error(`sushy-emulator ended before it answered:\n${emulator.tail()}`);
      return reader.read('/redfish/v1/Systems').catch(() => undefined);
    },
  });
}
