import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { topics } from './cases/index.ts';
import { knownDifferences } from './known-differences.ts';
import { referencePage, referencePagePath } from './reference-page.ts';

/** Renews the reference page. */
const path = join(import.meta.dirname, '../..', referencePagePath);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, referencePage(topics, knownDifferences));
console.log(`${referencePagePath} written`);
