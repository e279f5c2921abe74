import { updateRpc } from '../api/index.ts';

/** What a job is for. */
export type JobType = 'update' | 'scan' | 'discovery';

const types: readonly (readonly [updateRpc.JobType, JobType, string])[] = [
  [updateRpc.JobType.UPDATE, 'update', 'firmwareInstall'],
  [updateRpc.JobType.SCAN, 'scan', 'inventoryOOB'],
  [updateRpc.JobType.DISCOVERY, 'discovery', 'firmwareDiscover'],
];

/** What jobs are for. */
export const jobTypes: readonly JobType[] = types.map(([, type]) => type);

/** The kinds of conditions that are jobs. */
export const jobKinds: readonly string[] = types.map(([, , kind]) => kind);

/** What a job is for, by the number of the interface; undefined for numbers that nobody knows. */
export function jobTypeOf(number: updateRpc.JobType): JobType | undefined {
  return types.find(([each]) => each === number)?.[1];
}
