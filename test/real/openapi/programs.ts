import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

const buildScript = join(import.meta.dirname, 'build.sh');

/** Why schemathesis cannot be installed here, or undefined when it can. With CI=true that is an error. */
export function whyNoSchemathesis(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const checked = spawnSync('bash', [buildScript, cacheDirectory(env), 'check'], { env, encoding: 'utf8' });
  if (checked.status === 0) return undefined;
  const why = checked.stderr?.trim() || 'bash is not installed, so schemathesis cannot be installed';
  if (env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Installs schemathesis once per machine and says where its program is. */
export async function schemathesisProgram(): Promise<string> {
  const child = spawn('bash', [buildScript, cacheDirectory()], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`installing schemathesis failed with code ${code}; its reason is printed above`);
  return join(printed.trim().split('\n').at(-1) ?? '', 'venv', 'bin', 'schemathesis');
}
