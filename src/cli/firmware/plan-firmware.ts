import {
  compareVersions,
  defaultFirmwareSettings,
  factsOf,
  loadFleet,
  type PlanFacts,
  planFirmware,
  type ServerReading,
} from '../../firmware/index.ts';
import { systemClock } from '../../kube/index.ts';
import { firmwareSettingsOf } from '../firmware-plane/start-controllers.ts';
import { readMachinesInUse } from '../fleet/machines-in-use.ts';
import { readManifests } from '../objects/manifests.ts';
import type { Session, SessionFlags } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { renderShown } from '../output/show.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { assumeManifests } from './assume-manifests.ts';
import { readChoice } from './choose-servers.ts';
import { formatPlan } from './format-plan.ts';

/** The flags of `rackwright plan firmware`. */
export interface PlanFlags extends SessionFlags {
  readonly selector?: string;
  readonly filename?: string[];
  readonly recursive?: boolean;
  readonly forceConflicts?: boolean;
  readonly fieldManager: string;
  readonly output?: string;
}

/** How the controllers see servers. */
export function readingOf(flags: SessionFlags, terminal: Terminal): ServerReading {
  const settings = firmwareSettingsOf(readSettings(['maxAttempts', 'attemptsFirst'], { ...flags }, terminal));
  return { compare: compareVersions, settings: { ...defaultFirmwareSettings, ...settings } };
}

/** All that plans and explanations look at. */
export async function readPlanFacts(session: Session, signal: AbortSignal): Promise<PlanFacts> {
  const facts = factsOf(await loadFleet(session.client, signal));
  return { ...facts, inUse: await readMachinesInUse(session, { servers: facts.servers, signal }) };
}

/** Plans and prints. */
export async function planFirmwareOf(
  words: readonly string[],
  flags: PlanFlags,
  { session, terminal }: { readonly session: Session; readonly terminal: Terminal },
): Promise<void> {
  const output = readOutputForm(flags.output);
  const reading = readingOf(flags, terminal);
  const choice = readChoice(words, flags.selector);
  const isRecursive = flags.recursive === true;
  const manifests = flags.filename === undefined ? [] : await readManifests(flags.filename, { isRecursive }, terminal);
  const stored = await readPlanFacts(session, terminal.interrupted);
  const { facts, assumed } =
    manifests.length === 0
      ? { facts: stored, assumed: [] }
      : await assumeManifests(manifests, stored, { flags, session, warn: (line) => terminal.err(line) });
  const plan = planFirmware({ facts, assumed, isChosen: choice?.(facts), reading }, systemClock.now());
  const names = plan.servers.map(({ server }) => server);
  terminal.out(renderShown({ value: plan, names, text: () => formatPlan(plan) }, output));
  if (plan.servers.length === 0) terminal.err('No servers found\n');
}
