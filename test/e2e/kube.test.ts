import { after } from 'node:test';
import { embeddedConnection } from './embedded-connection.ts';
import { runKubeContract } from './kube-contract.ts';

const embedded = embeddedConnection();
after(() => embedded.stop());
runKubeContract('the embedded API server', () => embedded.connect());
