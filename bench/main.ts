import { benchProgram } from './program.ts';

await benchProgram().parseAsync();
