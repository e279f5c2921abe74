import type { Instant, Reason, Wake } from '../../kube/index.ts';
import type { Access } from '../credentials/judge-credentials.ts';
import type { hostTable } from '../table/host-table.ts';
import type { Draft, HostSeen, Step } from './seen.ts';

type Domain = (typeof hostTable)['facts'];

/** What the work of a state found: facts for the table, or something to do before they are known. */
export type Found =
  | {
      readonly kind: 'facts';
      readonly draft: Draft;
      readonly work: Domain['work'][number];
      readonly wish: Domain['wish'][number];
      /** What holds when no row is taken. */
      readonly wake: Wake;
      readonly why: readonly Reason[];
    }
  | { readonly kind: 'step'; readonly step: Step };

/** What the work of a state is told. */
export interface Work {
  readonly seen: HostSeen;
  readonly draft: Draft;
  readonly isLeaving: boolean;
  readonly access: Access['kind'];
  readonly now: Instant;
}

/** Something to do before the facts are known. */
export function stepFirst(step: Step): Found {
  return { kind: 'step', step };
}

/** Facts that a row of the table is for. */
export function facts(
  draft: Draft,
  of: { readonly work?: Domain['work'][number]; readonly wish?: Domain['wish'][number] },
): Found {
  const { work = 'going', wish = 'stay' } = of;
  const why = [{ code: 'NoRow', message: `nothing follows from: work ${work}, wish ${wish}` }];
  return { kind: 'facts', draft, work, wish, wake: { on: 'change' }, why };
}
