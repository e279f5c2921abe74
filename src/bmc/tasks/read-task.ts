import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { lastSegment, linkIn, listPaths, messageKey, readCollection, toBmcPath } from '../redfish/index.ts';
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

/** Paths of all tasks that the BMC lists; undefined where it has no task service. */
export async function listTaskUris(bmc: Bmc): Promise<readonly string[] | undefined> {
  const collection = await taskCollectionOf(bmc);
  return collection === undefined ? undefined : ifThere(listPaths(bmc, collection));
}

/** Tasks that pass, by their path; undefined where the BMC has no task service. Those that cannot be read are left out. */
export async function readTasks(
  bmc: Bmc,
  isWanted: (uri: string) => boolean,
): Promise<readonly TaskSnapshot[] | undefined> {
  const collection = await taskCollectionOf(bmc);
  const read = collection === undefined ? undefined : await ifThere(readCollection(bmc, collection, { isWanted }));
  return read?.members.map(({ path, body }) => parseTask(path, body));
}

async function taskCollectionOf(bmc: Bmc): Promise<string | undefined> {
  const { tasks } = await bmc.root();
  if (tasks === undefined) return undefined;
  // The root leads to the service by the standard, and straight to the collection on some BMCs.
  if (lastSegment(tasks) === 'Tasks') return tasks;
  const service = await ifThere(bmc.gate.request({ method: 'GET', path: tasks }));
  return service === undefined ? undefined : linkIn(service.body, 'Tasks');
}

async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isBmcError(error, 'notFound')) return undefined;
    throw error;
  }
}
