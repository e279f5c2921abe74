import { openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { orcContract } from './orc-contract.ts';

orcContract({ name: 'SQLite', open: () => openSqliteDatabase({ path: ':memory:', clock: systemClock }) });
