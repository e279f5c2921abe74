import type { Engine } from '../../src/engine/index.ts';
import type { Line } from './line-process.ts';
import type { DeskRequest, LeaseEvent, SeenCondition } from './work-order.ts';

/** Answers what a run asks of an engine. An order that was taken before is not taken again. */
export async function answerDesk(engine: Engine, request: DeskRequest): Promise<Line> {
  const { id } = request;
  try {
    if (request.ask === 'list') return { say: 'answer', id, conditions: await listAll(engine) };
    if (request.ask === 'events') return { say: 'answer', id, events: await listEvents(engine) };
    const { conditions } = await engine.list({ target: request.target, isWithHistory: true });
    for (const { kind, parameters } of request.orders) {
      if (conditions.some((one) => one.kind === kind)) continue;
      const order = { target: request.target, client: 'run', orders: [{ kind, parameters }] };
      await engine.create(order);
    }
    return { say: 'answer', id };
  } catch (error) {
    return { say: 'answer', id, error: error instanceof Error ? error.message : String(error) };
  }
}

const leaseEvents = ['leased', 'reported', 'released', 'lease-expired', 'finalized'];

/** What happened to the leases of installs. */
async function listEvents(engine: Pick<Engine, 'eventsAfter'>): Promise<readonly LeaseEvent[]> {
  const all: LeaseEvent[] = [];
  for (let after = 0; ; ) {
    const page = await engine.eventsAfter(after, 1000);
    for (const { at, event, conditionId, target = '', kind, detail } of page) {
      if (conditionId === undefined || kind !== 'firmwareInstall' || !leaseEvents.includes(event)) continue;
      all.push({ at, event, conditionId, target, controller: String(detail.controller ?? '') });
    }
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last.seq;
  }
}

/** Every condition, also those that are over. */
export async function listAll(engine: Pick<Engine, 'list'>): Promise<readonly SeenCondition[]> {
  const all: SeenCondition[] = [];
  let after: string | undefined;
  do {
    const page = await engine.list({ isWithHistory: true, limit: 500, ...(after === undefined ? {} : { after }) });
    all.push(
      ...page.conditions.map(({ id, target, kind, state, reason, leases }) => ({
        id,
        target,
        kind,
        state,
        leases,
        why: reason === undefined ? '' : `${reason.code}: ${reason.message}`,
      })),
    );
    after = page.next;
  } while (after !== undefined);
  return all;
}
