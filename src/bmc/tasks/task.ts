import type { JsonObject } from '../json.ts';
import {
  extendedInfoIn,
  firstTextIn,
  memberIn,
  messagesIn,
  numberIn,
  objectIn,
  type RedfishMessage,
  selfIn,
  textIn,
  timeIn,
  toBmcPath,
} from '../redfish/index.ts';

/** The part of a task or job that the vendor adds: Dell's lifecycle job. */
export interface VendorJob {
  readonly state: string;
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly message: string | undefined;
  readonly messageId: string | undefined;
  readonly percent: number | undefined;
}

/** A task or a job as the BMC shows it, in one form: Redfish's two schemas and Dell's own differ in names only. */
export interface TaskSnapshot {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** TaskState or JobState; empty where there is none, then the body is something else than a task. */
  readonly state: string;
  /** TaskStatus or JobStatus. */
  readonly status: string;
  readonly percent: number | undefined;
  readonly messages: readonly RedfishMessage[];
  readonly startTime: number | undefined;
  /** What was asked for when the task was made, where the BMC tells. */
  readonly payloadUri: string | undefined;
  readonly vendorJob: VendorJob | undefined;
}

/** Reads a body as a task; every member that is missing or wrong reads as absent. */
export function parseTask(uri: string, body: JsonObject): TaskSnapshot {
  const isDellJob =
    (textIn(body, '@odata.type') ?? '').startsWith('#DellJob') || memberIn(body, 'JobType') !== undefined;
  const vendorJob = isDellJob ? vendorJobIn(body) : vendorJobIn(objectIn(body, 'Oem', 'Dell'));
  return {
    uri: selfIn(body) ?? uri,
    name: textIn(body, 'Name') ?? vendorJob?.name ?? '',
    description: textIn(body, 'Description') ?? '',
    state: firstTextIn(body, 'TaskState', 'JobState') ?? vendorJob?.state ?? '',
    status: firstTextIn(body, 'TaskStatus', 'JobStatus') ?? '',
    percent: percentIn(body) ?? vendorJob?.percent,
    messages: [...messagesIn(body, 'Messages'), ...extendedInfoIn(body)],
    startTime: timeIn(body, 'StartTime'),
    payloadUri: toBmcPath(memberIn(objectIn(body, 'Payload'), 'TargetUri')),
    vendorJob,
  };
}

function vendorJobIn(body: JsonObject): VendorJob | undefined {
  const state = textIn(body, 'JobState');
  if (state === undefined) return undefined;
  return {
    state,
    type: textIn(body, 'JobType'),
    name: textIn(body, 'Name'),
    message: textIn(body, 'Message'),
    messageId: textIn(body, 'MessageId'),
    percent: percentIn(body),
  };
}

/** Some BMCs count past a hundred, or below nothing while they do not know. */
function percentIn(body: JsonObject): number | undefined {
  const percent = numberIn(body, 'PercentComplete');
  return percent === undefined || percent < 0 ? undefined : Math.min(100, percent);
}
