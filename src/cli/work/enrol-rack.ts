import {
  type DataCentre,
  findImage,
  listFirmware,
  type OfferedFirmware,
  type RunningBmc,
} from '../../../simulator/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { orMissing } from './server-directory.ts';

/** The facility of the simulated rack. */
export const rackFacility = 'simulated';

/** A simulated rack, as far as the inventory is told of it. */
export interface Rack {
  readonly dataCentre: Pick<DataCentre, 'bmcs' | 'caPem'>;
  readonly adminUrl: string;
}

type Service = Pick<Serverservice, 'servers' | 'credentials' | 'firmware' | 'firmwareSets'>;

/** What the inventory was told. */
export interface EnrolledRack {
  readonly servers: number;
  readonly firmware: number;
  readonly sets: number;
}

/**
 * Takes the servers of a simulated rack into the inventory, and what firmware can be had for them. What is there is
 * left as it is, but for addresses; servers that somebody deleted stay away.
 */
export async function enrolRack(service: Service, rack: Rack): Promise<EnrolledRack> {
  await inTurns(rack.dataCentre.bmcs, (bmc) => enrolServer(service, bmc));
  const models = Map.groupBy(rack.dataCentre.bmcs, ({ machine }) => machine.hardware.model);
  let firmware = 0;
  for (const [model, bmcs] of models)
    firmware += await offerFirmware(service, { model, bmcs, adminUrl: rack.adminUrl });
  return { servers: rack.dataCentre.bmcs.length, firmware, sets: models.size };
}

async function enrolServer({ servers, credentials }: Service, bmc: RunningBmc): Promise<void> {
  const { uuid, model, serial } = bmc.machine.hardware;
  const known = await orMissing(servers.get(uuid, { isWithDeleted: true }));
  if (known?.deletedAt !== undefined) return;
  if (known === undefined) {
    const vendor = bmc.machine.personality.manufacturer;
    const fields = { id: uuid, name: bmc.name, facility: rackFacility, vendor, model, serial, bmcAddress: bmc.url };
    await servers.create(fields);
  } else if (known.bmcAddress !== bmc.url) await servers.update(uuid, { bmcAddress: bmc.url });
  const { username, password } = bmc;
  const kept = await orMissing(credentials.get(uuid, 'bmc'));
  if (kept?.username !== username || kept.password !== password) {
    await credentials.put(uuid, 'bmc', { username, password });
  }
}

interface Model {
  readonly model: string;
  readonly bmcs: readonly RunningBmc[];
  readonly adminUrl: string;
}

/** The versions for one model, and a set of the newest. */
async function offerFirmware(service: Service, { model, bmcs, adminUrl }: Model): Promise<number> {
  const offered = new Map<string, { readonly firmware: OfferedFirmware; readonly bmc: RunningBmc }>();
  for (const bmc of bmcs) {
    for (const firmware of listFirmware(bmc)) {
      const key = `${firmware.softwareId} ${firmware.version}`;
      if (!offered.has(key)) offered.set(key, { firmware, bmc });
    }
  }
  // By what a set tells its members apart; of two parts with the same version the first one is in it.
  const newest = new Map<string, string>();
  const isClear = findClear([...offered.values()].map(({ firmware }) => firmware));
  for (const { firmware, bmc } of offered.values()) {
    const { id } = await putFirmware(service, { firmware, bmc, model, adminUrl });
    const key = `${firmware.component} ${firmware.version}`;
    if (firmware.isNewest && isClear(firmware) && !newest.has(key)) newest.set(key, id);
  }
  const [first] = bmcs;
  if (first !== undefined) {
    const vendor = first.machine.personality.manufacturer;
    await putSet(service, { model, vendor, newest: [...newest.values()] });
  }
  return offered.size;
}

/** Parts that every server has one of go by its model, the others by their own name. */
const ofTheServer: readonly string[] = ['bmc', 'bios', 'cpld'];

/** Where a server has several kinds of what it should have one of, nobody can tell from a catalogue which is meant. */
function findClear(all: readonly OfferedFirmware[]): (firmware: OfferedFirmware) => boolean {
  const lines = Map.groupBy(all, ({ component }) => component);
  return ({ component }) => {
    if (component === 'other') return false;
    const kinds = new Set((lines.get(component) ?? []).map(({ softwareId }) => softwareId));
    return !ofTheServer.includes(component) || kinds.size === 1;
  };
}

async function putFirmware(
  { firmware: catalogue }: Service,
  offer: { firmware: OfferedFirmware; bmc: RunningBmc; model: string; adminUrl: string },
): Promise<FirmwareRecord> {
  const { firmware, bmc, model, adminUrl } = offer;
  const { vendor, component, version, softwareId } = firmware;
  const filename = `${slug(model)}-${slug(softwareId)}-${slug(version)}.bin`;
  const repositoryUrl = `${adminUrl}${firmware.image}`;
  const key = { vendor: vendor.toLowerCase(), component, version, filename };
  const page = { limit: 1, page: 1, orderBy: undefined, isDescending: false };
  const [known] = (await catalogue.list(key, page)).records;
  if (known !== undefined && known.repositoryUrl === repositoryUrl) return known;
  const models = ofTheServer.includes(component) ? firmware.models : [softwareId, firmware.name];
  // Making an image takes a moment; what it hashes to does not change.
  const checksum = known?.checksum ?? `sha256:${findImage(bmc, { softwareId, version })?.sha256 ?? ''}`;
  return catalogue.put({ ...key, models, repositoryUrl, checksums: [checksum] });
}

async function putSet(
  { firmwareSets }: Service,
  { model, vendor, newest }: { model: string; vendor: string; newest: readonly string[] },
): Promise<void> {
  const name = `${slug(model)}-latest`;
  const page = { limit: 1, page: 1, orderBy: undefined, isDescending: false };
  const [known] = (await firmwareSets.list({ name }, page)).records;
  if (known !== undefined) return;
  const labels = { vendor: vendor.toLowerCase(), model: model.toLowerCase(), latest: 'true' };
  await firmwareSets.create({ name, labels, firmware: newest });
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** A few at a time: one after the other waits for the disk with each, all at once keep everything else waiting. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
