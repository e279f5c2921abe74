import { runAsIfWrittenContract } from '../contract/as-if-written-contract.ts';
import { startApi } from '../testing/rig.ts';

runAsIfWrittenContract('the embedded API server', () => startApi());
