import { runCommandLine } from './program.ts';
import { createProcessTerminal } from './terminal.ts';

const terminal = createProcessTerminal();
const code = await runCommandLine(process.argv.slice(2), terminal);
// A pipe takes in 64 KiB and no more until it is read: what waits for that would be lost with the process.
if (!terminal.interrupted.aborted) await Promise.all([process.stdout, process.stderr].map(writeOut));
process.exit(code);

function writeOut(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((done) => stream.write('', () => done()));
}
