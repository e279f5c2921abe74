import { type Static, Type } from 'typebox';
import { Struct, Text, Time, Whole } from '../shapes.ts';

/** What is wrong with a switch or a port; while it is set the object is in error, whatever its state. */
export const SwitchError = Struct(
  {
    reason: Text('One CamelCase word for programs.', { minLength: 1, maxLength: 1024 }),
    message: Text('What is wrong and what to do about it.', { maxLength: 32768 }),
    since: Time({ description: 'When it first happened.' }),
    attempts: Type.Optional(Whole('Tries that failed since; past the limit it waits for a change.', { minimum: 0 })),
    nextAttempt: Type.Optional(Time({ description: 'When it is tried again, if it is.' })),
  },
  { description: 'What is wrong. Absent when nothing is.' },
);

/** What is wrong with a switch or a port. */
export type SwitchError = Static<typeof SwitchError>;
