import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { addSessionFlags, collect, type Session, type SessionFlags, withSession } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { addOutputFlag, renderShown } from '../output/show.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

interface BundleFlags extends SessionFlags {
  readonly logFile?: readonly string[];
  readonly output?: string;
}

/** Adds `rackwright support-bundle`. */
export function addSupportBundleCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('support-bundle')
    .summary('collect what somebody who helps needs to see')
    .description(
      'Writes objects, events, conditions, inventory, metrics, versions, the audit log and logs into one file, without secrets: what Secrets hold, passwords, tokens and log-ins in addresses are taken out. Of machines of other fleets on the same database nothing is collected.',
    )
    .argument('[target]', 'the new file; rackwright-support-TIME.tar.gz unless given')
    .option('--log-file <file>', 'add the end of this log; may be repeated', collect)
    .action((target: string | undefined, flags: BundleFlags) =>
      withSession(flags, terminal, (session) => makeBundle(target, flags, { session, terminal })),
    );
  addOutputFlag(command);
  addSettings(command, ['restUrl', 'inventoryUrl', 'tokenFile', 'caFile']);
  addSessionFlags(command);
}

async function makeBundle(
  target: string | undefined,
  flags: BundleFlags,
  { session, terminal }: { readonly session: Session; readonly terminal: Terminal },
): Promise<void> {
  const output = readOutputForm(flags.output);
  const now = new Date();
  const name = target ?? `rackwright-support-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`;
  const { dataDir } = readSettings(['dataDir'], { ...flags }, terminal);
  const [{ withRestIfThere }, { Progress }, { collectBundle }, { refuseExisting, writeBundle }] = await Promise.all([
    import('../fleet/read-fleet.ts'),
    import('../output/progress.ts'),
    import('./collect-bundle.ts'),
    import('./write-bundle.ts'),
  ]);
  const file = resolve(terminal.cwd, name);
  refuseExisting(file);
  const progress = new Progress(terminal);
  const collected = await withRestIfThere(flags, terminal, (rest, restProblem) =>
    collectBundle({
      ...{ session, rest, restProblem, dataDir, progress },
      logFiles: (flags.logFile ?? []).map((file) => resolve(terminal.cwd, file)),
      signal: terminal.interrupted,
    }),
  ).finally(() => progress.clear());
  const manifest = await writeBundle(collected, { target: file, now });
  for (const { what, why } of manifest.leftOut) terminal.err(`Warning: ${what} is left out: ${why}\n`);
  const text = (): string =>
    `${name}: ${manifest.files.length} files\nSecrets were taken out; look into it all the same before you pass it on.\n`;
  terminal.out(renderShown({ value: { file: name, ...manifest }, names: [name], text }, output));
}
