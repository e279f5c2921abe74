import type { Condition, JsonObject, JsonValue, PreviousHolder } from '../../engine/index.ts';

/** What is remembered of a launched job, in the progress of its condition: durable, and found by whoever comes next. */
export interface LaunchRecord {
  readonly launcher: string;
  /** Whose job it is: only who can see it may say that it is gone. */
  readonly scope: string;
  /** The lease that it was launched under. */
  readonly token: number;
  readonly handle: JsonObject;
  readonly launchedAt: number;
  /** Where its own interface is, once it said so. */
  readonly address?: string;
  /** It took its work: before that it has done nothing. */
  readonly isTaken?: boolean;
  /** Whose sessions it has to end first. */
  readonly leftovers: readonly PreviousHolder[];
}

const member = 'launch';

/** What is remembered of the launch, if anything. */
export function readLaunch({ progress }: Pick<Condition, 'progress'>): LaunchRecord | undefined {
  const found = progress[member];
  return isObject(found) ? (found as unknown as LaunchRecord) : undefined;
}

/** True once a job may have done something. */
export function hasBegun({ isTaken, address }: LaunchRecord): boolean {
  return isTaken === true || address !== undefined;
}

/** The progress with a launch in it. */
export function withLaunch(progress: JsonObject, launch: LaunchRecord): JsonObject {
  return { ...progress, [member]: JSON.parse(JSON.stringify(launch)) as JsonObject };
}

/** What the job itself wrote down. */
export function ownProgress({ progress }: Pick<Condition, 'progress'>): JsonObject {
  const { [member]: _, ...own } = progress;
  return own;
}

/** The handle as launchers are given it: with the address of the job, where it is known. */
export function handleOf({ handle, address }: LaunchRecord): JsonObject {
  return address === undefined ? handle : { ...handle, address };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
