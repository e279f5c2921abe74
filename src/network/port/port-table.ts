import { defineStateTable } from '../../kube/index.ts';

/** The life of a SwitchPort: the six states of the document. `''` is its None. */
export const portTable = defineStateTable({
  name: 'SwitchPort',
  initial: '',
  states: ['', 'Idle', 'Configuring', 'Active', 'Cleaning', 'Deleting'],
  final: ['Deleting'],
  facts: {
    leaving: [true, false],
    /** Whether our finalizer is on it. */
    held: [true, false],
    /** What is linked, against what was last applied; `none` also while the port leaves or moves to another socket. */
    wanted: ['none', 'same', 'other'],
    /** Whether the limits let the wanted configuration be. */
    permission: ['allowed', 'refused'],
    /** What is noted down as being set on the device: nothing, what is wanted, or something older. */
    noted: ['nothing', 'goal', 'other'],
    /** Whether the port has to be clean without a configuration: nobody named it, it has to become so, or it was found so. */
    managed: ['no', 'unverified', 'verified'],
    /**
     * The device as last read, against what it should be in this state: `unknown` also while a change is under way, and
     * `unsettled` when it is as it should be but a change that was given up may still be carried out.
     */
    device: ['unknown', 'unsettled', 'as-goal', 'clean', 'differs'],
    /** Whether the device can be asked right now. */
    way: ['open', 'closed'],
    /** Whether it is time to read the device. */
    due: [true, false],
    /** Whether cleaning was given up: forced, or never to be done. */
    abandoned: [true, false],
  },
  rows: [
    { from: '', when: { leaving: false, held: false }, to: '', do: ['add-finalizer'] },
    { from: '', when: { leaving: false, held: true }, to: 'Idle' },
    { from: '', when: { leaving: true }, to: 'Deleting', isAbort: true },

    { from: 'Idle', when: { leaving: true }, to: 'Deleting', isAbort: true },
    { from: 'Idle', when: { leaving: false, wanted: ['same', 'other'] }, to: 'Configuring' },
    { from: 'Idle', when: { leaving: false, wanted: 'none', managed: 'unverified' }, to: 'Cleaning' },
    {
      from: 'Idle',
      when: { leaving: false, wanted: 'none', managed: 'verified', device: ['clean', 'differs'] },
      to: 'Cleaning',
      do: ['tell-drift'],
    },
    {
      from: 'Idle',
      when: {
        leaving: false,
        wanted: 'none',
        managed: 'verified',
        device: ['unknown', 'unsettled', 'as-goal'],
        due: true,
        way: 'open',
      },
      to: 'Idle',
      do: ['read'],
    },
    {
      from: 'Idle',
      when: { leaving: false, wanted: 'none', managed: 'no', due: true, way: 'open' },
      to: 'Idle',
      do: ['read'],
    },

    { from: 'Configuring', when: { wanted: 'none', noted: 'nothing' }, to: 'Idle', isAbort: true },
    { from: 'Configuring', when: { wanted: 'none', noted: ['goal', 'other'] }, to: 'Cleaning', isAbort: true },
    {
      from: 'Configuring',
      when: { wanted: ['same', 'other'], permission: 'allowed', device: 'unknown', way: 'open' },
      to: 'Configuring',
      do: ['read'],
    },
    // What is about to be set is noted down first: a crash in between must not leave a port that nobody cleans.
    {
      from: 'Configuring',
      when: { wanted: ['same', 'other'], permission: 'allowed', device: 'differs', noted: 'nothing' },
      to: 'Configuring',
      do: ['note'],
    },
    // An update clears the previous configuration before it applies the new one.
    {
      from: 'Configuring',
      when: { wanted: ['same', 'other'], permission: 'allowed', device: 'differs', noted: 'other', way: 'open' },
      to: 'Configuring',
      do: ['clear'],
    },
    {
      from: 'Configuring',
      when: { wanted: ['same', 'other'], permission: 'allowed', device: 'clean', noted: ['nothing', 'other'] },
      to: 'Configuring',
      do: ['note'],
    },
    {
      from: 'Configuring',
      when: {
        wanted: ['same', 'other'],
        permission: 'allowed',
        device: ['clean', 'differs'],
        noted: 'goal',
        way: 'open',
      },
      to: 'Configuring',
      do: ['apply'],
    },
    {
      from: 'Configuring',
      when: { wanted: ['same', 'other'], permission: 'allowed', device: 'as-goal' },
      to: 'Active',
    },

    { from: 'Active', when: { wanted: 'none' }, to: 'Cleaning', isAbort: true },
    { from: 'Active', when: { wanted: 'other' }, to: 'Configuring' },
    {
      from: 'Active',
      when: { wanted: 'same', device: ['clean', 'differs'] },
      to: 'Configuring',
      do: ['tell-drift'],
    },
    {
      from: 'Active',
      when: { wanted: 'same', device: ['as-goal', 'unsettled', 'unknown'], due: true, way: 'open' },
      to: 'Active',
      do: ['read'],
    },

    { from: 'Cleaning', when: { abandoned: true }, to: 'Idle', do: ['leave-behind'], isAbort: true },
    {
      from: 'Cleaning',
      when: { abandoned: false, device: 'unknown', way: 'open' },
      to: 'Cleaning',
      do: ['read'],
    },
    {
      from: 'Cleaning',
      when: { abandoned: false, device: 'differs', way: 'open' },
      to: 'Cleaning',
      do: ['clear'],
    },
    { from: 'Cleaning', when: { abandoned: false, device: ['as-goal', 'clean'] }, to: 'Idle', do: ['forget'] },

    { from: 'Deleting', when: { leaving: true }, to: 'Deleting', do: ['remove-finalizer'] },
  ],
});

/** A state of that table. */
export type PortPhase = (typeof portTable.states)[number];

/** What that table asks for. */
export type PortAction =
  | 'add-finalizer'
  | 'read'
  | 'note'
  | 'clear'
  | 'apply'
  | 'tell-drift'
  | 'leave-behind'
  | 'forget'
  | 'remove-finalizer';
