import { Type } from 'typebox';
import type { Engine, JsonObject } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import { defineRoute, MessageAnswer, type Route, restResources, Struct, Time } from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { requireById } from '../orders/find-conditions.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { showTime } from '../records/condition-record.ts';
import { InventoryBody, readInventoryReport } from './inventory-body.ts';
import { createLeaseDesk } from './lease-desk.ts';
import { createSlotDesk } from './slot-desk.ts';
import {
  CheckBody,
  LeaseAnswer,
  LeaseBody,
  longestWaitMs,
  OnlineBody,
  ReleaseBody,
  ReportAnswer,
  ReportBody,
  readReport,
  SlotAnswer,
  SlotBody,
  showLease,
  WorkerBody,
} from './wire.ts';

const WorkerRecord = Struct(
  {
    id: Type.String({ description: 'Its id.' }),
    kinds: Type.Array(Type.String(), { description: 'What it can do.' }),
    facilities: Type.Array(Type.String(), { description: 'Where.' }),
    online: Type.Boolean({ description: 'Whether it was heard of lately.' }),
    seen_at: Time('When it was heard of last.'),
    online_since: Time('Since when.'),
  },
  { title: 'Worker', description: 'A worker that was heard of.' },
);

const WorkerList = Struct({ records: Type.Array(WorkerRecord) }, { title: 'WorkerList', description: 'All workers.' });

const lostRefusal = { 409: 'The lease is not held any more: stop at once.' };
const unknownRefusal = { 404: 'The worker is not online; it has to say so first.' };

/** The API of workers that do not open the store. */
export function workerRoutes(parts: {
  readonly engine: Pick<Engine, 'worker' | 'controllers' | 'get'>;
  /** Without one inventories are not taken. */
  readonly inventory: Pick<InventoryPort, 'writeInventory'> | undefined;
  readonly clock: Clock;
}) {
  const { worker: port } = parts.engine;
  const leases = createLeaseDesk(port);
  const slots = createSlotDesk(port, parts.clock);
  const done = (message: string) => ({ status: 200, body: { message } });
  const route = {
    method: 'POST',
    tag: 'workers',
    access: { verb: 'update', resource: restResources.workers },
  } as const;
  const routes: Route[] = [
    defineRoute({
      ...route,
      path: '/api/v1/workers/online',
      operation: 'workerOnline',
      summary: 'A worker comes online; what an earlier life under the same id held is given to others.',
      body: OnlineBody,
      answers: { 200: MessageAnswer },
      async handle({ body: { workerId, kinds, facilities, isFencedByHeartbeats = false } }) {
        leases.forget(workerId);
        await port.online({ id: workerId, kinds, facilities, isFencedByHeartbeats });
        return done('online');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/heartbeat',
      operation: 'workerHeartbeat',
      summary: 'A worker is still there; this renews no lease. One that was lost is not known any more.',
      body: WorkerBody,
      answers: { 200: MessageAnswer },
      refusals: unknownRefusal,
      async handle({ body }) {
        await port.heartbeat(body.workerId);
        return done('heard');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/offline',
      operation: 'workerOffline',
      summary: 'A worker leaves.',
      body: WorkerBody,
      answers: { 200: MessageAnswer },
      async handle({ body }) {
        leases.forget(body.workerId);
        await port.offline(body.workerId);
        return done('offline');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/lease',
      operation: 'leaseWork',
      summary: 'Leases work, and waits for some for a while.',
      body: LeaseBody,
      answers: { 200: LeaseAnswer },
      refusals: unknownRefusal,
      async handle({ body, signal }) {
        const { batch, leases: given } = await leases.lease({ ...body, seen: body.seen }, signal);
        return { status: 200, body: { batch, leases: given.map(showLease) } };
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/report',
      operation: 'reportWork',
      summary: 'Reports progress, which renews the lease, or the end of the work.',
      body: ReportBody,
      answers: { 200: ReportAnswer },
      async handle({ body: { conditionId, token, report } }) {
        const outcome = await port.report({ conditionId, token }, readReport(report));
        return { status: 200, body: JSON.parse(JSON.stringify(outcome)) as JsonObject };
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/check',
      operation: 'checkLease',
      summary: 'Whether the lease is held by the clock of the store; asked right before what disrupts.',
      body: CheckBody,
      answers: { 200: MessageAnswer },
      refusals: lostRefusal,
      async handle({ body: { requestMs, ...held } }) {
        await port.check(held, requestMs === undefined ? {} : { requestMs });
        return done('held');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/release',
      operation: 'releaseWork',
      summary: 'Gives work back unfinished.',
      body: ReleaseBody,
      answers: { 200: MessageAnswer },
      async handle({ body: { conditionId, token, why, ...how } }) {
        await port.release({ conditionId, token }, why, how);
        return done('released');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/inventory',
      operation: 'reportInventory',
      summary: 'Stores an inventory, all or nothing, and only while the lease that it was read under is held.',
      body: InventoryBody,
      answers: { 200: MessageAnswer },
      refusals: { ...lostRefusal, 404: 'There is no such condition, or no such server.' },
      async handle({ body }) {
        if (parts.inventory === undefined) throw new OrcError('noInventory', { what: 'an inventory' });
        const { target } = await requireById(parts.engine, body.conditionId);
        await parts.inventory.writeInventory(readInventoryReport(body, target));
        return done('stored');
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/slots/acquire',
      operation: 'acquireSlot',
      summary: 'Stands in line for a slot; asking again keeps the place.',
      body: SlotBody,
      answers: { 200: SlotAnswer },
      refusals: lostRefusal,
      async handle({ body: { conditionId, token, waitMs = longestWaitMs }, signal }) {
        return { status: 200, body: { outcome: await slots.acquire({ conditionId, token }, { waitMs, signal }) } };
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/workers/slots/release',
      operation: 'releaseSlot',
      summary: 'Gives a slot back, or the place in the line.',
      body: SlotBody,
      answers: { 200: MessageAnswer },
      async handle({ body: { conditionId, token } }) {
        await slots.release({ conditionId, token });
        return done('released');
      },
    }),
    defineRoute({
      method: 'GET',
      tag: 'workers',
      access: { verb: 'list', resource: restResources.workers },
      path: '/api/v1/workers',
      operation: 'listWorkers',
      summary: 'Workers that were heard of.',
      answers: { 200: WorkerList },
      async handle() {
        const records = (await parts.engine.controllers()).map((one) => ({
          id: one.id,
          kinds: [...one.kinds],
          facilities: [...one.facilities],
          online: one.isOnline,
          seen_at: showTime(one.seenAt),
          online_since: showTime(one.onlineSince),
        }));
        return { status: 200, body: { records } };
      },
    }),
  ];
  return routes;
}
