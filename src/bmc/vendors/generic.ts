import type { TaskSnapshot } from '../tasks/index.ts';
import { meaningOf } from '../tasks/index.ts';
import type { TaskKind, UpdateWays } from './update-ways.ts';

/** The standard's ways alone. */
export const genericWays: UpdateWays = {
  vendor: 'generic',
  chooseApplyTime: (component, offered) => firstOffered(offered, component === 'bmc' ? bmcTimes : hostTimes),
  defaultTargets: async () => [],
  choosesParts: false,
  oemFor: async () => ({}),
  checkBefore: async () => {},
  whyNoPush: () => undefined,
  jobUriOf: () => undefined,
  jobCollection: undefined,
  recognise: recogniseUpdate,
  mayReadMonitors: true,
  readServiceProgress: async () => undefined,
  mayHaveForgotten: async () => false,
  adviceFor: (error) => error.messageIds.map(meaningOf).find((meaning) => meaning !== undefined),
};

/** The BMC restarts by itself; the host must not before its owner says so. */
const bmcTimes = ['Immediate', 'OnStartUpdateRequest', 'OnReset'];
const hostTimes = ['OnReset', 'OnStartUpdateRequest', 'Immediate'];

/** The first of the wanted that is offered. */
export function firstOffered(offered: readonly string[], wanted: readonly string[]): string | undefined {
  return wanted.find((time) => offered.includes(time));
}

/** Tells updates from other tasks by what they were asked with, their name, or their messages. */
export function recogniseUpdate(task: TaskSnapshot): TaskKind {
  if (task.payloadUri !== undefined) return /update|upload|firmware/i.test(task.payloadUri) ? 'update' : 'other';
  if (task.messages.some(({ id }) => /^Update\.\d/.test(id))) return 'update';
  const words = `${task.name} ${task.description} ${task.vendorJob?.type ?? ''}`;
  if (/firmware|updat|upload|flash|\bverify\b/i.test(words)) return 'update';
  return /config|reset|reboot|power|export|import|\blog\b|diagnos|erase/i.test(words) ? 'other' : 'unclear';
}
