import { defineStateTable } from '../../kube/index.ts';

/** What happens to the firmware that can be had for one model. */
export const discoveryTable = defineStateTable({
  name: 'DiscoveredFirmware',
  initial: 'Idle',
  states: ['Idle', 'Discovering', 'Cooling', 'Inert'],
  // In these nothing of ours is under way: they are left when something changes or a time comes.
  final: ['Idle', 'Cooling', 'Inert'],
  facts: {
    /** Whether this is the object about its model. */
    target: ['ready', 'inert'],
    /** The last accepted request: still under way, or over. */
    request: ['open', 'over'],
    /** The last run: within the interval, past it, or failed a moment ago. */
    run: ['fresh', 'due', 'cooling'],
  },
  rows: [
    { from: 'Discovering', when: { target: 'ready', request: 'over' }, to: 'Idle' },
    {
      from: ['Idle', 'Cooling'],
      when: { target: 'ready', request: 'over', run: 'due' },
      to: 'Discovering',
      do: ['discover'],
    },
    { from: 'Idle', when: { target: 'ready', request: 'over', run: 'cooling' }, to: 'Cooling' },
    { from: 'Cooling', when: { target: 'ready', request: 'over', run: 'fresh' }, to: 'Idle' },
    { from: ['Idle', 'Discovering', 'Cooling'], when: { target: 'inert' }, to: 'Inert', isAbort: true },
    { from: 'Inert', when: { target: 'ready' }, to: 'Idle' },
  ],
});

/** A state of that table. */
export type DiscoveryPhase = (typeof discoveryTable.states)[number];
