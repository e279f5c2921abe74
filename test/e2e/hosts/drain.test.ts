import { after } from 'node:test';
import { startHostApi } from '../../../src/hosts/testing/rig.ts';
import { runDrainContract } from './drain-contract.ts';

const starting = startHostApi();
after(async () => (await starting).close());
runDrainContract('the embedded API', async () => (await starting).connection);
