import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type KubeClient } from '../../../src/kube/index.ts';
import { type CliProcess, startUp, temporaryFolder } from '../../e2e/cli-fixture.ts';
import { tokenOf } from './people.ts';

/** A running `rackwright up` with a simulated rack. */
export interface ConsoleRig {
  /** Of the console. */
  readonly url: string;
  readonly adminToken: string;
  readonly dataDir: string;
  readonly client: KubeClient;
  readonly up: CliProcess;
  /** Makes somebody with these cluster roles, and gives a token of theirs. */
  tokenWith(name: string, ...roles: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts it and waits until the hosts of the rack are at rest. */
export async function startConsoleRig(words: readonly string[] = []): Promise<ConsoleRig> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const up = await startUp(dataDir, words);
  await up.until('Hosts of the rack: ');
  const url = /Console +(\S+)/.exec(up.printed.out)?.[1] ?? '';
  const client = await createClient({ kubeconfig: join(dataDir, 'kubeconfig') });
  return {
    url,
    dataDir,
    client,
    up,
    adminToken: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim(),
    tokenWith: (name, ...roles) => tokenOf(client, { name, roles }),
    async close() {
      await client.close();
      await up.end('SIGKILL');
      folder.remove();
    },
  };
}
