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
    failures: ['few', 'many'],
    /** Somebody changed the spec or asked for a retry since it halted. */
    released: [true, false],
  },
  rows: [
    { from: ['Active', 'Conflicted', 'Halted'], when: { paused: true }, to: 'Paused' },
    { from: 'Paused', when: { paused: false }, to: 'Active' },
    { from: 'Active', when: { paused: false, failures: 'many' }, to: 'Halted' },
    { from: 'Halted', when: { paused: false, released: true, failures: 'few' }, to: 'Active' },
    { from: 'Active', when: { paused: false, failures: 'few', conflict: true }, to: 'Conflicted' },
    { from: 'Conflicted', when: { paused: false, conflict: false }, to: 'Active' },
    { from: 'Conflicted', when: { paused: false, conflict: true, failures: 'many' }, to: 'Halted' },
  ],
});

/** A state of that table. */
export type GroupPhase = (typeof groupTable.states)[number];
