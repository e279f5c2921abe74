import { readBios } from '../../../bmc/index.ts';
import { claimOwnerOf } from '../../claim-owner.ts';
import type { FirmwareSettings, Outcome, Preparation, Serviced, Servicing } from '../../provisioner.ts';
import { softOffLimitMs } from '../../soft-off-limit.ts';
import type { HostRecord, WorkNote } from '../host-record.ts';
import type { DeskLook } from '../ports.ts';
import {
  busy,
  changeRecord,
  done,
  goesOn,
  goesOnForLong,
  type UnderWay,
  type Workplace,
  withRecord,
} from '../workplace.ts';
import { findImages } from './find-images.ts';

const nothing: Serviced = { settings: {}, updates: [] };

/** Changes a host that nobody uses. */
export function prepareHost(place: Workplace, order: Preparation): Promise<Outcome> {
  return withRecord(place, async (record) => {
    if (record.use === 'deployed') {
      return { kind: 'failed', message: 'it runs a deployed system and cannot be prepared; deprovision it first' };
    }
    if (order.raid !== undefined) {
      const message = 'setting up RAID needs an Ironic, and this host is looked after by its BMC alone';
      return { kind: 'failed', message };
    }
    const note = record.preparation;
    if (note !== undefined && note.end === undefined) return see(place, 'preparation', note);
    const failure = note?.end?.failure;
    if (failure !== undefined && !order.isRetry) return { kind: 'failed', message: failure };
    const what = changeIn(order);
    if (isEmpty(what) || !(order.isWanted || failure !== undefined)) {
      if (note !== undefined) await changeRecord(place, (now) => without(now, 'preparation'));
      return done;
    }
    return begin(place, record, { what, slot: 'preparation', note: (now, begun) => ({ ...now, preparation: begun }) });
  });
}

/** Changes a host in use, once for each ticket. */
export function serviceHost(place: Workplace, order: Servicing): Promise<Outcome<Serviced>> {
  return withRecord(place, async (record): Promise<Outcome<Serviced>> => {
    if (!order.isSpecified) return giveUp(place, record, order);
    if (record.use !== 'deployed')
      return { kind: 'failed', message: 'only a host in use is serviced, and this is none' };
    const note = record.service;
    if (note !== undefined && note.end === undefined) {
      const seen = await see(place, 'service', note);
      // The end of an attempt that is not this one is no answer to this one.
      if (note.ticket !== order.ticket && seen.kind !== 'continue') return goesOn(place);
      return seen.kind === 'done' ? { kind: 'done', value: note.what } : seen;
    }
    if (note?.ticket === order.ticket) {
      return note.end?.failure === undefined ? { kind: 'done', value: note.what } : failedBy(note.end);
    }
    const what = changeIn(order);
    if (isEmpty(what)) return { kind: 'done', value: nothing };
    const { ticket } = order;
    const noted = (now: HostRecord, begun: WorkNote) => ({ ...now, service: { ...begun, ticket } });
    // A graceful restart shuts the system down and starts it again; a host that must stay on is restarted in one go.
    const isForced = order.shutdown === 'hard' || place.host.isPowerOffDisabled;
    const gracePeriodMs = isForced ? undefined : softOffLimitMs;
    return begin(place, record, { what, slot: 'service', note: noted, gracePeriodMs });
  });
}

/** Ends what is under way for a host; undefined when nothing is. */
export async function endWork(place: Workplace, record: HostRecord): Promise<Outcome<never> | undefined> {
  const conditions = openConditions(record);
  if (conditions.length === 0) return undefined;
  const { desk } = place.parts;
  await desk.cancel(conditions, clientOf(place));
  return (await isGoingOn(place, record)) ? goesOn(place) : undefined;
}

/** True while something is under way for a host, whatever is noted of it. */
export async function isGoingOn({ parts }: Workplace, record: HostRecord): Promise<boolean> {
  const conditions = openConditions(record);
  return conditions.length > 0 && (await parts.desk.look(conditions)).kind === 'going';
}

function openConditions({ preparation, service }: HostRecord): readonly string[] {
  const open = [preparation, service].filter((each) => each !== undefined && each.end === undefined);
  return open.flatMap((each) => each?.conditions ?? []);
}

async function giveUp(place: Workplace, record: HostRecord, { ticket }: Servicing): Promise<Outcome<Serviced>> {
  const under = await endWork(place, record);
  if (under !== undefined) return under;
  const { service: note } = record;
  if (note === undefined) return { kind: 'done', value: nothing };
  const end = note.end ?? endIn(note, await place.parts.desk.look(note.conditions));
  const made = end.failure === undefined ? note.what : (end.serviced ?? nothing);
  // What was made stays noted: whoever asked may not have heard of it.
  await changeRecord(place, (now) => (isEmpty(made) ? without(now, 'service') : { ...now, service: { ...note, end } }));
  return { kind: 'done', value: note.ticket === ticket ? made : nothing };
}

function changeIn({ settings = {}, updates = [] }: Pick<Servicing, 'settings' | 'updates'>): Serviced {
  return { settings, updates: updates.map(({ component, url }) => ({ component, url })) };
}

function isEmpty({ settings, updates }: Serviced): boolean {
  return Object.keys(settings).length === 0 && updates.length === 0;
}

function without(record: HostRecord, slot: Slot): HostRecord {
  const { [slot]: _, ...rest } = record;
  return rest;
}

function clientOf({ host }: Workplace): string {
  return claimOwnerOf(host);
}

type Slot = 'preparation' | 'service';

/** A host in use is told when its machine is given back; one that is prepared has to ask. */
function goesOnAs(place: Workplace, slot: Slot, hasStarted = false): UnderWay {
  return slot === 'service' ? goesOnForLong(place, hasStarted) : goesOn(place, hasStarted);
}

/** Sees how far it is, and notes its end. */
async function see(place: Workplace, slot: Slot, note: WorkNote): Promise<Outcome> {
  const look = await place.parts.desk.look(note.conditions);
  if (look.kind === 'going') {
    const { message } = look;
    return { ...goesOnAs(place, slot), ...(message === undefined ? {} : { progress: message }) };
  }
  const end = endIn(note, look);
  await changeRecord(place, (now) => ({ ...now, [slot]: { ...note, end } }));
  return look.kind === 'failed' ? failedBy(end) : done;
}

type WorkEnd = NonNullable<WorkNote['end']>;

function failedBy({ failure = '', serviced }: WorkEnd): Outcome<never> {
  return { kind: 'failed', message: failure, ...(serviced === undefined ? {} : { serviced }) };
}

function endIn({ what, images = [] }: WorkNote, look: DeskLook): WorkEnd {
  if (look.kind !== 'failed') return {};
  const { message: failure, made } = look;
  const isMade = (_: unknown, at: number) => made.images.includes(images[at] ?? '');
  const updates = what.updates.filter(isMade);
  const missing = what.updates.filter((update) => !updates.includes(update));
  const [settings, unset] = made.areSettingsMade ? [what.settings, {}] : [{}, what.settings];
  return { failure, serviced: { settings, updates, left: { settings: unset, updates: missing } } };
}

interface Beginning {
  readonly what: Serviced;
  readonly slot: Slot;
  readonly note: (now: HostRecord, begun: WorkNote) => HostRecord;
  /** How long the system of the host may take to shut down; only of a host in use. */
  readonly gracePeriodMs?: number | undefined;
}

/** Orders it. What was ordered and not noted is found again at the desk, or is so already. */
async function begin(place: Workplace, record: HostRecord, beginning: Beginning): Promise<Outcome<never>> {
  const { what, slot, note, gracePeriodMs } = beginning;
  // What goes on is seen to its end all the same, and can be given up.
  if (record.maintenance !== undefined) return busy(place, `the host is in maintenance: ${record.maintenance}`);
  const reached = place.reach();
  if (reached.kind !== 'bmc') return reached;
  const { desk } = place.parts;
  const found = await findImages(place, record, what.updates);
  if (found.kind === 'reading') return busy(place, 'its images are read to know what they are');
  if (found.kind === 'refused') return { kind: 'failed', message: found.messages.join('; ') };
  const { images } = found;
  const settings = await typed(place, what.settings);
  const order = { machine: record.id, address: reached.address, settings, firmwares: images };
  const answer = await desk.order({
    ...order,
    client: clientOf(place),
    isLiveUpdate: slot === 'service',
    gracePeriodMs,
  });
  if (answer.kind === 'busy') return busy(place, answer.message);
  if (answer.kind === 'refused') return { kind: 'failed', message: answer.message };
  const ids = images.map(({ id }) => String(id));
  await changeRecord(place, (now) => note(now, { what, conditions: answer.conditions, images: ids }));
  return goesOnAs(place, slot, true);
}

/** Owners write text or numbers; a BIOS has yes and no too. */
async function typed(
  place: Workplace,
  settings: FirmwareSettings,
): Promise<Readonly<Record<string, string | number | boolean>>> {
  const reached = place.reach();
  if (Object.keys(settings).length === 0 || reached.kind !== 'bmc') return {};
  const { current } = await readBios(reached.bmc, { hasRegistry: false, hasPending: false });
  const entries = Object.entries(settings).map(([name, value]) => {
    const present = typeof current.get(name);
    if (present === 'boolean') return [name, String(value).toLowerCase() === 'true'] as const;
    if (present === 'number' && !Number.isNaN(Number(value))) return [name, Number(value)] as const;
    return [name, present === 'string' ? String(value) : value] as const;
  });
  return Object.fromEntries(entries);
}
