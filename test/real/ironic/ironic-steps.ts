import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Ironic, IronicNode } from './ironic.ts';
import type { RedfishReader } from './redfish-reader.ts';

/** A BMC as Ironic's redfish driver is told of it. */
export interface RedfishTarget {
  readonly redfishAddress: string;
  readonly username: string;
  readonly password: string;
  /** The path of the system. */
  readonly systemId: string;
  /** True for a public authority, the file of one's own, or false for any certificate. */
  readonly verifyCa: boolean | string;
}

/** What the BMC itself says, past Ironic. */
export interface BmcLook {
  /** `On` or `Off`. */
  power(): Promise<string>;
  /** The value of a BIOS attribute that is in force. */
  bios(name: string): Promise<unknown>;
  biosVersion(): Promise<unknown>;
}

/** A BMC under test, and what must be seen of it. */
export interface IronicSubject {
  readonly ironic: Ironic;
  readonly target: RedfishTarget;
  readonly look: BmcLook;
  /** The BIOS setting to change; without it the first one that the registry lets us change is taken. */
  readonly biosSetting?: string;
  readonly expected: {
    readonly memoryMib: number;
    readonly macs: readonly string[];
    /** Logical processors. */
    readonly cpus: number;
    /** In Ironic's words: `x86_64`, `aarch64`. */
    readonly architecture: string;
    /** The switches that LLDP hears, where the BMC tells. */
    readonly switches?: readonly string[];
  };
  /** A BIOS image that the BMC can pull, and the version it brings; needed for the firmware step. */
  readonly biosImage?: { readonly url: string; readonly version: string };
}

/** Which steps a BMC can take. */
export interface IronicStepsOptions {
  readonly name: string;
  connect(): Promise<IronicSubject>;
  /** Also update the BIOS in a service step. */
  readonly withFirmware?: boolean;
}

interface BiosSetting {
  readonly name: string;
  readonly value: string;
  readonly attribute_type: string | null;
  readonly read_only: boolean | null;
  readonly allowable_values: readonly string[] | null;
}

/** Looks at a system with plain reads. */
export function lookByReading(reader: RedfishReader, systemPath: string): BmcLook {
  return {
    power: async () => String((await reader.read(systemPath)).PowerState),
    bios: async (name) => {
      const { Bios } = (await reader.read(systemPath)) as { Bios: { '@odata.id': string } };
      const { Attributes } = (await reader.read(Bios['@odata.id'])) as { Attributes: Record<string, unknown> };
      return Attributes[name];
    },
    biosVersion: async () => (await reader.read(systemPath)).BiosVersion,
  };
}

/** Lets the unmodified redfish driver of a real Ironic enrol, inspect, power, clean and service one BMC. */
export function runIronicSteps({ name, connect, withFirmware = false }: IronicStepsOptions): void {
  // One node goes step by step, whatever others do beside it.
  describe(`Ironic's redfish driver on ${name}`, { concurrency: false }, () => {
    let subject: IronicSubject;
    let node: string;

    it('enrols it and takes it under management', async () => {
      subject = await connect();
      node = await enrol(subject);
      await provision(subject.ironic, node, { target: 'manage' });
      const managed = await subject.ironic.waitForState(node, 'manageable');
      assert.equal(managed.power_state, `power ${(await subject.look.power()).toLowerCase()}`);
    });

    it('inspects it over Redfish', async () => {
      await provision(subject.ironic, node, { target: 'inspect' });
      await checkInspected(subject, await subject.ironic.waitForState(node, 'manageable'));
    });

    it('powers it on, off and on again', async () => {
      for (const power of ['on', 'off', 'on']) {
        await subject.ironic.api('PUT', `/v1/nodes/${node}/states/power`, { target: `power ${power}` });
        await subject.ironic.waitForPower(node, `power ${power}`);
        assert.equal((await subject.look.power()).toLowerCase(), power);
      }
    });

    it('changes a BIOS setting in a cleaning step', async () => {
      const change = await chooseBiosChange(subject, node);
      const clean_steps = [applyConfiguration(change)];
      await provision(subject.ironic, node, { target: 'clean', clean_steps, disable_ramdisk: true });
      await subject.ironic.waitForState(node, 'manageable');
      await checkBiosChanged(subject, { node, change });
    });

    it('changes a BIOS setting in a service step of a host in use', async () => {
      await provision(subject.ironic, node, { target: 'provide' });
      await subject.ironic.waitForState(node, 'available');
      await provision(subject.ironic, node, { target: 'active' });
      await subject.ironic.waitForState(node, 'active');
      const change = await chooseBiosChange(subject, node);
      await provision(subject.ironic, node, { target: 'service', service_steps: [applyConfiguration(change)] });
      await subject.ironic.waitForState(node, 'active');
      await checkBiosChanged(subject, { node, change });
    });

    if (!withFirmware) return;
    it('updates the BIOS in a service step of a host in use', async () => {
      const { biosImage } = subject;
      assert.ok(biosImage, 'there is no BIOS image for it');
      const settings = [{ component: 'bios', url: biosImage.url }];
      const service_steps = [{ interface: 'firmware', step: 'update', args: { settings } }];
      await provision(subject.ironic, node, { target: 'service', service_steps });
      await subject.ironic.waitForState(node, 'active');
      assert.equal(await subject.look.biosVersion(), biosImage.version);
      await checkFirmwareKnown(subject, { node, version: biosImage.version });
    });
  });
}

async function enrol({ ironic, target }: IronicSubject): Promise<string> {
  const image = join(ironic.filesDir, 'dummy-image');
  writeFileSync(image, 'k'.repeat(4096));
  const created = await ironic.api('POST', '/v1/nodes', {
    driver: 'redfish',
    bios_interface: 'redfish',
    deploy_interface: 'ramdisk',
    boot_interface: 'ipxe',
    inspect_interface: 'redfish',
    driver_info: {
      redfish_address: target.redfishAddress,
      redfish_username: target.username,
      redfish_password: target.password,
      redfish_system_id: target.systemId,
      redfish_verify_ca: target.verifyCa,
    },
    instance_info: { kernel: `file://${image}`, ramdisk: `file://${image}` },
  });
  return (created as IronicNode).uuid;
}

async function provision(ironic: Ironic, node: string, wish: Readonly<Record<string, unknown>>): Promise<void> {
  await ironic.api('PUT', `/v1/nodes/${node}/states/provision`, wish);
}

async function checkInspected({ ironic, expected }: IronicSubject, node: IronicNode): Promise<void> {
  assert.equal(node.last_error, null);
  assert.equal(node.properties.memory_mb, expected.memoryMib);
  assert.equal(node.properties.cpu_arch, expected.architecture);
  assert.ok(Number(node.properties.local_gb) > 0, 'no disk was seen');
  const { ports } = (await ironic.api('GET', `/v1/nodes/${node.uuid}/ports`)) as { ports: { address: string }[] };
  assert.deepEqual(ports.map((port) => port.address).sort(), [...expected.macs].sort());
  const { inventory, plugin_data } = (await ironic.api('GET', `/v1/nodes/${node.uuid}/inventory`)) as {
    inventory: { cpu: { count: number } };
    plugin_data: { parsed_lldp?: Record<string, { switch_system_name: string }> };
  };
  assert.equal(inventory.cpu.count, expected.cpus);
  if (expected.switches === undefined) return;
  const heard = Object.values(plugin_data.parsed_lldp ?? {}).map((each) => each.switch_system_name);
  assert.deepEqual([...new Set(heard)].sort(), [...expected.switches].sort());
}

async function checkFirmwareKnown({ ironic }: IronicSubject, seen: { node: string; version: string }): Promise<void> {
  const { firmware } = (await ironic.api('GET', `/v1/nodes/${seen.node}/firmware`)) as {
    firmware: { component: string; current_version: string }[];
  };
  assert.equal(firmware.find((each) => each.component === 'bios')?.current_version, seen.version);
}

interface BiosChange {
  readonly name: string;
  readonly value: string;
}

function applyConfiguration(change: BiosChange) {
  return { interface: 'bios', step: 'apply_configuration', args: { settings: [change] } };
}

/** Chooses by what Ironic learned from the attribute registry, so a registry it could not read is noticed. */
async function chooseBiosChange({ ironic, biosSetting }: IronicSubject, node: string): Promise<BiosChange> {
  const { bios } = (await ironic.api('GET', `/v1/nodes/${node}/bios?detail=True`)) as { bios: BiosSetting[] };
  const changeable = bios.filter((each) => each.read_only !== true && (each.allowable_values?.length ?? 0) > 1);
  const chosen = changeable.find((each) => biosSetting === undefined || each.name === biosSetting);
  assert.ok(chosen, `no changeable enumeration ${biosSetting ?? ''} among the ${bios.length} settings Ironic knows`);
  const value = chosen.allowable_values?.find((each) => each !== chosen.value);
  assert.ok(value, `${chosen.name} has no other value than ${chosen.value}`);
  return { name: chosen.name, value };
}

async function checkBiosChanged(subject: IronicSubject, seen: { node: string; change: BiosChange }): Promise<void> {
  const { name, value } = seen.change;
  assert.equal(await subject.look.bios(name), value);
  const answer = await subject.ironic.api('GET', `/v1/nodes/${seen.node}/bios/${name}`);
  assert.equal((answer as Record<string, { value: string }>)[name]?.value, value);
}
