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
}

/** What the firmware can boot from, in order: network ports, then the first drive. */
function listBootOptions(machine: Machine): BootOption[] {
  const names = listPorts(machine.hardware).map(({ port, nic }) => ({
    displayName: `PXE Device: ${nic.model} port ${port.id}`,
    alias: 'Pxe',
  }));
  const drive = machine.hardware.drives[0];
  if (drive !== undefined) names.push({ displayName: `Drive: ${drive.model}`, alias: 'Hdd' });
  return names.map((name, index) => ({ reference: `Boot${String(index + 1).padStart(4, '0')}`, ...name }));
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
  };
}
