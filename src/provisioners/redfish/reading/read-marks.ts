import { type Bmc, isBmcError, type JsonObject, readCollection, systemOf, toMac } from '../../../bmc/index.ts';
import type { MachineMarks } from '../../same-machine.ts';

/** What a BMC says of the machine that it is in, at the cost of a few reads. Nothing is changed. */
export async function readMarks(bmc: Bmc): Promise<MachineMarks> {
  const { body } = await systemOf(bmc);
  const serialNumbers = ['SerialNumber', 'SKU'].flatMap((name) => textIn(body, name) ?? []);
  const link = body.EthernetInterfaces;
  const path = typeof link === 'object' && link !== null ? textIn(link as JsonObject, '@odata.id') : undefined;
  return { serialNumbers, macs: path === undefined ? [] : await readMacs(bmc, path) };
}

async function readMacs(bmc: Bmc, path: string): Promise<readonly string[]> {
  try {
    const { members } = await readCollection(bmc, path);
    const told = members.flatMap(({ body }) => [textIn(body, 'MACAddress'), textIn(body, 'PermanentMACAddress')]);
    return [...new Set(told.flatMap((text) => toMac(text)?.toLowerCase() ?? []))];
  } catch (error) {
    if (isBmcError(error, 'notFound')) return [];
    throw error;
  }
}

function textIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
