import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  differenceOf,
  type FleetIdentity,
  readSnapshot,
  type Snapshot,
  SnapshotError,
} from '../../../simulator/index.ts';
import { makeDirectory } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';

/** Where the admin API of a running simulator is, and the token for it. */
export interface AdminAddress {
  readonly url: string;
  readonly token: string;
}

/** The folder of one simulator in a data directory; nobody else can use it until it is closed. */
export interface SimulatorFolder {
  /** Where the state is kept. */
  readonly stateFile: string;
  /** The state of an earlier run of the same fleet; that of another one is set aside, with a line that says so. */
  readState(fleet: FleetIdentity): Promise<Snapshot | undefined>;
  /** The port of the admin API in the last run, which serves images too: objects name them by their address. */
  readonly lastAdminPort: number | undefined;
  /** Leaves the address where other commands find it; only the owner can read it. */
  rememberAdmin(address: AdminAddress): void;
  /** Leaves the authority of the BMCs' certificates for whoever is to trust them. */
  showAuthority(caPem: string): void;
  close(): void;
}

/** Takes the folder, or says who has it. */
export async function openSimulatorFolder(dataDir: string, terminal: Terminal): Promise<SimulatorFolder> {
  const folder = folderOf(dataDir);
  // Beside the lock of the API server: a simulator may run alone.
  const { lockDataDirectory } = await import('../../apiserver/index.ts');
  makeDirectory(dataDir, { mode: 0o700 });
  const lock = lockDataDirectory(folder);
  const stateFile = join(folder, 'state.json');
  return {
    stateFile,
    readState: (fleet) => readState(stateFile, fleet, terminal),
    lastAdminPort: readPort(join(folder, portFile)),
    rememberAdmin(address) {
      writeFileSync(join(folder, portFile), `${new URL(address.url).port}\n`);
      writeFileSync(adminFileOf(dataDir), `${JSON.stringify(address)}\n`, { mode: 0o600 });
    },
    showAuthority: (caPem) => writeFileSync(authorityFileOf(dataDir), caPem),
    close() {
      rmSync(adminFileOf(dataDir), { force: true });
      rmSync(authorityFileOf(dataDir), { force: true });
      lock.release();
    },
  };
}

/** Where the admin API of the simulator with this data directory is. */
export function readAdminAddress(dataDir: string): AdminAddress {
  try {
    return JSON.parse(readFileSync(adminFileOf(dataDir), 'utf8')) as AdminAddress;
  } catch (cause) {
    const text = `no simulator runs with the data directory ${dataDir}; start one with "rackwright simulate" or "rackwright up", or name another with --data-dir`;
    throw new CliError('unreachable', text, { cause });
  }
}

/** The file with the address and the token of the admin API. */
export function adminFileOf(dataDir: string): string {
  return join(folderOf(dataDir), 'admin.json');
}

/** The file with the certificate of the authority that BMCs are checked against. */
export function authorityFileOf(dataDir: string): string {
  return join(folderOf(dataDir), 'ca.pem');
}

const portFile = 'admin-port';

function readPort(file: string): number | undefined {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function folderOf(dataDir: string): string {
  return join(dataDir, 'simulator');
}

async function readState(file: string, fleet: FleetIdentity, terminal: Terminal): Promise<Snapshot | undefined> {
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await readSnapshot(file);
  } catch (error) {
    if (error instanceof SnapshotError) throw new CliError('bad-data', error.message, { cause: error });
    throw error;
  }
  const difference = snapshot === undefined ? undefined : differenceOf(snapshot.fleet, fleet);
  if (difference === undefined) return snapshot;
  const aside = freeName(file);
  renameSync(file, aside);
  terminal.err(
    `The state in ${file} is of another simulated fleet (${difference}): it is now ${aside}, and all servers are as they come out of the box.\n`,
  );
  return undefined;
}

function freeName(file: string): string {
  for (let number = 1; ; number++) {
    const name = `${file}.${number}`;
    if (!existsSync(name)) return name;
  }
}
