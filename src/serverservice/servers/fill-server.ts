import { isSameUuid } from '../../bmc/index.ts';
import { isSameVendor } from '../../versions/index.ts';
import type { ServerFields } from './server.ts';

/** What an inventory found out about a server; empty where the BMC does not say. */
export interface ObservedServer
  extends Pick<ServerFields, 'vendor' | 'model' | 'serial' | 'macs' | 'systemUuid' | 'bmcUuid'> {
  /** What else is on the label: Dell's service tag is the SKU. */
  readonly otherSerials: readonly string[];
}

/** Values that inventories wrote before: what is still so may change with the next one. */
export type FilledFields = Partial<
  Pick<ServerFields, 'vendor' | 'model' | 'serial' | 'macs' | 'systemUuid' | 'bmcUuid'>
>;

/** A server record after an inventory. */
export interface FilledServer {
  readonly fields: ServerFields;
  readonly filled: FilledFields;
  /** What an operator wrote and the BMC tells otherwise. */
  readonly contradictions: readonly string[];
}

const names = {
  vendor: 'vendor',
  model: 'model',
  serial: 'serial',
  systemUuid: 'system_uuid',
  bmcUuid: 'bmc_uuid',
} as const;

type TextField = keyof typeof names;

const textFields = Object.keys(names) as TextField[];

/** Fills in what is not known or was filled in before. What an operator wrote stays, and is reported where it differs. */
export function fillServer(
  known: { readonly fields: ServerFields; readonly filled: FilledFields },
  observed: ObservedServer,
): FilledServer {
  const fields: Record<string, unknown> = { ...known.fields };
  const filled: Record<string, unknown> = { ...known.filled };
  const contradictions: string[] = [];
  for (const name of textFields) {
    const [current, found] = [known.fields[name], observed[name]];
    if (found === '') continue;
    if (current === '' || current === known.filled[name]) {
      fields[name] = found;
      filled[name] = found;
    } else if (!doAgree(name, current, observed)) {
      contradictions.push(`${names[name]}: the record has ${current}, the BMC tells ${found}`);
    }
  }
  const macs = [...new Set(observed.macs)].sort();
  const areMacsOurs = JSON.stringify(known.fields.macs) === JSON.stringify(known.filled.macs);
  if (macs.length > 0 && (known.fields.macs.length === 0 || areMacsOurs)) {
    fields.macs = macs;
    filled.macs = macs;
  }
  return { fields: fields as unknown as ServerFields, filled: filled as FilledFields, contradictions };
}

function doAgree(name: TextField, current: string, observed: ObservedServer): boolean {
  const found = observed[name];
  if (name === 'vendor') return isSameVendor(current, found);
  if (name === 'systemUuid' || name === 'bmcUuid') return isSameUuid(current, found);
  if (name === 'serial')
    return [found, ...observed.otherSerials].some((each) => each.toLowerCase() === current.toLowerCase());
  const [one, other] = [current, found].map((text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  // People write R640 for a PowerEdge R640.
  return one !== undefined && other !== undefined && one !== '' && (one.includes(other) || other.includes(one));
}
