// For tests: a vendor's tool. It says to whoever listens what it was told, and prints as such tools do.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    wire: { type: 'string' },
    credentials: { type: 'string' },
    image: { type: 'string' },
    component: { type: 'string' },
    version: { type: 'string' },
  },
});
const [action] = positionals;
const credentials = values.credentials ?? '';
const { username, password } = JSON.parse(readFileSync(credentials, 'utf8')) as { username: string; password: string };
const answer = await fetch(values.wire ?? '', {
  method: 'POST',
  body: JSON.stringify({
    action,
    username,
    password,
    mode: statSync(credentials).mode & 0o777,
    arguments: process.argv,
    environment: process.env,
    component: values.component,
    version: values.version,
    ...(values.image === undefined
      ? {}
      : { sha256: createHash('sha256').update(readFileSync(values.image)).digest('hex'), image: values.image }),
  }),
});
console.log(`logged in as ${username} with ${password}`);
console.log(await answer.text());
process.exit(Number(answer.headers.get('x-exit-code') ?? 0));
