// For tests: a process that runs a command as vendor-cli does, until it is killed. Arguments: origin, credentials, command.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../kube/index.ts';
import { readProcessMark } from '../process-mark.ts';
import { runCommand } from '../strategies/vendor-cli/run-command.ts';
import { openToolFolder } from '../strategies/vendor-cli/tool-folders.ts';

const [origin = '', credentials = '', program = '', ...words] = process.argv.slice(2);
const folder = await openToolFolder(origin);
const credentialsFile = join(folder.path, 'credentials');
writeFileSync(credentialsFile, credentials, { mode: 0o600 });
await runCommand({
  command: [program, ...words.map((word) => word.replace('{credentialsFile}', credentialsFile))],
  cwd: folder.path,
  environment: { PATH: process.env.PATH ?? '' },
  deadlineMs: 3_600_000,
  signal: new AbortController().signal,
  clock: systemClock,
  secrets: [],
  onStart: async (pid) => {
    const mark = await readProcessMark(pid);
    if (mark !== undefined) await folder.note(mark, Date.now() + 3_600_000);
    console.log(folder.path);
  },
});
