import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentTerminal } from '../reference-page.ts';
import { listConditions } from './conditions.ts';
import type { RestClient } from './rest-client.ts';

test('conditions are listed with how long ago they were created and last changed', async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const record = {
    ...{ id: 'c1', target: 'u1', kind: 'inventoryOOB', state: 'active', status: {}, reason: null },
    ...{ created_at: ago(3 * 3600), updated_at: ago(30.5), finalized_at: null },
  };
  const client = {
    ask: async ({ path }: { readonly path: string }) => ({
      records: path.startsWith('/api/v1/conditions') ? [record] : [],
    }),
  } as unknown as RestClient;
  let out = '';
  const terminal = {
    ...silentTerminal,
    out: (text: string) => {
      out += text;
    },
  };
  const order = {
    server: undefined,
    isWithHistory: false,
    limit: 10,
    output: { form: 'table', isWide: false },
  } as const;
  await listConditions(client, order, terminal);
  const [header = '', row = ''] = out.split('\n');
  assert.match(header, / STATE +DONE +AGE +UPDATED +MESSAGE$/);
  assert.match(row, / active +3h +3\ds ago *$/);
});
