import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import type { JsonObject } from '../json.ts';
import { poll } from '../power/index.ts';
import {
  allowableIn,
  booleanIn,
  linkIn,
  memberIn,
  objectIn,
  readCollection,
  type System,
  systemOf,
  textIn,
  textsIn,
} from '../redfish/index.ts';

/** How long an override lasts. */
export type BootOverrideEnabled = 'Once' | 'Continuous' | 'Disabled';

/** Where a machine boots from. */
export interface Boot {
  readonly enabled: string | undefined;
  readonly target: string | undefined;
  /** `UEFI` or `Legacy`; undefined where the BMC has no such member. */
  readonly mode: string | undefined;
  readonly httpBootUri: string | undefined;
  /** What the target can be; undefined where the BMC does not say. */
  readonly targets: readonly string[] | undefined;
  readonly hasMode: boolean;
  /** References of boot options in the order in which they are tried. */
  readonly order: readonly string[];
}

/** A wish for the next boots. */
export interface BootOverride {
  readonly enabled: BootOverrideEnabled;
  /** `Pxe`, `Cd`, `Hdd`, `UefiHttp` ... in any spelling of case; not needed with Disabled. */
  readonly target?: string;
  /** Sent only where the BMC has the member. */
  readonly mode?: 'UEFI' | 'Legacy';
  readonly httpBootUri?: string;
  /** How long the BMC may take until it shows the change; 20 s unless given. */
  readonly verifyMs?: number;
}

/** What came of a wish. */
export interface BootChange {
  /** False when it was so already and nothing was sent. */
  readonly wasSent: boolean;
  /** False when the BMC took it and shows something else, as some do until the next boot. */
  readonly isVerified: boolean;
  readonly boot: Boot;
}

/** The boot settings in the body of a system. */
export function bootIn(system: JsonObject): Boot {
  const boot = objectIn(system, 'Boot');
  const mode = textIn(boot, 'BootSourceOverrideMode');
  return {
    enabled: textIn(boot, 'BootSourceOverrideEnabled'),
    target: textIn(boot, 'BootSourceOverrideTarget'),
    mode,
    httpBootUri: textIn(boot, 'HttpBootUri'),
    targets: allowableIn(boot, 'BootSourceOverrideTarget'),
    hasMode: mode !== undefined || allowableIn(boot, 'BootSourceOverrideMode') !== undefined,
    order: textsIn(boot, 'BootOrder'),
  };
}

/** Reads where the machine boots from. */
export async function readBoot(bmc: Bmc): Promise<Boot> {
  return bootIn((await systemOf(bmc)).body);
}

/** Sets where the machine boots from next, or always, or takes that back. Sends nothing when it is so already. */
export async function setBootOverride(bmc: Bmc, wish: BootOverride): Promise<BootChange> {
  const system = await systemOf(bmc);
  const before = bootIn(system.body);
  const target = wish.enabled === 'Disabled' ? undefined : targetFor(bmc, { wish, boot: before });
  const isThere = (boot: Boot) => matches(boot, { wish, target });
  if (isThere(before)) return { wasSent: false, isVerified: true, boot: before };
  const lost = await patchBoot(bmc, system, bodyFor(wish, { target, boot: before }));
  let boot = before;
  try {
    await poll(bmc, {
      what: 'the boot override',
      deadlineMs: wish.verifyMs ?? 20_000,
      look: async () => {
        boot = bootIn((await bmc.gate.request({ method: 'GET', path: system.path })).body);
        return isThere(boot) ? boot : undefined;
      },
    });
    return { wasSent: true, isVerified: true, boot };
  } catch (error) {
    if (!isBmcError(error, 'deadline')) throw error;
    if (lost !== undefined) throw lost;
    return { wasSent: true, isVerified: false, boot };
  }
}

function targetFor(bmc: Bmc, about: { readonly wish: BootOverride; readonly boot: Boot }): string {
  const { target } = about.wish;
  const { targets } = about.boot;
  const fold = (text: string) => text.toLowerCase();
  const found = targets?.find((each) => target !== undefined && fold(each) === fold(target));
  const answer = targets === undefined ? target : found;
  if (answer !== undefined) return answer;
  const detail = `boot targets are ${targets?.join(', ') ?? 'not said, and none was asked for'}`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: `boot from ${target ?? 'nothing'}`, detail });
}

function matches(boot: Boot, about: { readonly wish: BootOverride; readonly target: string | undefined }): boolean {
  const { wish, target } = about;
  if (wish.enabled === 'Disabled') return boot.enabled === 'Disabled' || boot.target === 'None';
  const isMode = wish.mode === undefined || !boot.hasMode || boot.mode === wish.mode;
  const isUri = wish.httpBootUri === undefined || boot.httpBootUri === wish.httpBootUri;
  return boot.enabled === wish.enabled && boot.target === target && isMode && isUri;
}

function bodyFor(
  wish: BootOverride,
  about: { readonly target: string | undefined; readonly boot: Boot },
): { readonly Boot: JsonObject } {
  const canSayNone = about.boot.targets?.includes('None') === true;
  const target = about.target ?? (wish.enabled === 'Disabled' && canSayNone ? 'None' : undefined);
  return {
    Boot: {
      BootSourceOverrideEnabled: wish.enabled,
      ...(target === undefined ? {} : { BootSourceOverrideTarget: target }),
      ...(wish.mode !== undefined && about.boot.hasMode ? { BootSourceOverrideMode: wish.mode } : {}),
      ...(wish.httpBootUri === undefined ? {} : { HttpBootUri: wish.httpBootUri }),
    },
  };
}

/** Sends boot settings; the error where the answer was lost, so that the caller looks whether they were taken. */
async function patchBoot(bmc: Bmc, system: System, body: { readonly Boot: JsonObject }): Promise<BmcError | undefined> {
  const settings = linkIn(objectIn(system.body, '@Redfish.Settings'), 'SettingsObject');
  try {
    try {
      await patchWithEtag(bmc.gate, system.path, body, { isDisruptive: true });
    } catch (error) {
      // Some BMCs take boot settings only at the settings object of the system.
      if (settings === undefined || !isBmcError(error, 'refused', 'notFound', 'unsupported')) throw error;
      await patchWithEtag(bmc.gate, settings, body, { isDisruptive: true });
    }
    return undefined;
  } catch (error) {
    if (isBmcError(error, 'ambiguous')) return error;
    throw error;
  }
}

/** Something the machine can boot. */
export interface BootOption {
  /** As BootOrder names it. */
  readonly reference: string;
  readonly name: string | undefined;
  readonly alias: string | undefined;
  readonly uefiPath: string | undefined;
  readonly isEnabled: boolean | undefined;
}

/** What the machine can boot; empty where the BMC lists nothing. */
export async function readBootOptions(bmc: Bmc): Promise<readonly BootOption[]> {
  const path = linkIn(objectIn((await systemOf(bmc)).body, 'Boot'), 'BootOptions');
  if (path === undefined) return [];
  const { members } = await readCollection(bmc, path);
  return members.flatMap(({ body }) => {
    const reference = textIn(body, 'BootOptionReference') ?? textIn(body, 'Id');
    if (reference === undefined) return [];
    const name = textIn(body, 'DisplayName') ?? textIn(body, 'Name');
    const uefiPath = textIn(body, 'UefiDevicePath');
    return [
      { reference, name, alias: textIn(body, 'Alias'), uefiPath, isEnabled: booleanIn(body, 'BootOptionEnabled') },
    ];
  });
}

/** Sets the order in which boot options are tried; takes effect with the next reset. Sends nothing when it is so already. */
export async function setBootOrder(bmc: Bmc, references: readonly string[]): Promise<{ readonly wasSent: boolean }> {
  const system = await systemOf(bmc);
  const boot = objectIn(system.body, 'Boot');
  if (memberIn(boot, 'BootOrder') === undefined) {
    const detail = `${system.path} has no BootOrder`;
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'change its boot order', detail });
  }
  const unknown = references.filter((each) => !textsIn(boot, 'BootOrder').includes(each));
  if (unknown.length > 0) {
    const detail = `there is no ${unknown.join(', ')}; there are ${textsIn(boot, 'BootOrder').join(', ')}`;
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'boot in this order', detail });
  }
  if (textsIn(boot, 'BootOrder').join('\n') === references.join('\n')) return { wasSent: false };
  const lost = await patchBoot(bmc, system, { Boot: { BootOrder: [...references] } });
  if (lost === undefined) return { wasSent: true };
  const { body } = await bmc.gate.request({ method: 'GET', path: system.path });
  if (textsIn(objectIn(body, 'Boot'), 'BootOrder').join('\n') !== references.join('\n')) throw lost;
  return { wasSent: true };
}
