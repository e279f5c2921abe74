import { type FieldError, invalidError, requiredError } from '../../schema/index.ts';
import type { Crd } from './crd-object.ts';

const annotation = 'api-approved.kubernetes.io';
const pullRequest = 'https://github.com/kubernetes/enhancements/pull/1111';

type Approval = 'approved' | 'bypassed' | 'missing' | 'invalid';

/** Groups of the Kubernetes community (`*.k8s.io`, `*.kubernetes.io`) need its approval, or a note that there is none. */
export function approvalErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(crd.spec.group ?? '')) return [];
  const state = approvalOf(crd);
  if (old !== undefined && approvalOf(old) === state) return [];
  const field = `metadata.annotations[${annotation}]`;
  const words = `protected groups must have approval annotation "${annotation}"`;
  if (state === 'missing') return [requiredError(field, `${words}, see ${pullRequest}`)];
  if (state !== 'invalid') return [];
  const value = crd.metadata.annotations?.[annotation] ?? '';
  return [
    invalidError(field, value, `${words} with either a URL or a reason starting with "unapproved", see ${pullRequest}`),
  ];
}

function approvalOf(crd: Crd): Approval {
  const value = crd.metadata.annotations?.[annotation] ?? '';
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]+/.test(value) ? 'approved' : 'invalid';
}
