import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { GateReply } from '../gate/gate.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import { managerOf } from '../inventory/index.ts';
import type { JsonObject } from '../json.ts';
import { actionIn, allowableIn, childPath, systemOf, toBmcPath } from '../redfish/index.ts';
import { attributesIn, type Bios } from './bios.ts';
import type { BiosValue } from './bios-registry.ts';
import type { BiosPlan } from './plan-bios-change.ts';

/** A BIOS change that the BMC took. Plain data: what became of it can be asked after a crash too. */
export interface StagedBios {
  readonly attributes: Readonly<Record<string, BiosValue>>;
  readonly settingsPath: string;
  /** The vendor's job that will do it (Dell), or the task. */
  readonly jobUri: string | undefined;
  /** When the BMC had applied settings last before this. */
  readonly appliedBefore: string | undefined;
  readonly stagedAt: number;
}

/**
 * Stages a plan: it takes effect with the next reset of the host. Throws `unsupported` for a plan with problems, naming
 * them all. A plan without changes sends nothing.
 */
export async function stageBios(bmc: Bmc, bios: Bios, plan: BiosPlan): Promise<StagedBios> {
  if (plan.problems.length > 0) {
    const detail = plan.problems.map(({ message }) => message).join('; ');
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'take these BIOS settings', detail });
  }
  const attributes = Object.fromEntries(plan.changes);
  const staged = {
    attributes,
    settingsPath: bios.settingsPath,
    appliedBefore: bios.lastApplied.time,
    stagedAt: bmc.clock.now(),
  };
  if (plan.changes.size === 0) return { ...staged, jobUri: undefined };
  const canSayWhen = bios.applyTimes.includes('OnReset');
  const body = {
    Attributes: attributes,
    ...(canSayWhen ? { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } } : {}),
  };
  const reply = await patchOnce(bmc, bios, { attributes, body });
  const job = reply === undefined ? undefined : jobIn(bmc, reply);
  return { ...staged, jobUri: job ?? (await createDellJob(bmc, { bios, canSayWhen })) };
}

/** Where the answer is lost, the pending settings tell whether it was taken; it is not sent again. */
async function patchOnce(
  bmc: Bmc,
  bios: Bios,
  change: { readonly attributes: Readonly<Record<string, BiosValue>>; readonly body: JsonObject },
): Promise<GateReply | undefined> {
  try {
    return await patchWithEtag(bmc.gate, bios.settingsPath, change.body, { isDisruptive: true });
  } catch (error) {
    if (!isBmcError(error, 'ambiguous')) throw error;
    const { body } = await bmc.gate.request({ method: 'GET', path: bios.settingsPath });
    const now = attributesIn(body);
    if (Object.entries(change.attributes).some(([name, value]) => now.get(name) !== value)) throw error;
    return undefined;
  }
}

function jobIn(bmc: Bmc, reply: GateReply): string | undefined {
  return toBmcPath(reply.headers.location, bmc.gate.origin);
}

/** An iDRAC that cannot be told when to apply keeps staged values for ever, unless a job is made for them. */
async function createDellJob(
  bmc: Bmc,
  about: { readonly bios: Bios; readonly canSayWhen: boolean },
): Promise<string | undefined> {
  if (about.canSayWhen || (await bmc.root()).vendor !== 'dell') return undefined;
  const manager = await managerOf(bmc, await systemOf(bmc));
  if (manager === undefined) return undefined;
  const body = { TargetSettingsURI: about.bios.settingsPath };
  for (const place of [childPath(manager.path, 'Oem', 'Dell', 'Jobs'), childPath(manager.path, 'Jobs')]) {
    try {
      return jobIn(bmc, await bmc.gate.request({ method: 'POST', path: place, body, isDisruptive: true }));
    } catch (error) {
      if (!isBmcError(error, 'notFound')) throw error;
    }
  }
  return undefined;
}

/** Stages the factory defaults; like any change they take effect with the next reset. */
export async function resetBiosToDefaults(bmc: Bmc, bios: Bios): Promise<void> {
  const action = actionIn(bios.body, 'Bios.ResetBios') ?? (await actionOfSettings(bmc, bios));
  if (action === undefined) {
    const detail = 'no action Bios.ResetBios is offered';
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'reset its BIOS settings', detail });
  }
  const kind = allowableIn(action.body, 'ResetType')?.find((each) => each.toLowerCase() === 'default');
  const body = kind === undefined ? {} : { ResetType: kind };
  await bmc.gate.request({ method: 'POST', path: action.target, body, isDisruptive: true });
}

/** HPE offers the action on the settings object. */
async function actionOfSettings(bmc: Bmc, bios: Bios) {
  if (bios.settingsPath === bios.path) return undefined;
  const { body } = await bmc.gate.request({ method: 'GET', path: bios.settingsPath });
  return actionIn(body, 'Bios.ResetBios');
}
