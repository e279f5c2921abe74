import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import {
  beginReading,
  childPath,
  type Gap,
  isSamePath,
  lastSegment,
  linkIn,
  listCollection,
  listPathsIn,
  messageKey,
  type Reading,
  toBmcPath,
} from '../redfish/index.ts';
import { parseTask, type TaskSnapshot } from './task.ts';

/** The answer to a question about a task. */
export type TaskAnswer =
  | { readonly kind: 'task'; readonly task: TaskSnapshot }
  /** 404 or 410: thrown away, or never there. */
  | { readonly kind: 'gone' };

/** Reads a task or job. Throws BmcError. */
export async function readTask(bmc: Bmc, uri: string): Promise<TaskAnswer> {
  const reply = await bmc.gate.request({ method: 'GET', path: uri, accept: [404, 410] });
  if (reply.status === 404 || reply.status === 410) return { kind: 'gone' };
  return { kind: 'task', task: parseTask(uri, reply.body) };
}

/** The job that a task handed its work to (Lenovo, and Redfish since 2020), if it did. */
export function jobOf(task: TaskSnapshot): string | undefined {
  const handedOver = task.messages.find(({ id }) => messageKey(id) === 'OperationTransitionedToJob');
  return toBmcPath(handedOver?.args[0]);
}

/** What a BMC lists of tasks or jobs. That there is none is told from what could not be looked at. */
export interface TaskPaths {
  /** False where the BMC keeps no such list at all. */
  readonly isKept: boolean;
  readonly uris: readonly string[];
  readonly gaps: readonly Gap[];
}

/** Tasks or jobs, and what of them could not be seen. */
export interface TaskList {
  /** False where the BMC keeps no such list at all. */
  readonly isKept: boolean;
  readonly tasks: readonly TaskSnapshot[];
  /** Listed, and not there any more when they were asked for. */
  readonly gone: readonly string[];
  readonly gaps: readonly Gap[];
}

/** Paths of all tasks that the BMC lists. Throws BmcErrors after which nothing else can be read either. */
export async function listTaskUris(bmc: Bmc): Promise<TaskPaths> {
  return withTasks(bmc, (collection) => listIn(beginReading(bmc), collection));
}

/** Paths of all jobs in a vendor's own collection of them. */
export async function listJobUris(bmc: Bmc, collection: string | undefined): Promise<TaskPaths> {
  return (await listIn(beginReading(bmc), async () => collection)).found;
}

/** The tasks whose path passes. Those that cannot be read are gaps: nobody knows what they are. */
export async function readTasks(bmc: Bmc, isWanted: (uri: string) => boolean): Promise<TaskList> {
  return withTasks(bmc, (collection) => readList(beginReading(bmc), { collection, isWanted }));
}

/** The jobs of a vendor's own collection whose path passes. */
export async function readJobs(
  bmc: Bmc,
  collection: string | undefined,
  isWanted: (uri: string) => boolean,
): Promise<TaskList> {
  return (await readList(beginReading(bmc), { collection: async () => collection, isWanted })).found;
}

type CollectionSource = () => Promise<string | undefined>;

/** What was read of a list, and how much is in it. */
interface Listing<T> {
  readonly found: T;
  readonly count: number;
}

type Seen = { readonly isKept: boolean; readonly gaps: readonly Gap[] };

/**
 * Reads the list of tasks where it was found before, else in the usual place: the service itself need not be read then. Where
 * it is not there the service is asked for it; also where it is empty, since that nothing goes on is concluded from it.
 */
async function withTasks<T extends Seen>(
  bmc: Bmc,
  read: (collection: CollectionSource) => Promise<Listing<T>>,
): Promise<T> {
  const known = bmc.notes?.taskCollection;
  let tried: string | undefined;
  const { found, count } = await read(async () => {
    tried = known ?? (await usualTasks(bmc));
    return tried;
  });
  if (tried === undefined) return found;
  if ((known !== undefined || count > 0) && note(bmc, tried, found)) return found;
  let named: string | undefined;
  const { found: again } = await read(async () => {
    named = await namedTasks(bmc);
    return isSamePath(named ?? '', tried ?? '') ? undefined : named;
  });
  // What was seen in the usual place was seen, whatever the service does not say.
  if (named === undefined) return found.isKept ? { ...found, gaps: [...found.gaps, ...again.gaps] } : again;
  const isUsual = isSamePath(named, tried);
  note(bmc, named, isUsual ? found : again);
  return isUsual ? found : again;
}

/** Notes where the list is if it is surely there; else false. */
function note({ notes }: Bmc, path: string, found: Seen): boolean {
  if (!found.isKept || found.gaps.length > 0) return false;
  if (notes !== undefined) notes.taskCollection = path;
  return true;
}

async function listIn(reading: Reading, collection: CollectionSource): Promise<Listing<TaskPaths>> {
  const listed = await ifThere(reading, collection, (path) => listPathsIn(reading, path));
  const found = { isKept: listed !== undefined, uris: listed ?? [], gaps: reading.gaps };
  return { found, count: found.uris.length };
}

async function readList(
  reading: Reading,
  wish: { readonly collection: CollectionSource; readonly isWanted: (uri: string) => boolean },
): Promise<Listing<TaskList>> {
  const listed = await ifThere(reading, wish.collection, (path) => listCollection(reading, path));
  const tasks: TaskSnapshot[] = [];
  const gone: string[] = [];
  for (const { path, body } of listed ?? []) {
    if (!wish.isWanted(path)) continue;
    if (body !== undefined) {
      tasks.push(parseTask(path, body));
      continue;
    }
    try {
      tasks.push(parseTask(path, await reading.fetch(path)));
    } catch (error) {
      if (isBmcError(error, 'notFound')) gone.push(path);
      else reading.note(path, error);
    }
  }
  return { found: { isKept: listed !== undefined, tasks, gone, gaps: reading.gaps }, count: listed?.length ?? 0 };
}

/** Undefined where the BMC does not have the list; an empty one with a gap where it cannot be read. */
async function ifThere<T>(
  reading: Reading,
  collection: CollectionSource,
  read: (path: string) => Promise<readonly T[]>,
): Promise<readonly T[] | undefined> {
  let asked = 'the list of tasks';
  try {
    const path = await collection();
    if (path === undefined) return undefined;
    asked = path;
    return await read(path);
  } catch (error) {
    if (isBmcError(error, 'notFound')) return undefined;
    reading.note(asked, error);
    return [];
  }
}

async function usualTasks(bmc: Bmc): Promise<string | undefined> {
  const { tasks } = await bmc.root();
  // The root leads to the service by the standard, and straight to the collection on some BMCs.
  return tasks === undefined || lastSegment(tasks) === 'Tasks' ? tasks : childPath(tasks, 'Tasks');
}

async function namedTasks(bmc: Bmc): Promise<string | undefined> {
  const { tasks } = await bmc.root();
  if (tasks === undefined || lastSegment(tasks) === 'Tasks') return tasks;
  const service = await bmc.gate.request({ method: 'GET', path: tasks });
  return linkIn(service.body, 'Tasks');
}
