import { join } from 'node:path';
import { test } from 'node:test';
import { realKubeBinaries } from '../kube/binaries.ts';
import { runSuiteInOwnNetwork, whyNoOwnNetwork } from '../network-of-its-own.ts';
import { clusterApiPrograms } from './programs.ts';

test('machines under the real Cluster API, by both contracts', { skip: whyNoOwnNetwork() ?? false }, async () => {
  await realKubeBinaries();
  await clusterApiPrograms();
  await runSuiteInOwnNetwork(join(import.meta.dirname, 'contracts.ts'));
});
