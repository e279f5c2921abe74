import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse, refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { versionOn } from './part-firmware.ts';
import { chassisPath, drivePath, managerPath, root, systemPath } from './paths.ts';
import { collection, head, healthy, healthyRollup, link, linkList, show, toId } from './render.ts';
import { notInList, writeMembers } from './written-members.ts';

const pattern = `${root}/Chassis/:chassis`;

/** The chassis with its power supplies and fans. */
export const chassisRoutes: readonly Route[] = [
  {
    pattern: `${root}/Chassis`,
    get: ({ machine, path }) => collection({ path, of: 'Chassis' }, [chassisPath(machine)]),
  },
  ...ownRoutes([
    { pattern, get: (request) => show(request, 'Chassis', renderChassis(request.machine)), patch: changeChassis },
    { pattern: `${pattern}/Power`, get: (request) => show(request, 'Power', renderPower(request.machine)) },
    { pattern: `${pattern}/Thermal`, get: (request) => show(request, 'Thermal', renderThermal(request.machine)) },
    { pattern: `${pattern}/PowerSubsystem`, get: showPowerSubsystem },
    {
      pattern: `${pattern}/PowerSubsystem/PowerSupplies`,
      get: ({ machine, path }) =>
        collection(
          { path, of: 'PowerSupply' },
          machine.hardware.psus.map((psu) => `${path}/${toId(psu.slot)}`),
        ),
    },
    { pattern: `${pattern}/PowerSubsystem/PowerSupplies/:psu`, get: showPowerSupply },
  ]),
];

function renderChassis(machine: Machine): JsonObject {
  const { hardware, personality } = machine;
  const path = chassisPath(machine);
  return {
    ...head({ path, schema: 'Chassis.v1_16_0', id: personality.ids.chassis, name: 'Computer System Chassis' }),
    ChassisType: 'RackMount',
    Manufacturer: personality.manufacturer,
    Model: hardware.model,
    SKU: hardware.sku,
    SerialNumber: hardware.serial,
    PartNumber: hardware.boardSerial,
    AssetTag: machine.notes.get('AssetTag') ?? '',
    PowerState: machine.power.state,
    IndicatorLED: machine.manager.indicator,
    Status: healthyRollup(),
    Power: link(`${path}/Power`),
    PowerSubsystem: link(`${path}/PowerSubsystem`),
    Thermal: link(`${path}/Thermal`),
    NetworkAdapters: link(`${path}/NetworkAdapters`),
    Drives: link(`${path}/Drives`),
    Links: {
      ...linkList('ComputerSystems', [systemPath(machine)]),
      ...linkList('ManagedBy', [managerPath(machine)]),
      ...linkList('ManagersInChassis', [managerPath(machine)]),
      ...linkList(
        'Drives',
        hardware.drives.map((drive) => drivePath(machine, drive.slot)),
      ),
    },
  };
}

function changeChassis({ machine, body }: RedfishRequest): RedfishAnswer {
  const complaints = writeMembers(body, {
    IndicatorLED: (value) =>
      typeof value === 'string' && machine.manager.setIndicator(value) ? undefined : notInList('IndicatorLED', value),
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

/** Drawn by a server of its size, roughly; nothing here depends on it. */
function wattsOf(machine: Machine): number {
  return machine.power.state === 'Off' ? 12 : 180 + 20 * machine.hardware.processors.length;
}

function renderPower(machine: Machine): JsonObject {
  const path = `${chassisPath(machine)}/Power`;
  return {
    ...head({ path, schema: 'Power.v1_6_1', id: 'Power', name: 'Power' }),
    PowerControl: [
      {
        '@odata.id': `${path}#/PowerControl/0`,
        MemberId: '0',
        Name: 'System Power Control',
        PowerConsumedWatts: wattsOf(machine),
        PowerCapacityWatts: 800 * machine.hardware.psus.length,
        Status: healthy(),
      },
    ],
    PowerSupplies: machine.hardware.psus.map((psu, index) => ({
      '@odata.id': `${path}#/PowerSupplies/${index}`,
      MemberId: String(index),
      Name: psu.slot,
      Model: psu.model,
      SerialNumber: psu.serial,
      FirmwareVersion: versionOn(machine, { component: 'psu', slot: psu.slot, index }),
      PowerSupplyType: 'AC',
      LineInputVoltage: 230,
      PowerCapacityWatts: 800,
      Status: healthy(),
    })),
  };
}

function renderThermal(machine: Machine): JsonObject {
  const path = `${chassisPath(machine)}/Thermal`;
  const isOff = machine.power.state === 'Off';
  return {
    ...head({ path, schema: 'Thermal.v1_6_2', id: 'Thermal', name: 'Thermal' }),
    Temperatures: ['Inlet Temp', ...machine.hardware.processors.map((part) => `${part.slot} Temp`)].map(
      (name, index) => ({
        '@odata.id': `${path}#/Temperatures/${index}`,
        MemberId: String(index),
        Name: name,
        ReadingCelsius: index === 0 || isOff ? 23 : 48,
        UpperThresholdCritical: index === 0 ? 47 : 95,
        PhysicalContext: index === 0 ? 'Intake' : 'CPU',
        Status: healthy(),
      }),
    ),
    Fans: Array.from({ length: 6 }, (_, index) => ({
      '@odata.id': `${path}#/Fans/${index}`,
      MemberId: String(index),
      Name: `Fan ${index + 1}`,
      Reading: isOff ? 0 : 5400,
      ReadingUnits: 'RPM',
      Status: healthy(),
    })),
  };
}

function showPowerSubsystem(request: RedfishRequest): RedfishAnswer {
  const { path, machine } = request;
  return show(request, 'PowerSubsystem', {
    ...head({ path, schema: 'PowerSubsystem.v1_1_0', id: 'PowerSubsystem', name: 'Power Subsystem' }),
    CapacityWatts: 800 * machine.hardware.psus.length,
    PowerSupplies: link(`${path}/PowerSupplies`),
    Status: healthyRollup(),
  });
}

function showPowerSupply(request: RedfishRequest): RedfishAnswer {
  const { path, machine, params } = request;
  const index = machine.hardware.psus.findIndex(({ slot }) => toId(slot) === params.psu);
  const psu = machine.hardware.psus[index];
  if (psu === undefined) return refuseMissing(path);
  return show(request, 'PowerSupply', {
    ...head({ path, schema: 'PowerSupply.v1_3_0', id: toId(psu.slot), name: psu.slot }),
    Model: psu.model,
    SerialNumber: psu.serial,
    FirmwareVersion: versionOn(machine, { component: 'psu', slot: psu.slot, index }),
    PowerSupplyType: 'AC',
    PowerCapacityWatts: 800,
    Status: healthy(),
  });
}
