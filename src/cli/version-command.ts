import type { Command } from 'commander';
import { KubeError } from '../kube/index.ts';
import { CliError } from './errors.ts';
import { addSessionFlags, type SessionFlags, withSession } from './objects/session.ts';
import { readOutputForm } from './output/output-form.ts';
import { addOutputFlag, renderShown } from './output/show.ts';
import type { Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

/** Adds `rackwright version`. */
export function addVersionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('version')
    .summary('print the versions of the command and of the server')
    .option('--client', 'only that of the command')
    .action(async (flags: SessionFlags & { client?: boolean; output?: string }) => {
      const output = readOutputForm(flags.output);
      const versions = {
        client: clientVersion(),
        ...(flags.client === true ? {} : await serverVersion(flags, terminal)),
      };
      terminal.out(renderShown({ value: versions, text: () => versionText(versions) }, output));
    });
  addOutputFlag(command);
  addSessionFlags(command);
}

/** Versions of the command and, as far as it was asked for and reached, of the server. */
export interface Versions {
  readonly client: { readonly version: string; readonly node: string; readonly platform: string };
  readonly server?: { readonly version: string; readonly address: string };
  /** Why there is nothing of the server. */
  readonly problem?: string;
}

/** The version of this command. */
export function clientVersion(): Versions['client'] {
  return {
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform}/${process.arch}`,
  };
}

function versionText({ client, server, problem }: Versions): string {
  const own = `rackwright ${client.version} (Node ${client.node})\n`;
  if (server !== undefined) return `${own}Kubernetes API ${server.version} at ${server.address}\n`;
  return problem === undefined ? own : `${own}no server reached: ${problem}\n`;
}

/** A server that is not there is no error here: the question was which versions there are. */
async function serverVersion(flags: SessionFlags, terminal: Terminal): Promise<Pick<Versions, 'server' | 'problem'>> {
  try {
    return await withSession(flags, terminal, async ({ client }) => {
      const { gitVersion } = await client.request<{ gitVersion: string }>({ method: 'GET', path: '/version' });
      return { server: { version: gitVersion, address: client.server } };
    });
  } catch (error) {
    if (error instanceof CliError || error instanceof KubeError) return { problem: error.message };
    throw error;
  }
}
