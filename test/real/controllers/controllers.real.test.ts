import { join } from 'node:path';
import { test } from 'node:test';
import { realKubeBinaries } from '../kube/binaries.ts';
import { runSuiteInOwnNetwork, whyNoOwnNetwork } from '../network-of-its-own.ts';
import { controllerPrograms } from './programs.ts';

test('controllers of other projects, on both servers', { skip: whyNoOwnNetwork() ?? false }, async () => {
  await realKubeBinaries();
  await controllerPrograms();
  await runSuiteInOwnNetwork(join(import.meta.dirname, 'same-answers.ts'));
});
