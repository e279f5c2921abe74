import type { DimmPart, ProcessorPart } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { chassisPath, root, systemPath } from './paths.ts';
import { collection, head, healthy, link, show, toId } from './render.ts';

/** Processors and Memory of the system. */
export const processorRoutes: readonly Route[] = ownRoutes([
  {
    pattern: `${root}/Systems/:system/Processors`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'Processor' },
        machine.hardware.processors.map((part) => `${path}/${toId(part.slot)}`),
      ),
  },
  {
    pattern: `${root}/Systems/:system/Processors/:processor`,
    get: (request) => {
      const part = request.machine.hardware.processors.find(({ slot }) => toId(slot) === request.params.processor);
      return part === undefined
        ? refuseMissing(request.path)
        : show(request, 'Processor', renderProcessor(request.machine, part));
    },
  },
  {
    pattern: `${root}/Systems/:system/Memory`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'Memory' },
        machine.hardware.dimms.map((part) => `${path}/${toId(part.slot)}`),
      ),
  },
  {
    pattern: `${root}/Systems/:system/Memory/:dimm`,
    get: (request) => {
      const part = request.machine.hardware.dimms.find(({ slot }) => toId(slot) === request.params.dimm);
      return part === undefined
        ? refuseMissing(request.path)
        : show(request, 'Memory', renderDimm(request.machine, part));
    },
  },
]);

function renderProcessor(machine: Machine, part: ProcessorPart): JsonObject {
  const id = toId(part.slot);
  return {
    ...head({ path: `${systemPath(machine)}/Processors/${id}`, schema: 'Processor.v1_7_0', id, name: part.slot }),
    Socket: part.slot,
    ProcessorType: 'CPU',
    ProcessorArchitecture: /ampere|grace|arm/i.test(part.model) ? 'ARM' : 'x86',
    InstructionSet: /ampere|grace|arm/i.test(part.model) ? 'ARM-A64' : 'x86-64',
    Manufacturer: makerOf(part.model),
    Model: part.model,
    MaxSpeedMHz: part.maxSpeedMhz,
    TotalCores: part.cores,
    TotalEnabledCores: part.cores,
    TotalThreads: part.threads,
    Status: healthy(),
    Links: { Chassis: link(chassisPath(machine)) },
  };
}

function makerOf(model: string): string {
  if (/amd|epyc/i.test(model)) return 'AMD';
  if (/ampere/i.test(model)) return 'Ampere';
  return /grace/i.test(model) ? 'NVIDIA' : 'Intel';
}

function renderDimm(machine: Machine, part: DimmPart): JsonObject {
  const id = toId(part.slot);
  return {
    ...head({ path: `${systemPath(machine)}/Memory/${id}`, schema: 'Memory.v1_11_0', id, name: part.slot }),
    DeviceLocator: part.slot,
    MemoryType: 'DRAM',
    MemoryDeviceType: part.speedMhz >= 4000 ? 'DDR5' : 'DDR4',
    BaseModuleType: 'RDIMM',
    CapacityMiB: part.capacityMib,
    DataWidthBits: 64,
    BusWidthBits: 72,
    ErrorCorrection: 'MultiBitECC',
    OperatingSpeedMhz: part.speedMhz,
    AllowedSpeedsMHz: [part.speedMhz],
    RankCount: 2,
    Manufacturer: part.manufacturer,
    PartNumber: part.partNumber,
    SerialNumber: part.serial,
    Status: healthy(),
    Links: { Chassis: link(chassisPath(machine)) },
  };
}
