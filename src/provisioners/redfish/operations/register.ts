import { type Bmc, inTime, isBmcError, machineIdOf } from '../../../bmc/index.ts';
import type { Deployment, Outcome, Registration } from '../../provisioner.ts';
import type { HostRecord } from '../host-record.ts';
import { changeRecord, done, type Workplace, withRecord } from '../workplace.ts';

/** Takes a host in under the id of its machine; its BMC is asked once, and again when its credentials are others. */
export async function registerHost(place: Workplace, order: Registration): Promise<Outcome<{ readonly id: string }>> {
  const { records } = place.parts;
  const known = await records.read(place.host);
  if (known !== undefined && !order.haveCredentialsChanged && !order.isRetry) {
    return { kind: 'done', value: { id: known.id } };
  }
  const reached = place.reach();
  if (reached.kind !== 'bmc') return reached;
  const found = await findMachineId(place, reached.bmc);
  if (found.kind !== 'done') return found;
  const id = found.value;
  const owner = await records.ownerOf(id);
  if (owner !== undefined && (owner.namespace !== place.host.namespace || owner.name !== place.host.name)) {
    const message = `its machine ${id} is that of the host ${owner.namespace}/${owner.name}; two hosts cannot have one`;
    return { kind: 'failed', message };
  }
  // Another machine behind that address: nothing that was known holds for it.
  const same = known?.id === id ? known : undefined;
  const isInUse = order.current !== undefined || order.isExternallyProvisioned;
  const record: HostRecord = same ?? { id, use: isInUse ? 'deployed' : 'unused', ...imageIn(order.current) };
  if (record !== known) await records.change(place.host, () => record);
  return { kind: 'done', value: { id } };
}

/** Reading an id takes several requests, each of which may be slow. */
const looksForId = 3;

/** The id of the machine behind a BMC. One that stays busy, or hangs, is an error that the owner has to hear of. */
async function findMachineId({ parts: { lookMs } }: Workplace, bmc: Bmc): Promise<Outcome<string>> {
  try {
    const limit = { withinMs: looksForId * lookMs, what: 'the id of its machine' };
    return { kind: 'done', value: await inTime(bmc, limit, machineIdOf) };
  } catch (error) {
    if (!isBmcError(error, 'busy', 'sessionsExhausted')) throw error;
    return { kind: 'failed', message: error.message };
  }
}

/** Takes a host over that runs what somebody deployed before. */
export function adoptHost(place: Workplace, deployment: Deployment | undefined): Promise<Outcome> {
  return withRecord(place, async (record) => {
    if (record.use === 'deployed') return done;
    await changeRecord(place, (now) => ({ ...now, use: 'deployed', ...imageIn(deployment) }));
    return done;
  });
}

function imageIn(deployment: Deployment | undefined): { readonly image?: string } {
  const url = deployment?.image?.url ?? '';
  return url === '' ? {} : { image: url };
}
