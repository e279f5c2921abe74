import { after } from 'node:test';
import { runDrainContract } from '../e2e/hosts/drain-contract.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
after(() => real.stop());
runDrainContract('a real kube-apiserver', () => real.connect());
