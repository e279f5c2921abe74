import { after } from 'node:test';
import { runGroupMergeContract } from '../../src/firmware/contract/group-merge-contract.ts';
import { runGroupModelContract } from '../../src/firmware/contract/group-model-contract.ts';
import { openApi } from '../../src/firmware/testing/rig.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
const open = async () => openApi(await real.connect());
runGroupMergeContract('a real kube-apiserver', open);
runGroupModelContract('a real kube-apiserver', open);
after(() => real.stop());
