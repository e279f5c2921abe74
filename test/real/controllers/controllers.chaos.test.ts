import { join } from 'node:path';
import { test } from 'node:test';
import { realKubeBinaries } from '../kube/binaries.ts';
import { runSuiteInOwnNetwork, whyNoOwnNetwork } from '../network-of-its-own.ts';
import { controllerPrograms } from './programs.ts';

const { RACKWRIGHT_CONTROLLER_MINUTES = '5' } = process.env;

test(`controllers of other projects for ${RACKWRIGHT_CONTROLLER_MINUTES} minutes on both servers`, {
  skip: whyNoOwnNetwork() ?? false,
}, async (t) => {
  await realKubeBinaries();
  await controllerPrograms();
  t.diagnostic(
    await runSuiteInOwnNetwork(join(import.meta.dirname, 'same-answers.ts'), { RACKWRIGHT_CONTROLLER_MINUTES }),
  );
});
