import { updateRpc } from '../../api/index.ts';
import {
  type Condition,
  type ConditionState,
  type Engine,
  isFinal,
  machineIdOf,
  targetOf,
} from '../../engine/index.ts';
import { invalid } from '../desk/check-request.ts';
import { resolveServer } from '../desk/resolve-server.ts';
import { isUpdateError, UpdateError } from '../errors.ts';
import { jobKinds, kindOf, modelTarget } from '../kinds.ts';
import type { FleetNames } from '../names/fleet-names.ts';
import { isJob, showJob } from './show-job.ts';

/** What jobs are looked up with. */
export interface JobBookParts {
  readonly engine: Pick<Engine, 'get' | 'list' | 'machines'>;
  readonly names: FleetNames;
  readonly strategy: string;
}

/** Which jobs. */
export interface JobQuery {
  readonly type?: keyof typeof kindOf | undefined;
  readonly state?: ConditionState | undefined;
  /** Name of a Server or DiscoveredFirmware, or id of a server. */
  readonly target?: string | undefined;
  readonly isWithHistory?: boolean;
  readonly limit?: number;
  readonly after?: string | undefined;
}

/** A job as the interface shows it. */
export type ShownJob = ReturnType<typeof showJob>;

/** Where jobs are read: nothing is kept here, all of it is in the engine. */
export interface JobBook {
  /** Throws `jobNotFound`. */
  require(jobId: string): Promise<Condition>;
  show(condition: Condition): Promise<ShownJob>;
  /** Newest first. Throws `invalidRequest`. */
  list(query: JobQuery): Promise<{ readonly jobs: readonly Condition[]; readonly next: string | undefined }>;
  /** The targets that a name means; undefined for any. */
  targetsOf(name: string | undefined): Promise<readonly string[] | undefined>;
}

const defaultLimit = 100;
const mostOnPage = 500;

/** Makes the book. */
export function createJobBook(parts: JobBookParts): JobBook {
  const { engine, names } = parts;
  const targetsOf = async (name: string | undefined): Promise<readonly string[] | undefined> => {
    if (name === undefined || name === '') return undefined;
    const discovered = await names.discoveredFirmware(name);
    const server = await resolveServer(parts, name).catch((error: unknown) => {
      if (isUpdateError(error, 'serverNotFound')) return undefined;
      throw error;
    });
    return [
      ...(server === undefined ? [] : [targetOf(server.id)]),
      ...(discovered === undefined ? [] : [modelTarget(discovered)]),
    ];
  };
  return {
    targetsOf,
    async require(jobId) {
      const found = /^[\w-]{1,64}$/.test(jobId) ? await engine.get(jobId.toLowerCase()) : undefined;
      if (found !== undefined && isJob(found)) return found;
      throw new UpdateError('jobNotFound', { job: JSON.stringify(jobId.slice(0, 80)) });
    },
    async show(condition) {
      const id = machineIdOf(condition.target);
      if (id === undefined) return showJob(condition, { strategy: parts.strategy });
      const machine = await engine.machines.get(id);
      const { manufacturer, model } = machine ?? {};
      const serverName = await names.serverOf(id);
      return showJob(condition, { serverName, manufacturer, model, strategy: parts.strategy });
    },
    async list(query) {
      const limit = query.limit === undefined || query.limit === 0 ? defaultLimit : query.limit;
      if (!Number.isInteger(limit) || limit < 1) throw invalid([`page_size is ${limit}, and must be above 0`]);
      const targets = await targetsOf(query.target);
      return await listPage(engine, { ...query, limit: Math.min(limit, mostOnPage) }, targets);
    },
  };
}

/** The engine lists one kind and one target at a time: pages of several are put together, newest first. */
async function listPage(
  engine: Pick<Engine, 'list'>,
  query: JobQuery & { readonly limit: number },
  targets: readonly string[] | undefined,
): Promise<{ readonly jobs: readonly Condition[]; readonly next: string | undefined }> {
  const { limit, after, state, isWithHistory = false } = query;
  const kinds = query.type === undefined ? jobKinds : [kindOf[query.type]];
  const lists = await Promise.all(
    kinds.flatMap((kind) =>
      (targets ?? [undefined]).map((target) =>
        engine.list({
          kind,
          isWithHistory,
          limit: limit + 1,
          ...(target === undefined ? {} : { target }),
          ...(state === undefined ? {} : { states: [state] }),
          ...(after === undefined || after === '' ? {} : { after }),
        }),
      ),
    ),
  );
  const all = lists
    .flatMap(({ conditions }) => conditions)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const jobs = all.slice(0, limit);
  const last = jobs.at(-1);
  return { jobs, next: all.length > limit && last !== undefined ? placeOf(last) : undefined };
}

/** A place between two conditions, as the engine writes it. */
function placeOf({ createdAt, id }: Condition): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

/** The state of conditions that a state of jobs is. Throws `invalidRequest`. */
export function stateOf(state: updateRpc.JobState): ConditionState | undefined {
  const { JobState } = updateRpc;
  const known = {
    [JobState.UNSPECIFIED]: undefined,
    [JobState.QUEUED]: 'pending',
    [JobState.RUNNING]: 'active',
    [JobState.SUCCEEDED]: 'succeeded',
    [JobState.FAILED]: 'failed',
  } as const;
  if (!(state in known)) throw invalid([`there is no state of jobs ${state}`]);
  return known[state];
}

/** True once nothing follows. */
export function isOver({ state }: Condition): boolean {
  return isFinal(state);
}
