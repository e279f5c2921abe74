import { after } from 'node:test';
import { realConnection } from '../real/kube-connection.ts';
import { runKubernetesLauncherContract } from './kubernetes-launcher-contract.ts';

// The cluster's own controllers look after Jobs, pods and what they own.
const real = realConnection({ controllers: ['job-controller', 'ttl-after-finished-controller'] });
after(() => real.stop());
runKubernetesLauncherContract('a real kube-apiserver', () => real.connect(), { hasJobController: true });
