import { defineStateTable } from '../../kube/index.ts';

/** The live update of a host in use. */
export const serviceTable = defineStateTable({
  name: 'live update',
  initial: 'none',
  states: ['none', 'servicing', 'failed', 'giving up'],
  final: ['none'],
  facts: {
    /**
     * Whether the host is still ours and in use: `leaving` when it is to be detached or deprovisioned once nothing goes on,
     * `left` when it is deleted, deprovisioned or detached.
     */
    use: ['ours', 'leaving', 'left'],
    /** Whether a policy allows something that is asked for. */
    wanted: ['no', 'yes'],
    /** What of it is not so yet; `unread` while its companions are behind. */
    change: ['none', 'unread', 'some'],
    /** Whether the host is about to be rebooted or switched on; `held` while somebody keeps it off. */
    reboot: ['no', 'asked', 'held'],
    /** Whether its provisioner can service hosts at all. */
    ability: ['no', 'yes'],
    /** What its provisioner says about the attempt. */
    work: ['unasked', 'failed', 'done'],
  },
  rows: [
    {
      from: 'none',
      when: { use: 'ours', wanted: 'yes', change: 'some', reboot: 'asked', ability: 'yes' },
      to: 'servicing',
      do: ['begin'],
    },
    { from: 'servicing', when: { use: 'ours', work: 'done' }, to: 'none', do: ['complete'] },
    { from: 'servicing', when: { use: 'ours', wanted: 'yes', work: 'failed' }, to: 'failed', do: ['tell-failure'] },
    {
      from: 'servicing',
      when: { use: 'ours', wanted: 'no', work: ['unasked', 'failed'] },
      to: 'giving up',
      do: ['give-up'],
      isAbort: true,
    },
    {
      from: 'failed',
      when: { use: 'ours', wanted: 'yes', change: ['none', 'some'], reboot: 'asked' },
      to: 'servicing',
      do: ['begin-again'],
    },
    { from: 'failed', when: { use: 'ours', wanted: 'no' }, to: 'giving up', do: ['give-up'], isAbort: true },
    { from: ['servicing', 'failed'], when: { use: 'leaving' }, to: 'giving up', do: ['give-up'], isAbort: true },
    { from: 'giving up', when: { use: 'ours', work: 'failed' }, to: 'giving up', do: ['tell-failure'] },
    { from: 'giving up', when: { use: ['ours', 'leaving'], work: 'done' }, to: 'none', do: ['let-be'] },
    { from: ['servicing', 'failed', 'giving up'], when: { use: 'left' }, to: 'none', do: ['abandon'], isAbort: true },
  ],
});

/** How far the live update of a host is. */
export type ServicePhase = (typeof serviceTable.states)[number];

/** What a row asks to be done when it is taken. */
export type ServiceAction = NonNullable<(typeof serviceTable.rows)[number]['do']>[number];
