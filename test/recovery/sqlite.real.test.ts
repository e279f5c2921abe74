import { test } from 'node:test';
import { prove } from './proof.ts';

const short = { isLong: false };

test('SQLite: a whole service that is killed or stopped at any step finishes every install, each image once', async () => {
  await prove('embedded', { seed: 11, installs: 12, shape: 'embedded', processes: 6, concurrency: 2 }, short);
});

test('SQLite: workers over HTTP that are killed or stopped at any step are replaced, and refused when they wake', async () => {
  await prove('worker API', { seed: 12, installs: 12, shape: 'worker-api', processes: 6, concurrency: 2 }, short);
});
