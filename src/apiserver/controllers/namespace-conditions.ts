import { kubeTime } from '../core.ts';
import type { RemainingContent } from './namespace-content.ts';

/** A condition of a namespace. */
export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime: string | null;
  reason: string;
  message: string;
}

type Finding = Omit<NamespaceCondition, 'lastTransitionTime'>;

/** What a namespace that is being deleted says about how that goes; a time changes only with what it says. */
export function namespaceConditions(
  remaining: RemainingContent,
  before: readonly NamespaceCondition[],
  now: Date,
): NamespaceCondition[] {
  const conditions = [...before];
  for (const finding of findingsOf(remaining)) {
    const index = conditions.findIndex(({ type }) => type === finding.type);
    const was = conditions[index];
    const isSame = was !== undefined && was.status === finding.status && was.message === finding.message;
    if (isSame && was.reason === finding.reason) continue;
    const { type, status, reason, message } = finding;
    const next = { type, status, lastTransitionTime: kubeTime(now), reason, message };
    if (index < 0) conditions.push(next);
    else conditions[index] = next;
  }
  return conditions;
}

function findingsOf(remaining: RemainingContent): Finding[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    failureFinding(remaining.failures),
    listFinding('NamespaceContentRemaining', remaining.resources, {
      some: 'SomeResourcesRemain',
      none: 'ContentRemoved',
      someWords: 'Some resources are remaining: ',
      noneWords: 'All content successfully removed',
      each: (name, count) => `${name} has ${count} resource instances`,
    }),
    listFinding('NamespaceFinalizersRemaining', remaining.finalizers, {
      some: 'SomeFinalizersRemain',
      none: 'ContentHasNoFinalizers',
      someWords: 'Some content in the namespace has finalizers remaining: ',
      noneWords: 'All content-preserving finalizers finished',
      each: (name, count) => `${name} in ${count} resource instances`,
    }),
  ];
}

function failureFinding(failures: readonly string[]): Finding {
  const type = 'NamespaceDeletionContentFailure';
  if (failures.length === 0) {
    const message = 'All content successfully deleted, may be waiting on finalization';
    return { type, status: 'False', reason: 'ContentDeleted', message };
  }
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
  return { type, status: 'True', reason: 'ContentDeletionFailed', message };
}

interface ListWords {
  readonly some: string;
  readonly none: string;
  readonly someWords: string;
  readonly noneWords: string;
  readonly each: (name: string, count: number) => string;
}

function listFinding(type: string, counts: ReadonlyMap<string, number>, words: ListWords): Finding {
  if (counts.size === 0) return { type, status: 'False', reason: words.none, message: words.noneWords };
  const texts = [...counts].map(([name, count]) => words.each(name, count)).sort();
  return { type, status: 'True', reason: words.some, message: `${words.someWords}${texts.join(', ')}` };
}
