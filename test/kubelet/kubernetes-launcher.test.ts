import { after } from 'node:test';
import { embeddedConnection } from '../e2e/embedded-connection.ts';
import { runKubernetesLauncherContract } from './kubernetes-launcher-contract.ts';

const embedded = embeddedConnection();
after(() => embedded.stop());
runKubernetesLauncherContract('the embedded API server', () => embedded.connect(), { hasJobController: false });
