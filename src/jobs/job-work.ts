import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Condition, JsonObject, Lease, PreviousHolder } from '../engine/index.ts';
import { JobError } from './errors.ts';

const text = () => Type.String({ maxLength: 4096 });
const anyObject = () => Type.Record(Type.String(), Type.Unknown());

const SourceSchema = Type.Object({
  format: Type.Union([Type.Literal('dell'), Type.Literal('hpe'), Type.Literal('lenovo'), Type.Literal('plain')]),
  location: text(),
  baseUrl: Type.Optional(text()),
  trustedHosts: Type.Optional(Type.Array(text(), { maxItems: 100 })),
});

/** What a discovery job is told. */
export const DiscoveryWorkSchema = Type.Object({
  /** Name of the DiscoveredFirmware object. */
  name: text(),
  manufacturer: text(),
  model: text(),
  otherModels: Type.Optional(Type.Array(text(), { maxItems: 100 })),
  versionsToStore: Type.Integer({ minimum: 0 }),
  sources: Type.Array(SourceSchema, { maxItems: 100 }),
});

const HolderSchema = Type.Object({
  controller: text(),
  token: Type.Integer(),
  sessionUri: Type.Optional(text()),
});

/** What `work_json` of TakeJob holds. Never a password: those come in the job file. */
export const JobWorkSchema = Type.Object({
  /** `firmwareInstall`, `inventoryOOB` or `firmwareDiscover`. */
  kind: text(),
  /** Of the condition: `server/<id>` or `model/<manufacturer>/<model>`. */
  target: text(),
  parameters: anyObject(),
  status: Type.Optional(anyObject()),
  facility: Type.Optional(text()),
  /** How often it was leased, with this time. */
  leases: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The fencing token of the lease. */
  fencingToken: Type.Optional(Type.Integer()),
  /** The store's time when the job took the work, in milliseconds: deadlines that are stored go by it. */
  storeTime: Type.Optional(Type.Integer()),
  /** Who left the device without a clean end: their sessions are ended first. */
  leftovers: Type.Optional(Type.Array(HolderSchema, { maxItems: 1000 })),
  /** A life of the job before left it in the middle of a flash: a cancel has to wait. */
  isCancelUnsafe: Type.Optional(Type.Boolean()),
  strategy: Type.Optional(Type.Object({ name: text(), settings: Type.Optional(Type.Unknown()) })),
  /** Name of the Server object, for the report. */
  server: Type.Optional(text()),
  discovery: Type.Optional(DiscoveryWorkSchema),
});

/** What `work_json` of TakeJob holds. */
export type JobWork = Static<typeof JobWorkSchema>;

/** What a discovery job is told. */
export type DiscoveryWork = Static<typeof DiscoveryWorkSchema>;

const check = Compile(JobWorkSchema);

/** Writes what a job has to do, for the answer to TakeJob. */
export function encodeJobWork(work: JobWork): string {
  return JSON.stringify(work);
}

/** Reads what a job has to do. Throws `badWork`. */
export function decodeJobWork(job: string, json: string): JobWork {
  const work = parseObject(job, json);
  if (check.Check(work)) return work;
  const [first] = check.Errors(work);
  throw new JobError('badWork', {
    job,
    detail: `${first?.instancePath ?? ''} ${first?.message ?? 'it is wrong'}`.trim(),
  });
}

/** Reads JSON that must be an object; nothing at all is an empty one. */
export function parseObject(job: string, json: string): JsonObject {
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (cause) {
    throw new JobError('badWork', { job, detail: 'it is no JSON' }, { cause });
  }
  throw new JobError('badWork', { job, detail: 'it is no JSON object' });
}

/** What the lease is made of that a job works under. */
export interface TakenJob {
  readonly jobId: string;
  readonly work: JobWork;
  readonly progress: JsonObject;
  readonly leaseMs: number;
  /** How long it may be silent; undefined where it is not fenced by heartbeats. */
  readonly lostAfterMs?: number | undefined;
  /** The store's time; by this process's clock where the update service does not say it. */
  readonly now: number;
  /** The trace that the job is part of. */
  readonly traceparent?: string | undefined;
  /** Somebody asked it to stop before it was taken. */
  readonly cancel?: Condition['cancel'];
}

/** The lease of a job in the words of the engine, so that everything which works under leases works in jobs too. */
export function leaseOf({ jobId, work, progress, leaseMs, lostAfterMs, now, traceparent, cancel }: TakenJob): Lease {
  const leftovers: PreviousHolder[] = (work.leftovers ?? []).map(({ controller, token, sessionUri }) => ({
    controller,
    token,
    sessionUri,
  }));
  const token = work.fencingToken ?? 0;
  const isCancelUnsafe = work.isCancelUnsafe === true;
  const condition: Condition = {
    id: jobId,
    unit: jobId,
    unitIndex: 0,
    target: work.target,
    lockKey: work.target,
    kind: work.kind,
    state: 'active',
    parameters: work.parameters as JsonObject,
    status: (work.status ?? {}) as JsonObject,
    progress,
    controller: undefined,
    lock: '',
    priority: 0,
    facility: work.facility ?? '',
    client: '',
    reason: undefined,
    fencingToken: token,
    leaseUntil: now + leaseMs,
    leases: work.leases ?? 1,
    cancel,
    isCancelUnsafe,
    deadline: undefined,
    createdAt: now,
    updatedAt: now,
    finalizedAt: undefined,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const held = {
    condition,
    token,
    until: now + leaseMs,
    previous: leftovers.at(-1),
    leftovers,
    leaseMs,
    isCancelUnsafe,
  };
  return lostAfterMs === undefined ? held : { ...held, lostAfterMs };
}
