import { runCommandLine } from './program.ts';
import { createProcessTerminal } from './terminal.ts';

process.exit(await runCommandLine(process.argv.slice(2), createProcessTerminal()));
