// For tests: a process that runs a command as vendor-cli does, until it is killed. Arguments: origin, credentials, command.
import { runNotedCommand } from './run-noted-command.ts';

const [origin = '', credentials = '', program = '', ...words] = process.argv.slice(2);
await runNotedCommand({
  origin,
  credentials,
  command: [program, ...words],
  onStart: (folder) => console.log(folder),
});
