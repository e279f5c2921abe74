import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { addSessionFlags, collect, type SessionFlags } from '../objects/session.ts';
import type { Terminal } from '../terminal.ts';

/** What `rackwright install` was told. */
export interface InstallFlags extends SessionFlags {
  readonly dryRun?: string | true;
  readonly values?: string[];
  readonly set?: string[];
}

/** Adds `rackwright install`. */
export function addInstallCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('install')
    .summary('install everything in a cluster')
    .description(
      'Makes everything in a cluster that Rackwright runs with there, by server-side apply: kinds, roles, controllers, webhooks. The Helm chart makes the same of the same values.',
    )
    .option(
      '--dry-run [way]',
      'print the objects and ask no server; with "server", let the server check each of them and change nothing',
    )
    .option('-f, --values <file>', 'values, as YAML; may be repeated, later ones win', collect)
    .option('--set <path=value>', 'one value, such as tenancy.model=limited; may be repeated', collect)
    .action(async (flags: InstallFlags) => {
      const way = readWay(flags.dryRun);
      const { runInstall } = await import('./run-install.ts');
      await runInstall(flags, way, terminal);
    });
  addSessionFlags(command);
}

/** What becomes of the objects. */
export type InstallWay = 'print' | 'check' | 'apply';

function readWay(value: string | true | undefined): InstallWay {
  if (value === undefined || value === 'none') return 'apply';
  if (value === true || value === 'client') return 'print';
  if (value === 'server') return 'check';
  throw usageError(`--dry-run=${value}: there are client and server`);
}
