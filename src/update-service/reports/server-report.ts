import { Compile } from 'typebox/compile';
import type { FirmwareSlot } from '../../bmc/index.ts';
import { draftInventory, InventoryBody, inventoryNamespace, readInventoryReport } from '../../conditionorc/index.ts';
import { type JsonObject, targetOf } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import { applyReportedVersion } from '../../parts/index.ts';
import type { InventoryDraft, Serverservice } from '../../serverservice/index.ts';
import { type FirmwareVersion, invalid } from '../desk/check-request.ts';
import type { HeldLease } from '../jobs/job-tokens.ts';
import { createInventoryReader } from '../mirror/installed.ts';

/** What a job tells of a server. */
export interface ServerReading {
  readonly machineId: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly firmwares: readonly FirmwareVersion[];
  /** The inventory as JSON; empty where only versions are told. */
  readonly inventoryJson: string;
  readonly readAt: number;
}

const mostFirmwares = 1000;
const longestText = 253;
const longestInventory = 8 * 1024 * 1024;
const body = Compile(InventoryBody);

/** Versions that somebody says are installed: those without a version say nothing. Throws `invalidRequest`. */
export function checkInstalled(given: readonly FirmwareVersion[]): readonly FirmwareVersion[] {
  if (given.length > mostFirmwares)
    throw invalid([`firmwares has ${given.length} entries, more than ${mostFirmwares}`]);
  const problems = given.flatMap(({ name, manufacturer, version, model = '', softwareId = '', slot = '' }, at) =>
    Object.entries({ name, manufacturer, version, model, softwareId, slot }).flatMap(([field, text]) =>
      text.length > longestText || /\p{C}/u.test(text) ? [`firmwares[${at}].${field} is no text of a version`] : [],
    ),
  );
  given.forEach(({ name }, at) => {
    if (name.trim() === '') problems.push(`firmwares[${at}].name is empty`);
  });
  if (problems.length > 0) throw invalid(problems);
  return given.filter(({ version }) => version.trim() !== '');
}

/** What is written down of a reading: the whole inventory where there is one, else the versions of what is known. */
export async function draftReading(
  service: Pick<Serverservice, 'components' | 'versionedAttributes'>,
  reading: ServerReading,
  lease: HeldLease,
): Promise<InventoryDraft> {
  if (reading.inventoryJson !== '') return draftInventory(parseInventory(reading, lease));
  const known = await createInventoryReader(service).read(reading.machineId);
  const slots = reading.firmwares.flatMap((one) =>
    applyReportedVersion(one, known?.server.slots ?? [], reading.manufacturer),
  );
  const draft = draftInventory(reportOf(reading, lease, slots));
  // What is known of the rest of the server is better than that nothing was said of it.
  const isKnown = known !== undefined;
  const versionedAttributes = draft.versionedAttributes.filter(
    ({ namespace }) => !isKnown || namespace !== inventoryNamespace,
  );
  return { serverId: draft.serverId, components: draft.components, versionedAttributes };
}

function parseInventory(reading: ServerReading, lease: HeldLease): InventoryReport {
  if (reading.inventoryJson.length > longestInventory) throw invalid(['inventory_json is too long']);
  let given: unknown;
  try {
    given = JSON.parse(reading.inventoryJson);
  } catch {
    throw invalid(['inventory_json is no JSON']);
  }
  const { inventory = given, biosSettings } = Object(given) as { inventory?: unknown; biosSettings?: unknown };
  const whole = {
    conditionId: lease.conditionId,
    token: lease.token,
    readAt: Math.max(0, Math.trunc(reading.readAt)),
    inventory,
    ...(biosSettings === undefined ? {} : { biosSettings }),
  };
  if (body.Check(whole)) return readInventoryReport(whole, targetOf(reading.machineId));
  const problems = body.Errors(whole).map(({ instancePath, message }) => `inventory_json${instancePath} ${message}`);
  throw invalid([...new Set(problems)]);
}

function reportOf(reading: ServerReading, lease: HeldLease, firmware: readonly FirmwareSlot[]): InventoryReport {
  const { manufacturer, model, machineId, readAt } = reading;
  const inventory = {
    vendor: 'generic',
    system: { manufacturer, model },
    manager: undefined,
    firmware,
    drives: [],
    ports: [],
    // Versions alone do not say that other parts are gone.
    gaps: [{ path: 'versions', reason: 'only versions were told' }],
  } as unknown as InventoryReport['inventory'];
  return { target: targetOf(machineId), inventory, biosSettings: undefined, readAt, lease };
}

/** What a finished job leaves for people, and for the mirror that the server was read. */
export function statusOfReading(firmwares: readonly FirmwareVersion[], readAt: number): JsonObject {
  return { message: `${firmwares.length} versions were read`, inventory_read_at: readAt };
}
