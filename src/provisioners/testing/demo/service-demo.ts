import type { HostIdentity, Outcome, Serviced, Servicing } from '../../provisioner.ts';
import { applyFirmware, type DemoRecord } from './demo-record.ts';
import { type DemoBehaviour, takeStep } from './take-step.ts';

const nothing: Serviced = { settings: {}, updates: [] };

/** Changes a demo host in use, once for each attempt. */
export function serviceDemo(
  behaviour: DemoBehaviour,
  host: HostIdentity,
  record: DemoRecord,
  order: Servicing,
): Outcome<Serviced> {
  if (!order.isSpecified) return giveUp(record, order);
  const what: Serviced = { settings: order.settings ?? {}, updates: order.updates ?? [] };
  const isOther = record.serviced?.ticket !== order.ticket;
  const isUnderWay = record.work?.step === 'service';
  if (isOther && !isUnderWay) record.serviced = { ticket: order.ticket, what, isOver: false };
  const begun = record.serviced ?? { ticket: order.ticket, what, isOver: false };
  const isEmpty = Object.keys(begun.what.settings).length === 0 && begun.what.updates.length === 0;
  const taken = takeStep(behaviour, host, record, {
    step: 'service',
    isRetry: isOther,
    isDone: () => begun.isOver || isEmpty,
    finish: () => {
      begun.isOver = true;
      applyFirmware(record, order, behaviour.clock.now());
    },
  });
  return taken.kind === 'done' ? { kind: 'done', value: begun.what } : taken;
}

function giveUp(record: DemoRecord, { ticket }: Servicing): Outcome<Serviced> {
  if (record.work?.step === 'service') record.work = undefined;
  if (record.failure?.step === 'service') record.failure = undefined;
  const { serviced } = record;
  if (serviced?.isOver === true) return { kind: 'done', value: serviced.ticket === ticket ? serviced.what : nothing };
  record.serviced = undefined;
  return { kind: 'done', value: nothing };
}
