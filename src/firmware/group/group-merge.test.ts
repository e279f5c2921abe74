import { runGroupMergeContract } from '../contract/group-merge-contract.ts';
import { startApi } from '../testing/rig.ts';

runGroupMergeContract('the embedded API server', () => startApi());
