import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { updateRpc } from '../../api/index.ts';
import { type Condition, isFinal, type JsonObject, type JsonValue, machineIdOf } from '../../engine/index.ts';
import { readInstallOutcome } from '../../flasher/index.ts';
import { jobKinds, kindOf, readDiscoverParameters } from '../kinds.ts';

const { JobState, JobType } = updateRpc;

/** What is shown of a job besides its condition. */
export interface JobWords {
  /** Name of the Server, where it is known. */
  readonly serverName?: string | undefined;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  readonly strategy: string;
}

type JobInit = MessageInitShape<typeof updateRpc.JobSchema>;

/** The type of a job by the kind of its condition; undefined for work that is no job of this service. */
export function jobTypeOf(kind: string): keyof typeof kindOf | undefined {
  return (Object.keys(kindOf) as (keyof typeof kindOf)[]).find((type) => kindOf[type] === kind);
}

const types = { update: JobType.UPDATE, scan: JobType.SCAN, discovery: JobType.DISCOVERY } as const;

const states = {
  pending: JobState.QUEUED,
  active: JobState.RUNNING,
  succeeded: JobState.SUCCEEDED,
  failed: JobState.FAILED,
} as const;

/** True for conditions that are jobs. */
export function isJob({ kind }: Pick<Condition, 'kind'>): boolean {
  return (jobKinds as readonly string[]).includes(kind);
}

/** A condition as the interface shows jobs. */
export function showJob(condition: Condition, words: JobWords): JobInit {
  const { kind, state, status, reason, parameters } = condition;
  const type = jobTypeOf(kind);
  const discovery = type === 'discovery' ? readDiscoverParameters(parameters) : undefined;
  return {
    id: condition.id,
    type: type === undefined ? JobType.UNSPECIFIED : types[type],
    state: states[state],
    target: discovery?.name ?? words.serverName ?? machineIdOf(condition.target) ?? condition.target,
    manufacturer: discovery?.manufacturer ?? words.manufacturer ?? '',
    model: discovery?.model ?? words.model ?? '',
    strategy: type === 'discovery' ? '' : words.strategy,
    firmwares: firmwaresOf(parameters.firmwares),
    percent: percentOf(condition),
    message: reason?.message ?? textOf(status.message) ?? textOf(status.msg) ?? '',
    reason: reason?.code ?? '',
    runner: condition.controller ?? '',
    createdAt: timestampFromMs(condition.createdAt),
    updatedAt: timestampFromMs(condition.updatedAt),
    ...(condition.finalizedAt === undefined ? {} : { finishedAt: timestampFromMs(condition.finalizedAt) }),
    attempts: condition.leases,
    isCancelAsked: condition.cancel !== undefined,
    // Nothing of what has ended can be cancelled.
    isCancelUnsafe: condition.isCancelUnsafe && !isFinal(state),
    ...(type === 'update' ? showInstallOutcome(status) : {}),
  };
}

/** What an update came to, and what it left out. */
function showInstallOutcome(status: JsonObject): Pick<JobInit, 'result' | 'skipped'> {
  const { result = '', skipped = [] } = readInstallOutcome(status);
  return {
    result,
    skipped: skipped.map(({ component, vendor, version, why, message }) => ({
      ...{ name: component, manufacturer: vendor, version, message },
      reason: why,
    })),
  };
}

function firmwaresOf(value: JsonValue | undefined) {
  if (!Array.isArray(value)) return [];
  return value.map((one) => {
    const { component, vendor, version } = one as JsonObject;
    return { name: textOf(component) ?? '', manufacturer: textOf(vendor) ?? '', version: textOf(version) ?? '' };
  });
}

function percentOf({ state, status }: Condition): number {
  if (state === 'succeeded') return 100;
  const { percent } = status;
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? Math.round(percent) : 0;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
