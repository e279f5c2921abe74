import { setImmediate } from 'node:timers/promises';
import {
  type DataCentre,
  findImage,
  listFirmware,
  type OfferedFirmware,
  type RunningBmc,
} from '../../../simulator/index.ts';
import { parseBmcAddress, tryParseBmcAddress } from '../../bmc/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { orMissing } from './inventory-access.ts';

/** The facility of the simulated rack. */
export const rackFacility = 'simulated';

/** A simulated rack, as far as the inventory is told of it. */
export interface Rack {
  readonly dataCentre: Pick<DataCentre, 'bmcs' | 'caPem' | 'fabric'>;
  /** Every server, also those that nobody has registered. */
  readonly all: Pick<DataCentre, 'bmcs'>;
  readonly adminUrl: string;
}

type Service = Pick<Serverservice, 'servers' | 'credentials' | 'firmware' | 'firmwareSets'>;

/**
 * Takes the servers of a simulated rack into the inventory, and the newest firmware for each model, with a set of it.
 * What is there is left as it is, but for addresses; servers that somebody deleted stay away.
 */
export async function enrolRack(service: Service, rack: Rack): Promise<void> {
  await inTurns(rack.dataCentre.bmcs, (bmc) => enrolServer(service, bmc));
  for (const model of modelsOf(rack)) await offerNewest(service, model);
}

/** Puts the older versions into the catalogue too. Making an image to know its checksum takes a moment for each. */
export async function offerOlder(service: Service, rack: Rack, signal: AbortSignal): Promise<void> {
  for (const model of modelsOf(rack)) {
    for (const offer of offersOf(model).filter(({ firmware }) => !firmware.isNewest)) {
      if (signal.aborted) return;
      await putFirmware(service, offer);
      // Whoever asks something meanwhile is answered first.
      await setImmediate();
    }
  }
}

function modelsOf({ dataCentre, adminUrl }: Rack): Model[] {
  const models = Map.groupBy(dataCentre.bmcs, ({ machine }) => machine.hardware.model);
  return [...models].map(([model, bmcs]) => ({ model, bmcs, adminUrl }));
}

async function enrolServer({ servers, credentials }: Service, bmc: RunningBmc): Promise<void> {
  const { uuid, model, serial } = bmc.machine.hardware;
  const known = await orMissing(servers.get(uuid, { isWithDeleted: true }));
  if (known?.deletedAt !== undefined) return;
  if (known === undefined) {
    const vendor = bmc.machine.personality.manufacturer;
    const fields = { id: uuid, name: bmc.name, facility: rackFacility, vendor, model, serial, bmcAddress: bmc.url };
    await servers.create(fields);
  } else if (tryParseBmcAddress(known.bmcAddress)?.origin !== parseBmcAddress(bmc.url).origin) {
    // Whoever knows the path of the system as well says more; only the port may be another one.
    await servers.moveBmc(uuid, bmc.url);
  }
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

/** A version, and a server that it is for. */
interface Offer {
  readonly firmware: OfferedFirmware;
  readonly bmc: RunningBmc;
  readonly model: string;
  readonly adminUrl: string;
}

function offersOf({ model, bmcs, adminUrl }: Model): Offer[] {
  const offers = new Map<string, Offer>();
  for (const bmc of bmcs) {
    for (const firmware of listFirmware(bmc)) {
      const key = `${firmware.softwareId} ${firmware.version}`;
      if (!offers.has(key)) offers.set(key, { firmware, bmc, model, adminUrl });
    }
  }
  return [...offers.values()];
}

async function offerNewest(service: Service, model: Model): Promise<void> {
  const offers = offersOf(model).filter(({ firmware }) => firmware.isNewest);
  const isClear = findClear(offers.map(({ firmware }) => firmware));
  // By what a set tells its members apart; of two parts with the same version the first one is in it.
  const members = new Map<string, string>();
  for (const offer of offers) {
    const { id } = await putFirmware(service, offer);
    const key = `${offer.firmware.component} ${offer.firmware.version}`;
    if (isClear(offer.firmware) && !members.has(key)) members.set(key, id);
  }
  const vendor = model.bmcs[0]?.machine.personality.manufacturer ?? '';
  await putSet(service, { model: model.model, vendor, newest: [...members.values()] });
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

async function putFirmware({ firmware: catalogue }: Service, offer: Offer): Promise<FirmwareRecord> {
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
