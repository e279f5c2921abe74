import { readFile, stat } from 'node:fs/promises';
import {
  type Bios,
  type BiosOutcome,
  type BiosPlan,
  type BiosValue,
  isBmcError,
  planBiosChange,
  readBios,
  readBiosOutcome,
  resetBiosToDefaults,
  type StagedBios,
  setPower,
  stageBios,
  waitForPost,
} from '../../bmc/index.ts';
import type { JsonObject, Work, WorkHandler, WorkOutcome } from '../../engine/index.ts';
import { FlasherError } from '../errors.ts';
import { type HeldBmc, holdBmc } from '../held-bmc.ts';
import { startAfterShutdown, takingDown } from '../taking-down.ts';
import { awaitUpdate } from './await-update.ts';
import { type BiosParameters, readBiosParameters } from './other-schemas.ts';
import type { HandlerContext } from './ports.ts';
import { createStepStatus, type StepStatus } from './step-status.ts';

/** What another process needs to go on. */
interface BiosProgress {
  readonly step: 'staged' | 'restarting';
  readonly staged: StagedBios;
  readonly restarts: number;
  /** Since when the end of the self-test is waited for: the wait goes on in another worker. */
  readonly postSince?: number;
}

interface BiosWork {
  readonly work: Work;
  readonly held: HeldBmc;
  readonly context: HandlerContext;
  readonly parameters: BiosParameters;
  readonly status: StepStatus;
}

const mostRestarts = 3;
const waitMs = 30_000;
const mostWaits = 20;

/** Makes the handler that changes BIOS settings, or takes them back to the factory's. */
export function createBiosHandler(context: HandlerContext): WorkHandler {
  return async (work) => {
    const held = await holdBmc(work, context);
    const parameters = readBiosParameters(work.condition.parameters);
    const status = createStepStatus(work.condition.status, context.clock);
    const bios: BiosWork = { work, held, context, parameters, status };
    const progress = readProgress(work.condition.progress) ?? (await stage(bios));
    return 'outcome' in progress ? progress : finish(bios, progress);
  };
}

function readProgress({ step, staged, restarts, postSince }: JsonObject): BiosProgress | undefined {
  if (step !== 'staged' && step !== 'restarting') return undefined;
  const read: BiosProgress = { step, staged: staged as unknown as StagedBios, restarts: Number(restarts) };
  return typeof postSince === 'number' ? { ...read, postSince } : read;
}

/** Stages the change. Done twice it does no more: what is staged already counts as staged. */
async function stage(about: BiosWork): Promise<BiosProgress | WorkOutcome> {
  const { held, parameters, status, context } = about;
  const bios = await readBios(held.bmc);
  await held.report({ status: status.with() });
  if (parameters.action === 'reset_config') {
    await resetBiosToDefaults(held.bmc, bios);
    const staged = { attributes: {}, settingsPath: bios.settingsPath, jobUri: undefined };
    const all = { ...staged, appliedBefore: bios.lastApplied.time, stagedAt: context.clock.now() };
    return save(about, { step: 'staged', staged: all, restarts: 0 }, 'the settings of the factory are staged');
  }
  const wished = parameters.attributes ?? (await fetchAttributes(about));
  const plan = planBiosChange(bios, wished);
  if (plan.problems.length > 0) {
    const message = plan.problems.map((problem) => problem.message).join('; ');
    status.say(message);
    return { outcome: 'failed', reason: { code: 'BadSettings', message }, status: status.with() };
  }
  const attributes = valuesToSee(bios, plan);
  if (Object.keys(attributes).length === 0) {
    status.say('all settings are so already');
    return { outcome: 'succeeded', status: status.with() };
  }
  const staged = await stageBios(held.bmc, bios, plan);
  const names = Object.keys(attributes).join(', ');
  return save(about, { step: 'staged', staged: { ...staged, attributes }, restarts: 0 }, `staged: ${names}`);
}

/** Also what is staged already: it has to be seen to take effect. */
function valuesToSee(bios: Bios, plan: BiosPlan): Record<string, BiosValue> {
  const staged = plan.unchanged.flatMap((name) => {
    const value = bios.pending.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...plan.changes, ...staged]);
}

async function save(about: BiosWork, progress: BiosProgress, message: string): Promise<BiosProgress> {
  about.status.say(message);
  return await store(about, progress);
}

async function store(about: BiosWork, progress: BiosProgress): Promise<BiosProgress> {
  const stored = JSON.parse(JSON.stringify(progress)) as JsonObject;
  await about.held.report({ progress: stored, status: about.status.with() });
  return progress;
}

/** Restarts the host, unless that was done, and sees what became of the change. */
async function finish(about: BiosWork, begun: BiosProgress): Promise<WorkOutcome> {
  const { held, parameters, status, work } = about;
  if (!parameters.doesResetHost) {
    status.say('it takes effect with the next restart of the host');
    return { outcome: 'succeeded', status: status.with() };
  }
  let progress = begun;
  const { gracePeriodMs } = parameters;
  const grace = gracePeriodMs === undefined ? {} : { isGraceful: true, gracePeriodMs };
  if (progress.step === 'restarting') {
    await startAfterShutdown(held.bmc, { gracePeriodMs, pause: (ms) => work.pause(ms), signal: work.signal });
  }
  for (;;) {
    // A restart that was asked for by somebody who is gone may be under way.
    if (progress.step === 'staged') {
      const writing = await awaitUpdate(about);
      if (writing !== undefined) return writing;
      const { staged, restarts } = progress;
      progress = await save(
        about,
        { step: 'restarting', staged, restarts: restarts + 1 },
        takingDown('the host is restarted', parameters),
      );
      await setPower(held.bmc, {
        target: 'reset',
        ...grace,
        signMs: about.context.settings.signMs,
        signal: work.signal,
      });
    }
    const { postSince = work.now() } = progress;
    if (progress.postSince === undefined) progress = await store(about, { ...progress, postSince });
    await waitForHost(about, Math.max(0, work.now() - postSince));
    const outcome = await outcomeOf(about, progress.staged);
    if (outcome.kind === 'applied') {
      status.say(
        parameters.action === 'reset_config' ? 'the settings of the factory are back' : 'the settings are applied',
      );
      return { outcome: 'succeeded', status: status.with() };
    }
    const message = outcome.kind === 'failed' ? outcome.message : 'the settings were not applied';
    if (outcome.kind === 'failed' || progress.restarts >= mostRestarts) {
      status.say(message);
      return { outcome: 'failed', reason: { code: 'NotApplied', message }, status: status.with(mismatchesOf(outcome)) };
    }
    progress = { ...progress, step: 'staged' };
  }
}

async function waitForHost({ held, work, context, status }: BiosWork, waitedMs: number): Promise<void> {
  try {
    await waitForPost(held.bmc, { ...context.settings.post, waitedMs, signal: work.signal });
  } catch (error) {
    if (!isBmcError(error, 'deadline')) throw error;
    status.say(`the host does not finish its self-test: ${error.message}`);
  }
}

async function outcomeOf({ held, work }: BiosWork, staged: StagedBios): Promise<BiosOutcome> {
  for (let waits = 0; ; waits += 1) {
    const outcome = await readBiosOutcome(held.bmc, staged);
    if (outcome.kind !== 'pending' || waits === mostWaits) return outcome;
    await held.report({});
    await work.pause(waitMs);
  }
}

function mismatchesOf(outcome: BiosOutcome) {
  if (outcome.kind === 'applied') return {};
  const mismatches = outcome.mismatches.map(({ attribute, wanted, current }) => ({
    attribute,
    wanted,
    current: current ?? null,
  }));
  return { mismatches };
}

const mostBytes = 1_000_000;

/** A JSON file: the attributes themselves, or an object with a member `attributes`. */
async function fetchAttributes({ parameters, context, work }: BiosWork): Promise<Record<string, BiosValue>> {
  const { url = '', checksum } = parameters;
  const artifact = await context.artifacts.open({ url, checksum, signal: work.signal });
  try {
    if ((await stat(artifact.path)).size > mostBytes) {
      throw new FlasherError('tooLarge', { source: 'the BIOS settings', limit: mostBytes });
    }
    return readAttributes(await readFile(artifact.path, 'utf8'));
  } finally {
    await artifact.release();
  }
}

function readAttributes(text: string): Record<string, BiosValue> {
  const bad = (detail: string) => new FlasherError('badSource', { source: 'of the BIOS settings', detail });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new FlasherError('badSource', { source: 'of the BIOS settings', detail: 'it is not JSON' }, { cause: error });
  }
  const body = isRecord(parsed) && isRecord(parsed.attributes) ? parsed.attributes : parsed;
  if (!isRecord(body)) throw bad('it is not an object of attributes');
  const entries = Object.entries(body);
  const wrong = entries.find(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  if (wrong !== undefined) throw bad(`${wrong[0]} is neither text nor number nor true or false`);
  return Object.fromEntries(entries) as Record<string, BiosValue>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
