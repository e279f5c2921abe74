import {
  type BiosAttribute,
  type Bmc,
  type FirmwareSlot,
  readBios,
  readFirmware,
  systemOf,
} from '../../../bmc/index.ts';
import { getInstalledParts } from '../../../parts/index.ts';
import type { FirmwareComponentSeen, FirmwareSettingSchema, FirmwareSettingsSeen, Outcome } from '../../provisioner.ts';
import { type Workplace, withRecord } from '../workplace.ts';

/** Reads the BIOS settings of a host, and what they may be. */
export function readFirmwareSettings(place: Workplace): Promise<Outcome<FirmwareSettingsSeen>> {
  return withRecord<FirmwareSettingsSeen>(place, async () => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const system = await systemOf(reached.bmc);
    const bios = await readBios(reached.bmc, { system });
    const { body } = system;
    const settings = Object.fromEntries([...bios.current].map(([name, value]) => [name, String(value)]));
    const schema = Object.fromEntries([...(bios.registry ?? [])].map(([name, each]) => [name, schemaOf(each)]));
    const [vendor, model] = [body.Manufacturer, body.Model].map((each) =>
      typeof each === 'string' ? each : undefined,
    );
    return { kind: 'done', value: { settings, schema, vendor, model } };
  });
}

function schemaOf(attribute: BiosAttribute): FirmwareSettingSchema {
  const { type, values, lowerBound, upperBound, minLength, maxLength, isReadOnly } = attribute;
  return {
    ...(type === 'Other' ? {} : { attribute_type: type }),
    ...(values.length === 0 ? {} : { allowable_values: values.map(({ value }) => value) }),
    ...(lowerBound === undefined ? {} : { lower_bound: lowerBound }),
    ...(upperBound === undefined ? {} : { upper_bound: upperBound }),
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
    read_only: isReadOnly,
  };
}

/** Reads the versions of a host's firmware: its BIOS, its BMC, its network cards. */
export function readFirmwareComponents(place: Workplace): Promise<Outcome<readonly FirmwareComponentSeen[]>> {
  return withRecord<readonly FirmwareComponentSeen[]>(place, async () => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    return { kind: 'done', value: await readComponents(reached.bmc) };
  });
}

/** The same of a BMC, cross-checked as an inventory is, so that both show the same versions. */
export async function readComponents(bmc: Bmc): Promise<readonly FirmwareComponentSeen[]> {
  const { slots } = await readFirmware(bmc, { isCrossChecked: true });
  return toFirmwareComponents(slots);
}

/** The installed parts that a HostFirmwareComponents shows. Of several with one name it shows the first. */
export function toFirmwareComponents(firmware: readonly FirmwareSlot[]): readonly FirmwareComponentSeen[] {
  const parts = getInstalledParts({ system: { manufacturer: undefined }, firmware });
  const versions = new Map<string, string>();
  for (const { name, slot, version } of parts) {
    if (name !== 'bios' && name !== 'bmc' && name !== 'nic') continue;
    const component = name === 'nic' ? `nic:${slot}` : name;
    if (!versions.has(component)) versions.set(component, version);
  }
  return [...versions].map(([component, version]) => ({
    component,
    initialVersion: version,
    currentVersion: version,
  }));
}
