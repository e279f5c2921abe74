import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

/** Where the real Ironic, sushy and sushy-tools are; the programs are run with the interpreter. */
export interface IronicPrograms {
  readonly python: string;
  readonly ironic: string;
  readonly ironicDbsync: string;
  readonly sushyEmulator: string;
  /** Folder with programs that Ironic calls and that this machine may not have. */
  readonly tools: string;
  /** Where the dynamic linker finds libvirt, when that was asked for. */
  readonly libraryPath?: string;
}

const buildScript = join(import.meta.dirname, 'build.sh');

/** Why the real Ironic cannot be installed here, or undefined when it can. With CI=true that is an error. */
export function whyNoRealIronic(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const checked = spawnSync('bash', [buildScript, cacheDirectory(env), 'check'], { env, encoding: 'utf8' });
  if (checked.status === 0) return undefined;
  const why = checked.stderr?.trim() || 'bash is not installed, so the real Ironic cannot be installed';
  if (env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Installs Ironic and sushy-tools once per machine and says where they are. */
export async function realIronicPrograms(wish: { readonly withLibvirt?: boolean } = {}): Promise<IronicPrograms> {
  const part = wish.withLibvirt === true ? 'libvirt' : 'base';
  const child = spawn('bash', [buildScript, cacheDirectory(), part], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`installing the real Ironic failed with code ${code}; its reason is printed above`);
  const folder = printed.trim().split('\n').at(-1) ?? '';
  const bin = join(folder, 'venv', 'bin');
  return {
    python: join(bin, 'python'),
    ironic: join(bin, 'ironic'),
    ironicDbsync: join(bin, 'ironic-dbsync'),
    sushyEmulator: join(bin, 'sushy-emulator'),
    tools: join(folder, 'tools', 'bin'),
    ...(part === 'libvirt' ? { libraryPath: readFileSync(join(folder, 'libvirt', 'library-path'), 'utf8') } : {}),
  };
}

/** The Python interpreter that has sushy, installed first where it must be. */
export async function pythonWithSushy(): Promise<string> {
  return (await realIronicPrograms()).python;
}
