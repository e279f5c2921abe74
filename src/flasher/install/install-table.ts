import { defineStateTable } from '../../kube/index.ts';

const minute = 60_000;
const hour = 60 * minute;

/**
 * An install from its first look to its last. In each state one thing is done, named as the state is; what came of it is
 * the fact `result`. A state is stored before its thing is done, so that whoever comes after a crash knows what may have
 * been begun. `within` is how long a thing may take, all tries together, also those of different workers: the runner ends
 * the state then with the result `overdue`, whatever its step does.
 */
export const installTable = defineStateTable({
  name: 'firmware-install',
  initial: 'checking-host',
  states: [
    'checking-host',
    'checking-fit',
    'powering-on',
    'keeping-off',
    'planning',
    'checking',
    'fetching',
    'preparing',
    'awaiting-other',
    'resetting-bmc',
    'powering-off',
    'marking',
    'sending',
    'finding',
    'starting',
    'following',
    'settling',
    'activating',
    'rechecking',
    'verifying',
    'failing',
    'curing',
    'closing',
    'restoring-power',
    'succeeded',
    'failed',
  ],
  final: ['succeeded', 'failed'],
  facts: {
    result: [
      'none',
      'ready',
      'is-off',
      'fits',
      'planned',
      'nothing',
      'current',
      'staged',
      'outdated',
      'fetched',
      'rehearsed',
      'other-runs',
      'needs-bmc-reset',
      'needs-host-off',
      'marked',
      'started',
      'uploaded',
      'lost',
      'not-started',
      'completed',
      'waits-for-reset',
      'gone',
      'follow',
      'verify',
      'asked-before',
      'running',
      'still-waits',
      'installed',
      'not-there',
      'refused',
      'retry',
      'cure',
      'give-up',
      'more',
      'no-more',
      'done',
      'fault',
      'overdue',
      'cancelled',
    ],
    hasFailed: [true, false],
  },
  rows: [
    { from: 'checking-host', when: { result: 'ready' }, to: 'planning', within: 30 * minute },
    { from: 'checking-host', when: { result: 'is-off' }, to: 'checking-fit' },
    { from: 'checking-fit', when: { result: 'fits' }, to: 'powering-on', within: 30 * minute },
    { from: 'checking-fit', when: { result: 'nothing' }, to: 'restoring-power' },
    { from: 'powering-on', when: { result: 'done' }, to: 'planning', within: hour },
    { from: 'powering-on', when: { result: 'other-runs' }, to: 'keeping-off' },
    { from: 'keeping-off', when: { result: 'done' }, to: 'checking-host', within: 3 * hour },
    { from: 'planning', when: { result: 'planned' }, to: 'checking', within: 30 * minute },
    { from: 'planning', when: { result: 'nothing' }, to: 'restoring-power' },

    { from: 'checking', when: { result: 'outdated' }, to: 'fetching', within: 30 * minute },
    { from: 'checking', when: { result: 'staged' }, to: 'activating' },
    { from: 'checking', when: { result: 'current' }, to: 'closing' },
    { from: 'fetching', when: { result: 'fetched' }, to: 'preparing', within: 2 * hour },
    { from: 'fetching', when: { result: 'rehearsed' }, to: 'closing' },
    { from: 'preparing', when: { result: 'needs-bmc-reset' }, to: 'resetting-bmc', within: 30 * minute },
    { from: 'preparing', when: { result: 'needs-host-off' }, to: 'powering-off' },
    { from: 'preparing', when: { result: 'ready' }, to: 'marking' },
    { from: ['checking', 'preparing', 'marking'], when: { result: 'other-runs' }, to: 'awaiting-other' },
    // It may have written what was to be sent.
    { from: 'awaiting-other', when: { result: 'done' }, to: 'checking', within: 3 * hour },
    { from: 'resetting-bmc', when: { result: 'done' }, to: 'preparing', within: hour },
    { from: 'powering-off', when: { result: 'done' }, to: 'marking', within: hour },

    { from: 'marking', when: { result: 'marked' }, to: 'sending', within: 30 * minute },
    { from: 'sending', when: { result: 'started' }, to: 'following', within: 2 * hour },
    { from: 'sending', when: { result: 'uploaded' }, to: 'starting' },
    { from: 'sending', when: { result: 'lost' }, to: 'finding' },
    { from: 'finding', when: { result: 'started' }, to: 'following', within: 30 * minute },
    { from: 'finding', when: { result: 'uploaded' }, to: 'starting' },
    { from: 'finding', when: { result: 'not-started' }, to: 'marking' },
    { from: 'starting', when: { result: 'started' }, to: 'following', within: hour },
    { from: 'starting', when: { result: 'lost' }, to: 'finding' },
    { from: 'following', when: { result: 'completed' }, to: 'activating', within: 3 * hour },
    { from: 'following', when: { result: 'waits-for-reset' }, to: 'activating' },
    { from: 'following', when: { result: 'uploaded' }, to: 'starting' },
    { from: 'following', when: { result: 'gone' }, to: 'settling' },
    { from: 'settling', when: { result: 'installed' }, to: 'closing', within: hour },
    { from: 'settling', when: { result: 'not-there' }, to: 'activating' },

    { from: 'activating', when: { result: 'follow' }, to: 'following', within: hour },
    { from: 'activating', when: { result: 'verify' }, to: 'verifying' },
    { from: 'activating', when: { result: 'asked-before' }, to: 'rechecking' },
    { from: 'rechecking', when: { result: 'installed' }, to: 'closing', within: hour },
    { from: 'rechecking', when: { result: 'running' }, to: 'following' },
    { from: 'rechecking', when: { result: 'still-waits' }, to: 'activating' },
    { from: 'verifying', when: { result: 'installed' }, to: 'closing', within: hour },
    { from: 'verifying', when: { result: 'not-there' }, to: 'activating' },

    { from: 'failing', when: { result: 'retry' }, to: 'checking', within: hour },
    { from: 'failing', when: { result: 'cure' }, to: 'curing' },
    { from: 'failing', when: { result: 'give-up' }, to: 'closing' },
    { from: 'curing', when: { result: 'done' }, to: 'checking', within: hour },

    { from: 'closing', when: { result: 'more' }, to: 'checking', within: hour },
    { from: 'closing', when: { result: 'no-more' }, to: 'restoring-power' },
    { from: 'restoring-power', when: { result: 'done', hasFailed: false }, to: 'succeeded', within: hour },
    { from: 'restoring-power', when: { result: 'done', hasFailed: true }, to: 'failed', isAbort: true },

    // What an action cannot get over ends that action, and with it all that follow.
    {
      from: [
        'checking',
        'fetching',
        'preparing',
        'awaiting-other',
        'resetting-bmc',
        'powering-off',
        'marking',
        'sending',
        'finding',
        'starting',
        'following',
        'settling',
        'activating',
        'rechecking',
        'verifying',
      ],
      when: { result: ['refused', 'overdue'] },
      to: 'failing',
      isAbort: true,
    },
    { from: 'curing', when: { result: ['refused', 'overdue'] }, to: 'failing' },
    { from: 'curing', when: { result: 'fault' }, to: 'restoring-power', isAbort: true },
    {
      from: ['checking-host', 'checking-fit', 'powering-on', 'keeping-off', 'planning', 'failing', 'closing'],
      when: { result: ['fault', 'overdue'] },
      to: 'restoring-power',
      isAbort: true,
    },
    {
      from: 'restoring-power',
      when: { result: ['fault', 'overdue', 'cancelled', 'refused'] },
      to: 'failed',
      isAbort: true,
    },
    // Only where nothing is being written.
    {
      from: [
        'checking-host',
        'checking-fit',
        'powering-on',
        'keeping-off',
        'planning',
        'checking',
        'fetching',
        'preparing',
        'awaiting-other',
        'resetting-bmc',
        'powering-off',
        'marking',
        'failing',
        'curing',
        'closing',
      ],
      when: { result: 'cancelled' },
      to: 'restoring-power',
      isAbort: true,
    },
  ],
});

/** A state of an install. */
export type InstallState = (typeof installTable)['states'][number];

/** What came of what was done in a state. */
export type InstallResult = (typeof installTable)['facts']['result'][number];

/** While one of these goes on firmware may be half written: a cancel has to wait. */
export const unsafeStates: readonly InstallState[] = [
  'sending',
  'finding',
  'starting',
  'following',
  'settling',
  'activating',
  'rechecking',
  'verifying',
];

/**
 * Nothing on the server is changed in these before they have stored it themselves, so they need not be stored when they are
 * entered: whoever comes after a crash finds out anew what led to them.
 */
export const harmlessStates: readonly InstallState[] = [
  'checking-fit',
  'planning',
  'checking',
  'preparing',
  'activating',
  'closing',
  'failing',
];
