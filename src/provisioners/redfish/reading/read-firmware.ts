import { type BiosAttribute, type FirmwareSlot, readBios, readFirmware, systemOf } from '../../../bmc/index.ts';
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
    const { slots } = await readFirmware(reached.bmc);
    const seen = slots.filter(({ isBackup }) => isBackup !== true).flatMap(componentOf);
    const names = seen.map(({ component }) => component);
    return { kind: 'done', value: seen.filter(({ component }, at) => names.indexOf(component) === at) };
  });
}

function componentOf(slot: FirmwareSlot): readonly FirmwareComponentSeen[] {
  const { component, version } = slot;
  const name = component === 'nic' ? `nic:${slot.slot}` : component;
  if (name !== 'bios' && name !== 'bmc' && component !== 'nic') return [];
  return [{ component: name, initialVersion: version, currentVersion: version }];
}
