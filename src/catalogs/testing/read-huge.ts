import { readCatalog } from '../read-catalog.ts';

/** For tests: a process with little memory that reads a huge catalogue and says what it found. */
const [location = ''] = process.argv.slice(2);
const { seen, held, entries } = await readCatalog(
  { format: 'dell', location },
  { manufacturer: 'Dell', model: 'PowerEdge R640', versionsToStore: 3 },
);
process.stdout.write(JSON.stringify({ seen, held, versions: entries.map(({ version }) => version) }));
