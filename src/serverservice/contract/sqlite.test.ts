import { openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { inventoryContract } from './inventory-contract.ts';

inventoryContract({
  name: 'SQLite',
  open: () => openSqliteDatabase({ path: ':memory:', clock: systemClock }),
});
