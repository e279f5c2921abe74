import { isDeepStrictEqual } from 'node:util';
import { durationText } from '../../kube/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import type { BuiltinResource, Strategy, TablePrinter } from '../resource.ts';
import type { Job } from './job-object.ts';
import { jobFaults, jobStatusFaults, jobUpdateFaults } from './job-validation.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { podWarnings } from './pod-warnings.ts';
import { selectorText } from './selector-text.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

const uidLabel = 'batch.kubernetes.io/controller-uid';
const orphanWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

function applyDefaults(job: Job): void {
  job.spec ??= {};
  const { spec } = job;
  spec.template ??= {};
  spec.template.spec ??= {};
  defaultPodSpec(spec.template.spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  copyLabels(job);
}

/** A job without labels of its own carries those of its pods. */
function copyLabels(job: Job): void {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
}

/** The labels by which a job finds its pods. */
function generateSelector(job: Job): void {
  const { spec } = job;
  if (spec?.template === undefined || spec.manualSelector === true) return;
  const name = job.metadata.name ?? '';
  const uid = job.metadata.uid ?? '';
  const made = { 'job-name': name, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, [uidLabel]: uid };
  spec.template.metadata = { ...spec.template.metadata, labels: { ...made, ...spec.template.metadata?.labels } };
  spec.selector = { ...spec.selector, matchLabels: { [uidLabel]: uid, ...spec.selector?.matchLabels } };
}

const strategy: Strategy = {
  hasGeneration: true,
  applyDefaults,
  prepareForCreate(job: Job, { warn }) {
    for (const warning of podWarnings(job.spec?.template?.spec ?? {}, 'spec.template.spec')) warn(warning);
    const labels = job.spec?.template?.metadata?.labels;
    const areShared = isDeepStrictEqual(job.metadata.labels ?? {}, labels ?? {});
    generateSelector(job);
    // Labels that came from the pods are theirs, with whatever they get later.
    if (areShared) job.metadata.labels = { ...job.spec?.template?.metadata?.labels };
    job.status = {};
  },
  validate: jobFaults,
  validateUpdate: jobUpdateFaults,
  validateStatusUpdate: jobStatusFaults,
  defaultPropagation: 'Orphan',
  prepareForDelete(_job, request) {
    if (request.propagationPolicy === undefined) request.warn(orphanWarning);
    return { isHeld: false, graceSeconds: 0 };
  },
  selectableFields: { 'status.successful': (job: Job) => String(job.status?.succeeded ?? 0) },
};

function statusOf(job: Job): string {
  const has = (type: string): boolean =>
    job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsOf(job: Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  if (job.spec?.completions !== undefined) return `${succeeded}/${job.spec.completions}`;
  const parallelism = job.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf(job: Job, now: Date): string {
  const { startTime, completionTime } = job.status ?? {};
  if (startTime === undefined) return '';
  const end = completionTime === undefined ? now.getTime() : Date.parse(completionTime);
  return durationText(Math.floor((end - Date.parse(startTime)) / 1000));
}

const table: TablePrinter = {
  columns: [
    nameColumn,
    textColumn('Status', 'How it is going.'),
    textColumn('Completions', 'How many of its pods have succeeded.'),
    textColumn('Duration', 'How long it has been running.'),
    ageColumn,
    textColumn('Containers', 'The names of its containers.', 1),
    textColumn('Images', 'The images of its containers.', 1),
    textColumn('Selector', 'How it finds its pods.', 1),
  ],
  row: (job: Job, now) => {
    const containers = job.spec?.template?.spec?.containers ?? [];
    return [
      job.metadata.name,
      statusOf(job),
      completionsOf(job),
      durationOf(job, now),
      ageOf(job, now),
      containers.map((container) => container.name).join(','),
      containers.map((container) => container.image).join(','),
      selectorText(job.spec?.selector),
    ];
  },
};

/** Jobs: kept and shown; nothing here runs their pods. */
export function jobs(schema: JsonSchema): BuiltinResource {
  return {
    group: 'batch',
    version: 'v1',
    resource: 'jobs',
    singular: 'job',
    kind: 'Job',
    namespaced: true,
    categories: ['all'],
    hasStatus: true,
    schema,
    strategy,
    table,
  };
}
