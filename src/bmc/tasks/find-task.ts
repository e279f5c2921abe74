import type { GateReply } from '../gate/gate.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { barePath, memberIn, messagesIn, objectIn, selfIn, textIn, toBmcPath } from '../redfish/index.ts';

/** Where the answer to a long operation says it can be followed. */
export interface FoundTask {
  /** The task or job resource, else the monitor; undefined where the answer names neither. */
  readonly taskUri: string | undefined;
  /** The monitor, where the answer names one besides or the task was concluded from it. */
  readonly monitorUri: string | undefined;
}

/**
 * Finds the task in an answer. Vendors put it in the Location, in TaskMonitor, in the body when that is the task, in a
 * link to it, or in the arguments of a message (Supermicro). The task resource goes before its monitor: Lenovo throws a
 * finished task away when its monitor is read, and Dell's newer monitors answer with nothing in them.
 */
export function findTask(reply: Pick<GateReply, 'status' | 'headers' | 'body'>): FoundTask {
  const candidates = candidatesIn(reply);
  const monitorUri = candidates.find(isMonitorUri);
  const taskUri = candidates.find((uri) => isTaskUri(uri)) ?? candidates.map(toTaskUri).find(isTaskUri);
  if (taskUri !== undefined) return { taskUri, monitorUri };
  // What was made, and not what makes it, is in the Location of a 201: Dell's uploaded image.
  const other = candidates.find((uri) => reply.status === 202 || /task|job|monitor/i.test(uri));
  return { taskUri: other, monitorUri: undefined };
}

function candidatesIn({ headers, body }: Pick<GateReply, 'headers' | 'body'>): readonly string[] {
  const found = [
    pathOf(headers.location),
    pathOf(memberIn(body, 'TaskMonitor')),
    isTask(body) ? selfIn(body) : undefined,
    pathOf(memberIn(objectIn(body, 'Task'), '@odata.id')),
    ...argsIn(objectIn(body, 'Accepted')),
    ...argsIn(objectIn(body, 'error')),
    ...argsIn(body),
  ];
  return [...new Set(found.filter((uri) => uri !== undefined))];
}

function isTask(body: JsonObject): boolean {
  const type = textIn(body, '@odata.type') ?? '';
  return /^#(?:Task|Job)\./.test(type) || memberIn(body, 'TaskState') !== undefined;
}

/** Arguments of messages that lead to a task; other arguments are names and numbers. */
function argsIn(body: JsonObject): readonly (string | undefined)[] {
  return messagesIn(body, '@Message.ExtendedInfo')
    .flatMap(({ args }) => args)
    .map((arg) => pathOf(arg))
    .filter((path) => path !== undefined && isTaskUri(path));
}

/**
 * A BMC may name itself in the link by a host name or an address that we do not use (behind a port forward, or
 * Supermicro's inner one); the path is what counts, and it is only ever asked of the BMC itself.
 */
function pathOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!/^https?:/i.test(value) || !URL.canParse(value)) return toBmcPath(value);
  const url = new URL(value);
  return toBmcPath(`${url.pathname}${url.search}`);
}

/** The task behind a monitor, by the two forms in which its name is the task's; other links stay as they are. */
export function toTaskUri(uri: string): string {
  const task = barePath(uri)
    .replace(/\/Monitor$/i, '')
    .replace(/\/TaskService\/TaskMonitors\/([^/]+)$/i, '/TaskService/Tasks/$1');
  return task === barePath(uri) ? uri : task;
}

/** True for a resource of a task or job collection. */
export function isTaskUri(uri: string): boolean {
  return /\/(?:Tasks|Jobs)\/[^/]+$/i.test(barePath(uri));
}

function isMonitorUri(uri: string): boolean {
  return !isTaskUri(uri) && /monitor/i.test(uri);
}
