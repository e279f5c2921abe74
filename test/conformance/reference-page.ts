import { realKubeVersion } from '../real/kube/binaries.ts';
import type { Topic } from './case.ts';
import { casesOf, coverage } from './coverage.ts';
import type { KnownDifference } from './known-differences.ts';

/** Where the page lies, seen from the root of the repository. */
export const referencePagePath = 'docs/reference/conformance.md';

/** Writes the reference page: what is compared, and every permitted difference with its reason. */
export function referencePage(topics: readonly Topic[], known: readonly KnownDifference[]): string {
  const count = topics.reduce((sum, { cases }) => sum + cases.length, 0);
  return [
    '# Conformance of the embedded API server',
    '',
    'This page is generated from `test/conformance`; run `node test/conformance/write-reference-page.ts` to renew it.',
    '',
    `${count} cases run on the embedded server and on kube-apiserver ${realKubeVersion} with etcd and`,
    'kube-controller-manager. Each is a sequence of requests, watches or kubectl commands. Status codes, headers and',
    'whole bodies are compared after ids, times and versions have been given names. `npm run test:real` runs them all;',
    '`node test/conformance/run.ts --only PATTERN` runs some and prints what differs.',
    '',
    'Controllers of other projects (Cluster API, kro, trust-manager, approver-policy, and kustomize-controller of Flux)',
    'do the same work on both servers too. Every request that one of them makes must be answered with the same status',
    'codes and reasons by both. Only a write that meets another one (409) and an object that is not there yet or any more',
    '(404) may differ, and only where the same request also succeeds. So may a 429 of the real server while it makes the',
    'storage of a new kind, and discovery and events that only one of them was asked for, where every answer is a success.',
    '',
    '## Differences',
    '',
    ...differences(known),
    '',
    '## What is compared',
    '',
    '| behaviour | cases | which |',
    '|---|---|---|',
    ...coverage.map((each) => `| ${each.what} | ${casesOf(each, topics).length} | ${each.cases.join(', ')} |`),
    '',
    '## Cases',
    '',
    '| topic | cases |',
    '|---|---|',
    ...topics.map(({ name, cases }) => `| ${name} | ${cases.map(({ id }) => id.slice(name.length + 1)).join(', ')} |`),
    '',
  ].join('\n');
}

function differences(known: readonly KnownDifference[]): string[] {
  if (known.length === 0) return ['None: every case is equal.'];
  const byReason = new Map<string, KnownDifference[]>();
  for (const each of known) byReason.set(each.reason, [...(byReason.get(each.reason) ?? []), each]);
  return [
    '| what differs | why |',
    '|---|---|',
    ...[...byReason].map(([reason, list]) => {
      const places = list.map(({ caseId, at }) => `\`${caseId}\` at \`${at.replaceAll('|', '\\|')}\``);
      return `| ${places.join('<br>')} | ${reason} |`;
    }),
  ];
}
