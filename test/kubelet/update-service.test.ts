import { join } from 'node:path';
import { after } from 'node:test';
import { embeddedConnection } from '../e2e/embedded-connection.ts';
import { runUpdateServiceContract } from './update-service-contract.ts';

const embedded = embeddedConnection();
after(() => embedded.stop());
runUpdateServiceContract('the embedded API server', () => embedded.connect(), {
  hasJobController: false,
  keepImages: async (folder) => ({
    words: ['--image-store', join(folder, 'images')],
    secrets: [],
  }),
});
