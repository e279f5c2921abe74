import { defineStateTable } from '../../kube/index.ts';

/** What a group does. */
export const groupTable = defineStateTable({
  name: 'ServerFirmwareGroup',
  initial: 'Active',
  states: ['Active', 'Paused', 'Conflicted', 'Halted'],
  final: ['Active', 'Paused', 'Conflicted', 'Halted'],
  facts: {
    /** `spec.paused`. */
    paused: [true, false],
    /** Another group selects some of its servers. */
    conflict: [true, false],
    /** How many of its servers failed its version. */
    failures: ['none', 'few', 'many'],
    /** Somebody changed the spec or asked for a retry since it halted. */
    released: [true, false],
  },
  rows: [
    // Also while it is paused, so that nothing is written between going on and halting.
    { from: ['Active', 'Paused', 'Conflicted'], when: { failures: 'many' }, to: 'Halted' },
    // A version that was not tried yet has failed nowhere: a changed spec that wants the old one lets nothing go on.
    { from: 'Halted', when: { released: true, failures: 'none' }, to: 'Active' },
    { from: ['Active', 'Conflicted'], when: { paused: true, failures: ['none', 'few'] }, to: 'Paused' },
    { from: 'Paused', when: { paused: false, failures: ['none', 'few'] }, to: 'Active' },
    { from: 'Active', when: { paused: false, failures: ['none', 'few'], conflict: true }, to: 'Conflicted' },
    { from: 'Conflicted', when: { paused: false, failures: ['none', 'few'], conflict: false }, to: 'Active' },
  ],
});

/** A state of that table. */
export type GroupPhase = (typeof groupTable.states)[number];
