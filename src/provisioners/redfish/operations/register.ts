import { machineIdOf } from '../../../bmc/index.ts';
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
  const id = await machineIdOf(reached.bmc);
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
