import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import { booleanIn, linkIn, systemOf, textIn } from '../redfish/index.ts';

/** Secure boot of a machine. */
export interface SecureBoot {
  readonly path: string;
  /** As it is set, for the next boot. */
  readonly isEnabled: boolean | undefined;
  /** As the running system was booted. */
  readonly wasEnabledAtBoot: boolean | undefined;
  readonly mode: string | undefined;
}

/** Reads whether only signed systems boot. */
export async function readSecureBoot(bmc: Bmc): Promise<SecureBoot> {
  const system = await systemOf(bmc);
  const path = linkIn(system.body, 'SecureBoot');
  if (path === undefined) {
    const detail = `${system.path} has no SecureBoot`;
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'show secure boot', detail });
  }
  const { body } = await bmc.gate.request({ method: 'GET', path });
  const current = textIn(body, 'SecureBootCurrentBoot');
  return {
    path,
    isEnabled: booleanIn(body, 'SecureBootEnable'),
    wasEnabledAtBoot: current === undefined ? undefined : current === 'Enabled',
    mode: textIn(body, 'SecureBootMode'),
  };
}

/** Turns secure boot on or off from the next boot on. Sends nothing when it is so already. */
export async function setSecureBoot(
  bmc: Bmc,
  wish: { readonly isEnabled: boolean },
): Promise<{ readonly wasSent: boolean }> {
  const { path, isEnabled } = await readSecureBoot(bmc);
  if (isEnabled === wish.isEnabled) return { wasSent: false };
  await patchWithEtag(bmc.gate, path, { SecureBootEnable: wish.isEnabled }, { isDisruptive: true });
  return { wasSent: true };
}
