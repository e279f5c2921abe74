import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject } from '../../engine/index.ts';
import { isUnmet } from '../plan/assess-plan.ts';
import type { ActionProgress, InstallProgress } from './progress.ts';

const results = ['installed', 'partial', 'already-installed', 'nothing-fits', 'cancelled', 'failed'] as const;

/** Where the status of an install says when its server was read after it, in epoch milliseconds. */
export const readAtMember = 'inventory_read_at';

/** How an install ended, in one word for programs. */
export type InstallResultWord = (typeof results)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });

const SkippedSchema = Type.Object(
  {
    firmware_id: Type.String({ description: 'Id of the image.' }),
    vendor: Type.String({ description: 'Who makes it.' }),
    component: Type.String({ description: 'What it is for: `bios`, `bmc`, `nic`, ...' }),
    version: Type.String({ description: 'Its version.' }),
    why: Type.String({
      description:
        'One word for programs: `current`, `older`, `duplicate`, `other-vendor`, `other-model`, `absent`, `not-updateable`, `no-version`, `inband`.',
    }),
    message: Type.String({ description: 'For people.' }),
  },
  { description: 'An image that was requested and is not installed.' },
);

const CountsSchema = Type.Object(
  {
    requested: count('Images that were requested.'),
    installed: count('Images that were installed; in a dry run, those that would be.'),
    already_installed: count('Images whose version was there.'),
    skipped: count('Images that were left out for another reason, each in `skipped`.'),
    failed: count('Images that failed, or were not started after a failure.'),
  },
  { description: 'How many of the requested images ended how.' },
);

/** The members of an install's status that say what it came to. */
export const InstallOutcomeSchema = Type.Object({
  result: Type.Optional(
    Type.Union(
      results.map((one) => Type.Literal(one)),
      {
        description:
          'How an install ended. `installed`: all that was requested is installed now. `partial`: it succeeded, and what does not fit is in `skipped`. `already-installed`: there was nothing to do, and the host was not touched. `nothing-fits`: it failed before the host was touched. Missing until it has ended.',
      },
    ),
  ),
  counts: Type.Optional(CountsSchema),
  skipped: Type.Optional(Type.Array(SkippedSchema)),
});

/** What an install came to, as its status tells. */
export type InstallOutcome = Static<typeof InstallOutcomeSchema>;

const checker = Compile(InstallOutcomeSchema);

/** Reads what an install came to from the status of its condition; nothing where other work wrote it. */
export function readInstallOutcome(status: JsonObject): InstallOutcome {
  const { result, counts, skipped } = status;
  const told = Object.fromEntries(
    Object.entries({ result, counts, skipped }).filter(([, value]) => value !== undefined),
  );
  return checker.Check(told) ? told : {};
}

/** The word for an install that has ended. */
export function resultOf({ state, ending, actions, skipped }: InstallProgress): InstallResultWord {
  if (ending?.code === 'NothingFits') return 'nothing-fits';
  if (ending?.code === 'Cancelled') return 'cancelled';
  if (state === 'failed') return 'failed';
  if (skipped.some(isUnmet)) return 'partial';
  return actions.some(isWritten) ? 'installed' : 'already-installed';
}

/** Counts the requested images; those that have not ended yet are in `requested` only. */
export function countsOf({
  actions,
  skipped,
}: Pick<InstallProgress, 'actions' | 'skipped'>): Static<typeof CountsSchema> {
  const current = skipped.filter(({ why }) => why === 'current').length;
  const succeeded = actions.filter(({ state }) => state === 'succeeded');
  const installed = succeeded.filter(isWritten).length;
  return {
    requested: actions.length + skipped.length,
    installed,
    already_installed: current + succeeded.length - installed,
    skipped: skipped.length - current,
    failed: actions.filter(({ state }) => state === 'failed' || state === 'not-started').length,
  };
}

/** One that was found to be there at its turn was never begun with. */
function isWritten({ state, attempts, isTaskOver }: ActionProgress): boolean {
  return state === 'succeeded' && (attempts > 0 || isTaskOver === true);
}

/** An image that is not installed, as the status shows it. */
export function showSkipped({
  firmware: { id, vendor, component, version },
  why,
  message,
}: InstallProgress['skipped'][number]): Static<typeof SkippedSchema> {
  return { firmware_id: id, vendor, component, version, why, message };
}
