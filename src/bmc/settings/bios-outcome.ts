import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { messageKey, type RedfishMessage, textIn } from '../redfish/index.ts';
import { type Bios, readBios } from './bios.ts';
import type { BiosValue } from './bios-registry.ts';
import type { StagedBios } from './stage-bios.ts';

/** An attribute that is not what it was set to. */
export interface BiosMismatch {
  readonly attribute: string;
  readonly wanted: BiosValue;
  readonly current: BiosValue | undefined;
}

/** What became of a staged change. */
export type BiosOutcome =
  | { readonly kind: 'applied' }
  /** Waits for the host to be reset, or for its self-test to be over. */
  | { readonly kind: 'pending'; readonly mismatches: readonly BiosMismatch[] }
  | { readonly kind: 'failed'; readonly mismatches: readonly BiosMismatch[]; readonly message: string };

/** Looks what became of a staged change; to be asked after the host's reset, again while it is pending. */
export async function readBiosOutcome(bmc: Bmc, staged: StagedBios): Promise<BiosOutcome> {
  const bios = await readBios(bmc, { hasRegistry: false });
  const mismatches = Object.entries(staged.attributes)
    .map(([attribute, wanted]) => ({ attribute, wanted, current: bios.current.get(attribute) }))
    .filter(({ wanted, current }) => wanted !== current);
  // The values are the truth, whatever the messages say.
  if (mismatches.length === 0) return { kind: 'applied' };
  const failure = (await jobFailure(bmc, staged)) ?? settingsFailure(bios, staged);
  if (failure !== undefined) return { kind: 'failed', mismatches, message: failure };
  const isWaiting = mismatches.some(({ attribute, wanted }) => bios.pending.get(attribute) === wanted);
  const wasApplied = bios.lastApplied.time !== undefined && bios.lastApplied.time !== staged.appliedBefore;
  if (isWaiting || !wasApplied) return { kind: 'pending', mismatches };
  const names = mismatches.map(({ attribute }) => attribute).join(', ');
  const message = `the BIOS settings were applied at ${bios.lastApplied.time}, but ${names} did not change`;
  return { kind: 'failed', mismatches, message };
}

function settingsFailure(bios: Bios, staged: StagedBios): string | undefined {
  const { time, messages } = bios.lastApplied;
  if (time === undefined || time === staged.appliedBefore) return undefined;
  const bad = messages.filter(isBad);
  return bad.length === 0 ? undefined : bad.map(({ text, id }) => text || id).join('; ');
}

function isBad({ id, severity }: RedfishMessage): boolean {
  const isFine = severity === undefined ? /^(?:Success|.*OK)$/i.test(messageKey(id)) : /^ok$/i.test(severity);
  return !isFine && (severity !== undefined || id !== '');
}

/** Dell's job tells of refusals that the settings object keeps to itself. */
async function jobFailure(bmc: Bmc, staged: StagedBios): Promise<string | undefined> {
  if (staged.jobUri === undefined) return undefined;
  try {
    const { body } = await bmc.gate.request({ method: 'GET', path: staged.jobUri });
    const state = textIn(body, 'JobState') ?? textIn(body, 'TaskState') ?? '';
    const isFailed = /^(?:Failed|CompletedWithErrors|Exception|Killed|Cancelled|RebootFailed)$/.test(state);
    return isFailed ? `${state}: ${textIn(body, 'Message') ?? 'no reason given'}` : undefined;
  } catch (error) {
    // Finished jobs are thrown away.
    if (isBmcError(error, 'notFound', 'refused', 'malformed')) return undefined;
    throw error;
  }
}
