import type { NamingDetail, ResourceNameTemplate } from '../../api/index.ts';
import type { MachineDetails } from '../../provisioners/index.ts';

/** What a machine can be named after. */
export interface Nameable {
  readonly id: string;
  readonly bootMac: string;
  readonly details: MachineDetails;
}

/** The name of a host, or why there is none. */
export type Naming =
  | { readonly name: string }
  | { readonly reason: 'NameUnavailable' | 'NameTooLong' | 'NameInvalid'; readonly message: string };

/** The longest name of an object. */
const longestName = 253;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const part = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const wholeName = new RegExp(`^${part}(\\.${part})*$`);

/**
 * Builds the name of a host: prefix, detail, suffix. The detail is made fit for a name; nothing is cut off, since names
 * that were cut off would be others' names. Pure.
 */
export function nameHost(template: ResourceNameTemplate, machine: Nameable): Naming {
  const { prefix = '', suffix = '', hardwareDetails } = template;
  const told = detailOf(hardwareDetails, machine)?.trim() ?? '';
  if (told === '') {
    return { reason: 'NameUnavailable', message: `It has told no ${hardwareDetails} to be named after.` };
  }
  if (prefix.length + told.length + suffix.length > longestName) {
    const message = `With its ${hardwareDetails} of ${told.length} characters the name is longer than ${longestName}.`;
    return { reason: 'NameTooLong', message };
  }
  const detail = cleaned(told, { isWithDots: hardwareDetails === 'hostname' });
  if (detail === '') {
    const message = `Nothing of its ${hardwareDetails} can be part of a name.`;
    return { reason: 'NameUnavailable', message };
  }
  const plain = `${prefix}${detail}${suffix}`;
  // Hosts must not be named like ids.
  const name = uuid.test(plain) ? `host-${plain}` : plain;
  if (wholeName.test(name) && name.length <= longestName) return { name };
  return { reason: 'NameInvalid', message: `The name ${name} is none: change prefix or suffix.` };
}

function detailOf(detail: NamingDetail, { id, bootMac, details }: Nameable): string | undefined {
  switch (detail) {
    case 'hostname':
      return details.hostname ?? details.hardware.hostname;
    case 'ip':
      return details.ip ?? details.hardware.nics?.find(({ ip }) => (ip ?? '') !== '')?.ip;
    case 'serial-number':
      return details.serialNumber ?? details.hardware.systemVendor?.serialNumber;
    case 'boot-mac':
      return bootMac;
    case 'provisioning-id':
      return id;
  }
}

/** Only of bounded text: what is too long was refused before. */
function cleaned(text: string, { isWithDots }: { readonly isWithDots: boolean }): string {
  const plain = text.toLowerCase().replaceAll(isWithDots ? /[^a-z0-9.]/g : /[^a-z0-9]/g, '-');
  return plain
    .split('.')
    .map((each) => each.replaceAll(/^-+|-+$/g, ''))
    .filter((each) => each !== '')
    .join('.');
}
