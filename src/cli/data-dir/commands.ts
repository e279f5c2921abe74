import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { packageVersion } from '../version.ts';

/** Adds `rackwright backup` and `rackwright restore`. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .summary('copy the whole state of a data directory')
    .description(
      'Copies objects, keys, certificates, tokens and audit log as of one moment; the server may be running. The copy holds every secret.',
    )
    .argument('<target>', 'a new file (.tar, .tar.gz or .tgz) or, with any other name, a new folder')
    .action(async (target: string, flags: object) => {
      const { dataDir } = readSettings(['dataDir'], { ...flags }, terminal);
      const { backUp } = await import('./backup.ts');
      const version = packageVersion();
      const { files } = await backUp({ dataDir, target: resolve(terminal.cwd, target), version, now: new Date() });
      terminal.out(
        `${target}: ${files.length} files of ${dataDir}\nIt holds every secret: keep it where only you can read it.\n`,
      );
    });
  addSettings(backup, ['dataDir']);
  const restore = program
    .command('restore')
    .summary('make a data directory from a backup')
    .description('Makes a new data directory from a backup; start it with "rackwright up --data-dir".')
    .argument('<source>', 'what "rackwright backup" wrote: a file or a folder')
    .action(async (source: string, flags: object) => {
      const { dataDir } = readSettings(['dataDir'], { ...flags }, terminal);
      const { restore: run } = await import('./restore.ts');
      const manifest = await run({ source: resolve(terminal.cwd, source), dataDir });
      terminal.out(`${dataDir}: restored what Rackwright ${manifest.version} backed up at ${manifest.createdAt}\n`);
    });
  addSettings(restore, ['dataDir']);
}
