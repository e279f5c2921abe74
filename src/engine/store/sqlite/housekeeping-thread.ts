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
    else if (order.do === 'copy') copyDatabase(path, order.target);
    // PASSIVE never makes a reader or a writer wait. One that fails, on a full disk, is tried again with the next.
    else db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return {};
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
