import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, StoreError } from '../errors.ts';
import { copyDatabase } from './copy-database.ts';
import type { HousekeepingOrder, HousekeepingReport } from './housekeeping.ts';

const port = parentPort;
if (port === null) throw new StoreError('unusable', { where: 'a thread', detail: 'this runs only as a worker thread' });

const path = String(workerData);
const db = new DatabaseSync(path, { timeout: 5_000 });

port.on('message', (order: HousekeepingOrder) => {
  port.postMessage(carryOut(order));
  if (order.do === 'close') port.close();
});

function carryOut(order: HousekeepingOrder): HousekeepingReport {
  try {
    if (order.do === 'close') db.close();
    if (order.do === 'copy') copyDatabase(path, order.target);
    if (order.do !== 'checkpoint') return { isComplete: true };
    // PASSIVE never makes a reader or a writer wait.
    const result = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    return { isComplete: result?.log === result?.checkpointed };
  } catch (error) {
    return { isComplete: false, problem: messageOf(error) };
  }
}
