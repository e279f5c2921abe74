import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { AnyKubeObject } from '../../../src/kube/index.ts';
import { clusterApiPrograms } from '../cluster-api/programs.ts';
import { cacheDirectory } from '../kube/binaries.ts';

/** A controller of another project: its program and the definitions of its kinds. */
export interface ControllerProgram {
  readonly file: string;
  readonly definitions: readonly AnyKubeObject[];
}

export type ControllerName = 'cluster-api' | 'kro' | 'trust-manager' | 'approver-policy' | 'kustomize-controller';

/** Builds the controllers once per machine and says where they are. */
export async function controllerPrograms(): Promise<Record<ControllerName, ControllerProgram>> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const child = spawn(join(import.meta.dirname, 'build.sh'), [cache], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`building the controllers failed with code ${code}`);
  const folder = printed.trim().split('\n').at(-1) ?? '';
  const program = (name: ControllerName) => ({
    file: join(folder, name),
    definitions: readDefinitions(join(folder, `${name}-crds`)),
  });
  const clusterApi = await clusterApiPrograms();
  return {
    'cluster-api': { file: clusterApi.manager, definitions: readDefinitions(clusterApi.definitions) },
    kro: program('kro'),
    'trust-manager': program('trust-manager'),
    'approver-policy': program('approver-policy'),
    'kustomize-controller': program('kustomize-controller'),
  };
}

function readDefinitions(folder: string): AnyKubeObject[] {
  return readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')) as AnyKubeObject);
}
