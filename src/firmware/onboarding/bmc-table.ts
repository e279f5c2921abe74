import { defineStateTable } from '../../kube/index.ts';

/** How a BMC is taken on. */
export const bmcTable = defineStateTable({
  name: 'BMC',
  initial: 'Pending',
  states: ['Pending', 'Enabled', 'Error'],
  final: ['Enabled', 'Error'],
  facts: {
    /** Whether there is all that is needed to read it. */
    access: ['usable', 'unusable'],
    /** What it last told: nothing yet, good, or that it could not be read. */
    reading: ['none', 'good', 'failed'],
    /** Whether it is time to read it. */
    due: [true, false],
  },
  rows: [
    { from: ['Pending', 'Enabled', 'Error'], when: { access: 'usable', reading: 'none' }, to: 'Pending', do: ['read'] },
    { from: 'Pending', when: { access: 'usable', reading: 'good' }, to: 'Enabled' },
    { from: 'Error', when: { access: 'usable', reading: 'good' }, to: 'Enabled' },
    { from: 'Enabled', when: { access: 'usable', reading: 'good', due: true }, to: 'Enabled', do: ['read'] },
    { from: ['Pending', 'Enabled'], when: { access: 'usable', reading: 'failed' }, to: 'Error', isAbort: true },
    { from: 'Error', when: { access: 'usable', reading: 'failed', due: true }, to: 'Error', do: ['read'] },
    { from: ['Pending', 'Enabled'], when: { access: 'unusable' }, to: 'Error', isAbort: true },
  ],
});

/** A state of that table. */
export type BmcPhase = (typeof bmcTable.states)[number];
