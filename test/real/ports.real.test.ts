import { after } from 'node:test';
import { runPortsContract } from '../e2e/ports-contract.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
after(() => real.stop());
runPortsContract('a real kube-apiserver', () => real.connect());
