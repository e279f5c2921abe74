import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import type { JobFlags } from './run-job-command.ts';

const jobSettings = [
  'jobImplementation',
  'host',
  'imageCache',
  'imageCacheSize',
  'imageFolder',
  'stopWithin',
  'logLevel',
  'logFormat',
  'tracesEndpoint',
] as const;

/** Adds the command that an update service launches for each job. */
export function addJobCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('job')
    .summary('do one job of an update service')
    .description(
      'Does one update, scan or discovery job and ends. An update service launches it with a file that holds the id and token of the job, the credentials of the BMC and those of the image store.',
    )
    .requiredOption('--job-file <file>', 'what the job is launched with; only its owner may be able to read it')
    .option('--mounted', 'the job file is in a mounted Secret: its mode is the cluster’s to choose')
    .option('--claim <dir>', 'say in this folder that this process does the job, and where its interface is')
    .option('--update-service-url <url>', 'where the update service is, if not where the job file says')
    .option('--task-port <n>', 'the port of the job’s own interface; any that is free unless given')
    .action(async (flags: JobFlags) => {
      const settings = readSettings(jobSettings, { ...flags }, terminal);
      const { runJobCommand } = await import('./run-job-command.ts');
      await runJobCommand(flags, settings, terminal);
    });
  addSettings(command, jobSettings);
}
