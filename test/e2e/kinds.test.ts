import { after } from 'node:test';
import { embeddedConnection } from './embedded-connection.ts';
import { runKindsContract } from './kinds-contract.ts';

const embedded = embeddedConnection();
after(() => embedded.stop());
runKindsContract('the embedded API server', () => embedded.connect());
