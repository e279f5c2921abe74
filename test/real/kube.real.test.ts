import { after } from 'node:test';
import { runKubeContract } from '../e2e/kube-contract.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
after(() => real.stop());
runKubeContract('a real kube-apiserver', () => real.connect());
