import { runGroupModelContract } from '../contract/group-model-contract.ts';
import { startApi } from '../testing/rig.ts';

runGroupModelContract('the embedded API server', () => startApi());
