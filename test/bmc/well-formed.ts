import assert from 'node:assert/strict';
import type { FirmwareSlot, Inventory } from '../../src/bmc/index.ts';

type Check = (value: unknown, at: string) => void;

const text: Check = (value, at) => {
  assert.equal(typeof value, 'string', at);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  assert.doesNotMatch(String(value), /[\u0000-\u001f\u007f]/, `${at} has control characters`);
  assert.ok(String(value).length <= 65_536, `${at} is too long`);
};
const number: Check = (value, at) => assert.ok(typeof value === 'number' && Number.isFinite(value), `${at}: ${value}`);
const truth: Check = (value, at) => assert.equal(typeof value, 'boolean', at);
const path: Check = (value, at) => {
  text(value, at);
  assert.match(String(value), /^\/(?!\/)/, `${at} is not a path of the BMC: ${value}`);
};
const mac: Check = (value, at) => assert.match(String(value), /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, at);
const maybe =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);
const oneOf =
  (...words: readonly string[]): Check =>
  (value, at) =>
    assert.ok(words.includes(String(value)), `${at}: ${value}`);
const list =
  (check: Check): Check =>
  (value, at) => {
    assert.ok(Array.isArray(value), at);
    for (const [index, each] of value.entries()) check(each, `${at}[${index}]`);
  };
const shape =
  (members: Readonly<Record<string, Check>>): Check =>
  (value, at) => {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), at);
    for (const name of Object.keys(value)) assert.ok(Object.hasOwn(members, name), `${at}.${name} is not known`);
    for (const [name, check] of Object.entries(members)) check(Reflect.get(value, name), `${at}.${name}`);
  };

const vendors = ['dell', 'hpe', 'lenovo', 'supermicro', 'openbmc', 'ami', 'nvidia', 'generic'];
const components = ['bmc', 'bios', 'cpld', 'nic', 'drive', 'storage-controller', 'psu', 'gpu', 'tpm', 'other'];

const slot = shape({
  slot: text,
  component: oneOf(...components),
  name: text,
  vendor: maybe(text),
  model: maybe(text),
  serial: maybe(text),
  version: text,
  pendingVersion: maybe(text),
  previousVersion: maybe(text),
  isUpdateable: truth,
  softwareId: maybe(text),
  otherSoftwareIds: maybe(list(text)),
  uri: path,
  relatedItems: list(path),
  health: maybe(text),
  isBackup: maybe(truth),
});

const gap = shape({ path: text, reason: text, mayPass: maybe(truth) });

const inventory = shape({
  vendor: oneOf(...vendors),
  serviceUuid: maybe(text),
  system: shape({
    path,
    uuid: maybe(text),
    manufacturer: maybe(text),
    model: maybe(text),
    serial: maybe(text),
    sku: maybe(text),
    biosVersion: maybe(text),
    powerState: maybe(text),
    health: maybe(text),
  }),
  manager: maybe(
    shape({ path, firmwareVersion: maybe(text), model: maybe(text), macs: list(mac), clockOffsetMs: maybe(number) }),
  ),
  processors: list(
    shape({ id: text, model: maybe(text), cores: maybe(number), threads: maybe(number), type: maybe(text) }),
  ),
  memory: list(
    shape({
      id: text,
      capacityMib: maybe(number),
      speedMhz: maybe(number),
      partNumber: maybe(text),
      serial: maybe(text),
    }),
  ),
  drives: list(
    shape({
      id: text,
      model: maybe(text),
      serial: maybe(text),
      capacityBytes: maybe(number),
      mediaType: maybe(text),
      protocol: maybe(text),
      firmwareVersion: maybe(text),
    }),
  ),
  ports: list(
    shape({
      id: text,
      mac,
      adapter: maybe(text),
      isLinkUp: maybe(truth),
      speedMbps: maybe(number),
      neighbour: maybe(shape({ chassisId: text, portId: text, systemName: maybe(text) })),
    }),
  ),
  firmware: list(slot),
  gaps: list(gap),
});

/** Every member of an inventory has the type that it should have, whatever the BMC sent. */
export function assertInventory(value: Inventory): void {
  inventory(value, 'inventory');
  const names = value.firmware.map((each) => each.slot);
  assert.equal(new Set(names).size, names.length, `slots have names of their own: ${names}`);
}

/** The same of a list of firmware. */
export function assertFirmware(value: {
  readonly slots: readonly FirmwareSlot[];
  readonly gaps: readonly object[];
}): void {
  list(slot)(value.slots, 'slots');
  list(gap)(value.gaps, 'gaps');
}

/** A word of a closed set. */
export function assertWord(value: unknown, words: readonly string[]): void {
  oneOf(...words)(value, 'word');
}

/** Data that can be stored: no functions, no cycles, no numbers that JSON does not know. */
export function assertStorable(value: unknown): void {
  JSON.stringify(value, (_, each: unknown) => {
    assert.ok(typeof each !== 'function' && typeof each !== 'bigint');
    assert.ok(typeof each !== 'number' || Number.isFinite(each));
    return each;
  });
}
