import type { Command } from 'commander';
import { KubeError } from '../kube/index.ts';
import { CliError } from './errors.ts';
import { addSessionFlags, type SessionFlags, withSession } from './objects/session.ts';
import type { Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

/** Adds `rackwright version`. */
export function addVersionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('version')
    .summary('print the versions of the command and of the server')
    .option('--client', 'only that of the command')
    .action(async (flags: SessionFlags & { client?: boolean }) => {
      terminal.out(`rackwright ${packageVersion()} (Node ${process.versions.node})\n`);
      if (flags.client !== true) terminal.out(`${await serverLine(flags, terminal)}\n`);
    });
  addSessionFlags(command);
}

/** A server that is not there is no error here: the question was which versions there are. */
async function serverLine(flags: SessionFlags, terminal: Terminal): Promise<string> {
  try {
    return await withSession(flags, terminal, async ({ client }) => {
      const { gitVersion } = await client.request<{ gitVersion: string }>({ method: 'GET', path: '/version' });
      return `Kubernetes API ${gitVersion} at ${client.server}`;
    });
  } catch (error) {
    if (error instanceof CliError || error instanceof KubeError) return `no server reached: ${error.message}`;
    throw error;
  }
}
