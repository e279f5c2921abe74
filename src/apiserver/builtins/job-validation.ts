import { isDeepStrictEqual } from 'node:util';
import {
  type FieldError,
  invalidError,
  type Json,
  label1123Faults,
  notSupportedError,
  requiredError,
} from '../../schema/index.ts';
import { compileSelectorObject } from '../meta/selectors.ts';
import { checkLabels } from '../meta/validate-metadata.ts';
import { changeFaults, negativeFaults, selectorFaults } from './checks.ts';
import type { Job, JobSpec } from './job-object.ts';
import { podSpecFaults } from './pod-validation.ts';

/** What is wrong with a new job. */
export function jobFaults(job: Job): FieldError[] {
  const spec = job.spec ?? {};
  const errors = [...generatedFaults(job), ...specFaults(spec)];
  const last = `${job.metadata.name ?? ''}-${(spec.completions ?? 0) - 1}`;
  if (spec.completionMode === 'Indexed' && (spec.completions ?? 0) > 0 && label1123Faults(last).length > 0) {
    const words = `will not able to create pod with invalid DNS label: ${last}`;
    errors.push(invalidError('metadata.name', job.metadata.name ?? '', words));
  }
  return errors;
}

/** Labels the server generates may not be forged by whoever writes the template. */
function generatedFaults(job: Job): FieldError[] {
  const spec = job.spec ?? {};
  if (spec.manualSelector === true) return [];
  const labels = spec.template?.metadata?.labels ?? {};
  const uid = job.metadata.uid ?? '';
  const name = job.metadata.name ?? '';
  const wanted: [string, string][] = [
    ['batch.kubernetes.io/controller-uid', uid],
    ['batch.kubernetes.io/job-name', name],
    ['controller-uid', uid],
    ['job-name', name],
  ];
  return wanted.flatMap(([key, value]) => {
    if (labels[key] === value) return [];
    const field = 'spec.template.metadata.labels';
    return [invalidError(field, labels, `must be '${value}'`)];
  });
}

function specFaults(spec: JobSpec): FieldError[] {
  const errors: FieldError[] = [];
  const numbers = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  for (const name of numbers) errors.push(...negativeFaults(spec[name], `spec.${name}`));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(requiredError('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  }
  errors.push(...modeFaults(spec), ...replacementFaults(spec));
  const template = spec.template ?? {};
  checkLabels(template.metadata?.labels, 'spec.template.metadata.labels', errors);
  errors.push(...podSpecFaults(template.spec ?? {}, 'spec.template.spec'), ...restartFaults(spec));
  return [...errors, ...ownSelectorFaults(spec)];
}

function modeFaults(spec: JobSpec): FieldError[] {
  const errors: FieldError[] = [];
  const modes = ['NonIndexed', 'Indexed'];
  const mode = spec.completionMode ?? 'NonIndexed';
  if (!modes.includes(mode)) errors.push(notSupportedError('spec.completionMode', mode, modes));
  if (mode === 'Indexed' && spec.completions === undefined) {
    errors.push(requiredError('spec.completions', 'when completion mode is Indexed'));
  }
  if (mode !== 'NonIndexed') return errors;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    const value = spec[name];
    if (value !== undefined) errors.push(invalidError(`spec.${name}`, value, 'requires indexed completion mode'));
  }
  return errors;
}

function replacementFaults(spec: JobSpec): FieldError[] {
  const policy = spec.podReplacementPolicy;
  const known = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (policy === undefined || known.includes(policy)) return [];
  return [notSupportedError('spec.podReplacementPolicy', policy, known)];
}

function restartFaults(spec: JobSpec): FieldError[] {
  const field = 'spec.template.spec.restartPolicy';
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [requiredError(field, 'valid values: "OnFailure", "Never"')];
  const known = ['OnFailure', 'Never'];
  return known.includes(policy) ? [] : [notSupportedError(field, policy, known)];
}

function ownSelectorFaults(spec: JobSpec): FieldError[] {
  if (spec.selector === undefined) return [requiredError('spec.selector')];
  const errors = selectorFaults(spec.selector, 'spec.selector');
  const labels = spec.template?.metadata?.labels;
  const isMatch = compileSelectorObject(spec.selector)?.(labels) ?? true;
  if (errors.length > 0 || isMatch) return errors;
  return [invalidError('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')];
}

/** What is wrong with a changed job. */
export function jobUpdateFaults(job: Job, old: Job): FieldError[] {
  const spec = job.spec ?? {};
  const was = old.spec ?? {};
  const errors = specFaults(spec);
  const isElastic =
    spec.completionMode === 'Indexed' && spec.completions === spec.parallelism && was.completions === was.parallelism;
  if (!isElastic) errors.push(...changeFaults('spec.completions', spec.completions, was.completions));
  errors.push(...changeFaults('spec.selector', spec.selector as Json, was.selector as Json));
  if (!isDeepStrictEqual(spec.template, was.template) && !mayChangeTemplate(old)) {
    errors.push(invalidError('spec.template', spec.template as Json, 'field is immutable'));
  }
  const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;
  for (const name of fixed) errors.push(...changeFaults(`spec.${name}`, spec[name] as Json, was[name] as Json));
  return errors;
}

/** A suspended job that has not started may still be told where its pods should run. */
function mayChangeTemplate(old: Job): boolean {
  return old.spec?.suspend === true && old.status?.startTime === undefined;
}

/** What may not be written into a job's status. */
export function jobStatusFaults(job: Job, old: Job): FieldError[] {
  const status = job.status ?? {};
  const was = old.status ?? {};
  const numbers = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
  const errors = numbers.flatMap((name) => negativeFaults(status[name], `status.${name}`));
  for (const name of ['failed', 'succeeded'] as const) {
    const count = status[name] ?? 0;
    if (count < (was[name] ?? 0))
      errors.push(invalidError(`status.${name}`, count, `cannot decrease the ${name} counter`));
  }
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (!hasCondition(old, type) || hasCondition(job, type)) continue;
    const words = `cannot disable the terminal ${type}=True condition`;
    errors.push({ ...invalidError('status.conditions', null, words) });
  }
  return [...errors, ...timeFaults(job, old)];
}

function hasCondition(job: Job, type: string): boolean {
  return job.status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}

function timeFaults(job: Job, old: Job): FieldError[] {
  const { startTime, completionTime } = job.status ?? {};
  const was = old.status ?? {};
  const field = 'status.completionTime';
  const errors: FieldError[] = [];
  if (completionTime !== undefined && !hasCondition(job, 'Complete')) {
    const words = 'cannot set completionTime when there is no Complete=True condition';
    errors.push(invalidError(field, completionTime, words));
  }
  if (completionTime === undefined && hasCondition(job, 'Complete')) {
    errors.push(requiredError(field, 'completionTime is required for Complete jobs'));
  }
  if (was.completionTime !== undefined && completionTime !== undefined && completionTime !== was.completionTime) {
    errors.push(invalidError(field, completionTime, 'field is immutable'));
  }
  const isFinished = hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
  if (startTime === undefined && isFinished) {
    errors.push(requiredError('status.startTime', 'startTime is required for finished job'));
  }
  if (was.startTime !== undefined && startTime !== was.startTime && job.spec?.suspend !== true) {
    errors.push(requiredError('status.startTime', 'startTime cannot be removed for unsuspended job'));
  }
  return errors;
}
