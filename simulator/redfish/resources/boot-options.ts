import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, JsonValue, Route } from '../route.ts';
import { type MessageOrder, refuseMissing } from './errors.ts';
import { listPorts } from './network-parts.ts';
import { ownRoutes } from './own-routes.ts';
import { root, systemPath } from './paths.ts';
import { collection, head, show } from './render.ts';
import { notInList, wrongType } from './written-members.ts';

interface BootOption {
  readonly reference: string;
  readonly displayName: string;
  readonly alias: string;
  readonly uefiDevicePath: string;
}

/** What the firmware can boot from, in order: network ports, then the first drive. */
function listBootOptions(machine: Machine): BootOption[] {
  const options = listPorts(machine.hardware).map(({ port, nic, number }, index) => ({
    displayName: `PXE Device: ${nic.model} port ${number}`,
    alias: 'Pxe',
    // Clients find the option of a network port by the MAC in its path.
    uefiDevicePath: `PciRoot(0x${index})/Pci(0x1C,0x${number - 1})/MAC(${port.mac.replaceAll(':', '')},0x1)/IPv4(0.0.0.0)`,
  }));
  const drive = machine.hardware.drives[0];
  if (drive !== undefined) {
    const uefiDevicePath = `PciRoot(0x0)/Pci(0x2,0x0)/HD(1,GPT,${machine.hardware.uuid.toUpperCase()})`;
    options.push({ displayName: `Drive: ${drive.model}`, alias: 'Hdd', uefiDevicePath });
  }
  return options.map((option, index) => ({ reference: `Boot${String(index + 1).padStart(4, '0')}`, ...option }));
}

/** ComputerSystem.Boot.BootOrder. */
export function bootOrder(machine: Machine): string[] {
  const kept = machine.notes.get('BootOrder');
  return Array.isArray(kept) ? kept.map(String) : listBootOptions(machine).map((option) => option.reference);
}

/** Puts the boot options into another order; every one of them has to be named once. */
export function changeBootOrder(machine: Machine, value: JsonValue | undefined): MessageOrder | undefined {
  if (!Array.isArray(value)) return wrongType('Boot/BootOrder', value);
  const references = listBootOptions(machine).map((option) => option.reference);
  const isPermutation = value.length === references.length && new Set(value).isSupersetOf(new Set(references));
  if (!isPermutation) return notInList('Boot/BootOrder', value);
  machine.notes.set('BootOrder', value);
  return undefined;
}

/** The boot options of the system. */
export const bootOptionRoutes: readonly Route[] = ownRoutes([
  {
    pattern: `${root}/Systems/:system/BootOptions`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'BootOption' },
        bootOrder(machine).map((reference) => `${path}/${reference}`),
      ),
  },
  {
    pattern: `${root}/Systems/:system/BootOptions/:option`,
    get: (request) => {
      const option = listBootOptions(request.machine).find(({ reference }) => reference === request.params.option);
      return option === undefined
        ? refuseMissing(request.path)
        : show(request, 'BootOption', renderBootOption(request.machine, option));
    },
  },
]);

function renderBootOption(machine: Machine, option: BootOption): JsonObject {
  return {
    ...head({
      path: `${systemPath(machine)}/BootOptions/${option.reference}`,
      schema: 'BootOption.v1_0_4',
      id: option.reference,
      name: option.displayName,
    }),
    BootOptionReference: option.reference,
    BootOptionEnabled: true,
    DisplayName: option.displayName,
    Alias: option.alias,
    UefiDevicePath: option.uefiDevicePath,
  };
}
