import { defineStateTable } from '../../kube/index.ts';

/**
 * The life of a Metal3Machine. It is in no status: where a machine is follows from what is seen, so the table is gone
 * through from its beginning at each look, up to what is to be done or waited for.
 */
export const machineTable = defineStateTable({
  name: 'Metal3Machine',
  initial: 'Pending',
  states: [
    'Pending',
    'Choosing',
    'Associated',
    'Provisioning',
    'Joining',
    'Provisioned',
    'Lost',
    'Deprovisioning',
    'Released',
  ],
  final: ['Released'],
  facts: {
    leaving: [true, false],
    /** Whether all that comes first is there: owner, cluster, bootstrap data. */
    gates: ['open', 'closed'],
    /** `chosen`: noted down, not taken yet. `gone`: it ran this machine and is not there any more. */
    host: ['none', 'chosen', 'ours', 'gone'],
    /** Whether there is a host to choose. */
    candidate: [true, false],
    /** Whether the host was told what to run, and not told to stop. */
    deployed: [true, false],
    hostState: ['free', 'busy', 'provisioned'],
    /** `seen`: there, without the id or not noted here. `named`: both have the id. */
    node: ['unknown', 'seen', 'named'],
  },
  rows: [
    { from: 'Pending', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Pending', when: { leaving: false, host: 'gone' }, to: 'Lost' },
    { from: 'Pending', when: { leaving: false, host: 'ours' }, to: 'Associated' },
    { from: 'Pending', when: { leaving: false, host: ['none', 'chosen'], gates: 'open' }, to: 'Choosing' },

    { from: 'Choosing', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    // Which host it is to be is noted down first: whoever forgets in between must not take a second one.
    { from: 'Choosing', when: { leaving: false, host: 'none', candidate: true }, to: 'Choosing', do: ['choose'] },
    { from: 'Choosing', when: { leaving: false, host: 'chosen' }, to: 'Choosing', do: ['claim'] },
    { from: 'Choosing', when: { leaving: false, host: 'ours' }, to: 'Associated' },

    { from: 'Associated', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Associated', when: { leaving: false, deployed: false, gates: 'open' }, to: 'Associated', do: ['deploy'] },
    { from: 'Associated', when: { leaving: false, deployed: true }, to: 'Provisioning' },

    { from: 'Provisioning', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Provisioning', when: { leaving: false, hostState: 'provisioned' }, to: 'Joining' },

    { from: 'Joining', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Joining', when: { leaving: false, node: 'seen' }, to: 'Joining', do: ['name'] },
    { from: 'Joining', when: { leaving: false, node: 'named' }, to: 'Provisioned' },

    { from: 'Provisioned', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Provisioned', when: { leaving: false, host: 'gone' }, to: 'Lost' },

    { from: 'Lost', when: { leaving: true }, to: 'Deprovisioning', isAbort: true },
    { from: 'Lost', when: { leaving: false, host: 'ours' }, to: 'Associated' },

    { from: 'Deprovisioning', when: { host: 'ours', deployed: true }, to: 'Deprovisioning', do: ['deprovision'] },
    {
      from: 'Deprovisioning',
      when: { host: 'ours', deployed: false, hostState: ['free'] },
      to: 'Deprovisioning',
      do: ['release'],
    },
    { from: 'Deprovisioning', when: { host: ['none', 'chosen'] }, to: 'Released' },
    { from: 'Deprovisioning', when: { host: 'gone' }, to: 'Released', isAbort: true },
    { from: 'Released', when: { leaving: true }, to: 'Released', do: ['let-go'] },
  ],
});

/** A state of that table. */
export type MachineState = (typeof machineTable.states)[number];

/** What that table asks for. */
export type MachineAction = 'choose' | 'claim' | 'deploy' | 'name' | 'deprovision' | 'release' | 'let-go';
