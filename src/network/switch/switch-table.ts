import { defineStateTable } from '../../kube/index.ts';

/** The life of a Switch. Nothing of it writes to the device. */
export const switchTable = defineStateTable({
  name: 'Switch',
  initial: '',
  states: ['', 'Verifying', 'Configuring', 'Running', 'Deleting'],
  final: ['Deleting'],
  facts: {
    leaving: [true, false],
    /** Whether our finalizer is on it. */
    held: [true, false],
    /** The object that says how the switch is talked to: there and ours, there, or not to be had. */
    provider: ['ours', 'free', 'missing'],
    /** What the switch said when it was last asked. */
    verification: ['none', 'good', 'bad'],
    /** Whether it is time to ask it. */
    due: [true, false],
    /** SwitchPorts against what the Switch lists. */
    ports: ['complete', 'incomplete'],
    /** Whether any SwitchPort of it is left. */
    left: [true, false],
  },
  rows: [
    { from: '', when: { leaving: false, held: false }, to: '', do: ['add-finalizer'] },
    { from: '', when: { leaving: false, held: true }, to: 'Verifying' },
    { from: '', when: { leaving: true }, to: 'Deleting', isAbort: true },

    { from: ['Verifying', 'Configuring', 'Running'], when: { leaving: true }, to: 'Deleting', isAbort: true },
    { from: 'Verifying', when: { leaving: false, provider: 'free' }, to: 'Verifying', do: ['adopt-provider'] },
    { from: 'Verifying', when: { leaving: false, provider: 'ours', due: true }, to: 'Verifying', do: ['verify'] },
    {
      from: 'Verifying',
      when: { leaving: false, provider: 'ours', due: false, verification: 'good' },
      to: 'Configuring',
    },

    {
      from: ['Configuring', 'Running'],
      when: { leaving: false, provider: ['free', 'missing'] },
      to: 'Verifying',
    },
    {
      from: ['Configuring', 'Running'],
      when: { leaving: false, provider: 'ours', verification: ['none', 'bad'] },
      to: 'Verifying',
    },
    {
      from: 'Configuring',
      when: { leaving: false, provider: 'ours', verification: 'good', ports: 'incomplete' },
      to: 'Configuring',
      do: ['make-ports'],
    },
    {
      from: 'Configuring',
      when: { leaving: false, provider: 'ours', verification: 'good', ports: 'complete' },
      to: 'Running',
    },
    {
      from: 'Running',
      when: { leaving: false, provider: 'ours', verification: 'good', ports: 'incomplete' },
      to: 'Configuring',
    },
    {
      from: 'Running',
      when: { leaving: false, provider: 'ours', verification: 'good', ports: 'complete', due: true },
      to: 'Running',
      do: ['verify'],
    },

    // Ports clean themselves, for which the switch has to be known to be there.
    {
      from: 'Deleting',
      when: { leaving: true, left: true, provider: ['ours', 'free'], due: true },
      to: 'Deleting',
      do: ['delete-ports', 'verify'],
    },
    {
      from: 'Deleting',
      when: { leaving: true, left: true, provider: ['ours', 'free'], due: false },
      to: 'Deleting',
      do: ['delete-ports'],
    },
    {
      from: 'Deleting',
      when: { leaving: true, left: true, provider: 'missing' },
      to: 'Deleting',
      do: ['delete-ports'],
    },
    { from: 'Deleting', when: { leaving: true, left: false }, to: 'Deleting', do: ['release'] },
  ],
});

/** A state of that table. */
export type SwitchPhase = (typeof switchTable.states)[number];

/** What that table asks for. */
export type SwitchAction = 'add-finalizer' | 'adopt-provider' | 'verify' | 'make-ports' | 'delete-ports' | 'release';
