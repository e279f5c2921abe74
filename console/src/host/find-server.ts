import { type KubeObject, resources } from '../api/kinds.ts';
import { getObject, listEvery, listObjects } from '../api/objects.ts';
import { RefusedError } from '../api/refused.ts';
import {
  identifyServer,
  indexServers,
  type MachineMarks,
  type ServerRow,
  serverOfName,
  toServerRow,
} from '../fleet/server-row.ts';

/**
 * The name of the Server that is the machine of a host; undefined when there is none. The one with the usual name is
 * looked at first: thousands are read only for a host that is called otherwise.
 */
export async function findServer(marks: MachineMarks, signal: AbortSignal): Promise<string | undefined> {
  const usual = await getObject<KubeObject>(resources.servers, { name: `${marks.name}-system-0` }, signal);
  const near = indexServers(usual === undefined ? [] : [toServerRow(usual)]);
  const own = identifyServer(marks, near);
  if (own !== undefined) return own.name;
  const all = indexServers(await everyServer(signal));
  const found = identifyServer(marks, all);
  if (found !== undefined) return found.name;
  const named = serverOfName(marks, all);
  return named !== undefined && (await isOnlyOfName(marks.name)) ? named.name : undefined;
}

/** Where nobody looks after firmware there is no such kind. */
async function everyServer(signal: AbortSignal): Promise<readonly ServerRow[]> {
  try {
    return await listEvery(resources.servers, toServerRow, signal);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return [];
    throw error;
  }
}

/** Whoever may not see the hosts of others cannot mistake theirs for one of them. */
async function isOnlyOfName(name: string): Promise<boolean> {
  try {
    return (await listObjects(resources.hosts, {}, { fieldSelector: `metadata.name=${name}` })).length <= 1;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 403) return true;
    throw error;
  }
}
