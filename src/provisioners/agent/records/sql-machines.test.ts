import { openSqliteDatabase } from '../../../engine/index.ts';
import { systemClock } from '../../../kube/index.ts';
import { describeMachineRecords } from './contract/machine-records-contract.ts';

describeMachineRecords({
  name: 'SQLite',
  open: async () => ({ database: await openSqliteDatabase({ path: ':memory:', clock: systemClock }) }),
});
