import { defineStateTable } from '../../kube/index.ts';

/** What happens to the firmware of one server. */
export const serverTable = defineStateTable({
  name: 'ServerFirmware',
  initial: 'Idle',
  states: ['Idle', 'NoTarget', 'Scanning', 'Updating', 'Held', 'Stalled', 'Inert'],
  // In these nothing of ours is under way: they are left when something changes or a time comes.
  final: ['Idle', 'NoTarget', 'Held', 'Stalled', 'Inert'],
  facts: {
    /** Whether the server may be worked on at all. */
    target: ['ready', 'inert'],
    /** The last accepted request: still under way, or over. */
    request: ['open', 'over'],
    /** The last scan: within the threshold, past it, or failed a moment ago. */
    scan: ['fresh', 'due', 'cooling'],
    /** What is wanted against what is installed, and whether that may be asked for now. */
    difference: ['undeclared', 'none', 'wanted', 'cooling', 'held', 'exhausted'],
  },
  rows: [
    { from: ['Scanning', 'Updating'], when: { target: 'ready', request: 'over' }, to: 'Idle' },
    {
      from: ['Idle', 'NoTarget', 'Held', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: 'due' },
      to: 'Scanning',
      do: ['scan'],
    },
    {
      from: ['Idle', 'Held', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: ['fresh', 'cooling'], difference: 'undeclared' },
      to: 'NoTarget',
    },
    {
      from: ['Idle', 'NoTarget', 'Held', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: 'fresh', difference: 'wanted' },
      to: 'Updating',
      do: ['update'],
    },
    {
      from: ['Idle', 'NoTarget', 'Held'],
      when: { target: 'ready', request: 'over', scan: ['fresh', 'cooling'], difference: 'exhausted' },
      to: 'Stalled',
    },
    {
      from: ['Idle', 'NoTarget', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: ['fresh', 'cooling'], difference: 'held' },
      to: 'Held',
    },
    {
      from: ['NoTarget', 'Held', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: ['fresh', 'cooling'], difference: ['none', 'cooling'] },
      to: 'Idle',
    },
    {
      from: ['NoTarget', 'Held', 'Stalled'],
      when: { target: 'ready', request: 'over', scan: 'cooling', difference: 'wanted' },
      to: 'Idle',
    },
    {
      from: ['Idle', 'NoTarget', 'Scanning', 'Updating', 'Held', 'Stalled'],
      when: { target: 'inert' },
      to: 'Inert',
      isAbort: true,
    },
    { from: 'Inert', when: { target: 'ready' }, to: 'Idle' },
  ],
});

/** A state of that table. */
export type ServerPhase = (typeof serverTable.states)[number];

/** What that table asks for. */
export type ServerAction = 'scan' | 'update';
