import type { LabelSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { PodSpec } from './pod-object.ts';

/** What a job should do. */
export interface JobSpec {
  template?: { metadata?: { labels?: Record<string, string> }; spec?: PodSpec };
  parallelism?: number;
  completions?: number;
  completionMode?: string;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  selector?: LabelSelector;
  manualSelector?: boolean;
  podFailurePolicy?: object;
  podReplacementPolicy?: string;
  successPolicy?: object;
  managedBy?: string;
}

/** How a job is doing. */
export interface JobStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  ready?: number;
  terminating?: number;
  startTime?: string;
  completionTime?: string;
  conditions?: { type: string; status: string }[];
}

/** batch/v1 Job. */
export interface Job extends KubeObject {
  spec?: JobSpec;
  status?: JobStatus;
}
