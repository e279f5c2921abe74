import { after } from 'node:test';
import { runKindsContract } from '../e2e/kinds-contract.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
after(() => real.stop());
runKindsContract('a real kube-apiserver', () => real.connect());
