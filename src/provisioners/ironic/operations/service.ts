import type { FirmwareSettings, Serviced, Servicing } from '../../provisioner.ts';
import { objectOf, objectsOf, textOf } from '../client/index.ts';
import {
  firmwareSteps,
  isAmong,
  madeOf,
  planUpdates,
  readUpdatesNote,
  readVersions,
  sinceOf,
  type UpdatesNote,
} from '../firmware/index.ts';
import {
  askAfterFailure,
  endFailure,
  finish,
  type Move,
  type MoveTable,
  type Operation,
  register,
  rows,
  special,
  wait,
  waitShortly,
  whyFailed,
} from '../moves/index.ts';
import { changesOf, type IronicNode } from '../node/index.ts';
import { askFor, continueIn, patchNode, type Workplace } from '../workplace.ts';
import { shutDown } from './power.ts';

function hasWork(order: Servicing): boolean {
  return firmwareSteps(order).length > 0;
}

/** Where Ironic keeps for us which attempt a node was last serviced for. */
const noteName = 'rackwright_service';

/** What is noted of an attempt just before it is asked for. */
interface Note extends UpdatesNote {
  readonly ticket: string;
  readonly settings: FirmwareSettings;
}

function noteIn(node: IronicNode): Note | undefined {
  const noted = objectOf(objectOf(node.raw.extra)[noteName]);
  const ticket = textOf(noted.ticket);
  if (ticket === undefined) return undefined;
  return { ...readUpdatesNote(noted), ticket, settings: objectOf(noted.settings) as FirmwareSettings };
}

/** Whether Ironic has taken the request of this attempt; what came of it is in the state of the node. */
function isBegun(node: IronicNode, { ticket }: Servicing): boolean {
  const note = noteIn(node);
  return note?.ticket === ticket && note.since !== sinceOf(node);
}

/** Of what it gave up Ironic says so as an error. Where its last step must not be broken it ends that, and says nothing. */
function isBroken({ lastError = '' }: IronicNode): boolean {
  return lastError !== '';
}

const start = special('start');
const fail = special('fail');

const notInUse = (): Move => ({
  do: 'fail',
  message: 'only a host in use is serviced, and this one is not; it is changed while it is prepared',
});

/** The step that Ironic is at. */
function progressOf(node: IronicNode): string | undefined {
  const step = objectOf(node.raw.service_step);
  const [of, name] = [textOf(step.interface), textOf(step.step)];
  if (of === undefined || name === undefined) return undefined;
  const parts = objectsOf(objectOf(step.args).settings).flatMap(({ component, name: setting }) => [
    textOf(component) ?? textOf(setting) ?? [],
  ]);
  return `Ironic is at ${of}.${name}${parts.length === 0 ? '' : ` of ${parts.flat().join(', ')}`}`;
}

const waitForStep = ({ node }: { readonly node: IronicNode }) => ({ ...wait(), progress: progressOf(node) });

/** Gives up when the owner emptied what was wanted. Ironic ends a step that must not be broken before it does so. */
const giveUpOrWait = ({ node, order }: { readonly node: IronicNode; readonly order: Servicing }): Move =>
  order.isSpecified ? waitForStep({ node }) : { do: 'ask', target: 'abort' };

const table: MoveTable<Servicing, 'start' | 'fail'> = {
  ...rows(['enroll', 'verifying'], register),
  active: ({ node, order }) => {
    if (order.isSpecified && hasWork(order) && !isBegun(node, order)) return start();
    // Ironic says so as soon as it begins to give up, and then still restarts the host.
    return node.isLocked ? waitShortly() : finish();
  },
  servicing: waitForStep,
  ...rows(['service wait', 'service hold'], giveUpOrWait),
  'service failed': ({ node, order }) => {
    if (!order.isSpecified) return askAfterFailure('abort')();
    if (isBegun(node, order)) return fail();
    return hasWork(order) ? start() : askAfterFailure('abort')();
  },
  ...rows(['deploying', 'wait call-back', 'deploy hold', 'adopting', 'deleting'], wait),
  ...rows(['rescuing', 'rescue wait', 'unrescuing'], wait),
  ...rows(['rescue', 'rescue failed', 'unrescue failed'], () => ({
    do: 'fail',
    message: 'the node is in rescue mode; end that first',
  })),
  ...rows(['manageable', 'available', 'deploy failed', 'error', 'adopt failed'], notInUse),
  ...rows(['inspecting', 'inspect wait', 'inspect failed'], notInUse),
  ...rows(['cleaning', 'clean wait', 'clean hold', 'clean failed'], notInUse),
};

/** Changing BIOS settings and firmware of a host in use. */
export const servicing: Operation<Servicing, 'start' | 'fail', Serviced> = {
  table,
  specials: (place) => ({
    finish: async ({ node, order }) => {
      const isMade = isBegun(node, order) && (order.isSpecified || !isBroken(node));
      const note = isMade ? noteIn(node) : undefined;
      if (note === undefined && isBegun(node, order)) return { kind: 'done', value: await accountOf(place, node) };
      return { kind: 'done', value: { settings: note?.settings ?? {}, updates: note?.updates ?? [] } };
    },
    fail: async ({ node }) => ({ kind: 'failed', message: whyFailed(node), serviced: await accountOf(place, node) }),
    start: async ({ node, order }) => {
      const hasFailed = node.provisionState === 'service failed';
      // One that failed has been taken down before.
      const isSoft = order.shutdown !== 'hard' && !hasFailed;
      const held = hasFailed ? await endFailure(place, node) : isSoft ? await shutDown(place, node) : undefined;
      if (held !== undefined) return held;
      const before = hasFailed ? noteIn(node) : undefined;
      const { updates, settings = {}, ticket } = order;
      const { note, left } = await planUpdates(place, node, { updates, ...(before && { before }) });
      await takeNote(place, node, { ...note, ticket, settings });
      const service_steps = firmwareSteps({ settings, updates: left });
      // What failed is not wanted any more, and all else is done.
      const isDone = service_steps.length === 0;
      await askFor(place, node, isDone ? { target: 'abort' } : { target: 'service', service_steps });
      return continueIn(place, isDone ? 'short' : 'long', true);
    },
  }),
};

/** What an attempt that failed or was broken off has made. Whether settings are set is seen when they are read again. */
async function accountOf(place: Workplace, node: IronicNode): Promise<Serviced> {
  const note = noteIn(node);
  if (note === undefined) return { settings: {}, updates: [] };
  const made = madeOf(note, node, note.updates.length === 0 ? {} : await readVersions(place, node));
  const updates = note.updates.filter((update) => isAmong(made, update));
  const missing = note.updates.filter((update) => !isAmong(made, update));
  return { settings: {}, updates, left: { settings: note.settings, updates: missing } };
}

/** Noted before it is asked for: whoever comes after us sees by it whether the request has arrived. */
async function takeNote(place: Workplace, node: IronicNode, note: Note): Promise<void> {
  const steps = changesOf({ path: '/extra', seen: objectOf(node.raw.extra), wanted: { [noteName]: note } });
  await patchNode(place, node, { steps });
}
