import { after } from 'node:test';
import { embeddedConnection } from './embedded-connection.ts';
import { runPortsContract } from './ports-contract.ts';

const embedded = embeddedConnection();
after(() => embedded.stop());
runPortsContract('the embedded API server', () => embedded.connect());
