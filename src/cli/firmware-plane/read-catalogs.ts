import { dirname, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type CatalogSource, catalogFormats, checkSource, isCatalogError } from '../../catalogs/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { readObjectFile } from './read-object-file.ts';

const text = () => Type.String({ minLength: 1, maxLength: 2048 });

const CatalogFileSchema = Type.Object(
  {
    catalogs: Type.Array(
      Type.Object(
        {
          format: Type.Enum([...catalogFormats]),
          location: text(),
          baseUrl: Type.Optional(text()),
          trustedHosts: Type.Optional(Type.Array(text(), { maxItems: 100 })),
          username: Type.Optional(text()),
          password: Type.Optional(text()),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false },
);

type CatalogOfFile = Static<typeof CatalogFileSchema>['catalogs'][number];

const checker = Compile(CatalogFileSchema);

/** The catalogues of `--catalog` and of `--catalog-file`. Throws a usage error for what is wrong with the file. */
export function readCatalogs({
  catalog = [],
  catalogFile,
}: Settings<'catalog' | 'catalogFile'>): readonly CatalogSource[] {
  if (catalogFile === undefined) return catalog;
  const content = readObjectFile(catalogFile, '--catalog-file');
  if (!checker.Check(content)) {
    throw usageError(`--catalog-file: ${catalogFile}: ${problemOf(content)}`);
  }
  const folder = dirname(catalogFile);
  return [...catalog, ...content.catalogs.map((each, index) => sourceOf(each, { file: catalogFile, folder, index }))];
}

/** What is wrong first, without any value: a password may be among them. */
function problemOf(content: unknown): string {
  const problem = checker.Errors(content).find(({ keyword }) => keyword !== 'additionalProperties');
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') || 'it';
  return `${where} ${problem?.keyword === 'boolean' ? 'is no setting that is known' : problem?.message}`;
}

interface Place {
  readonly file: string;
  readonly folder: string;
  readonly index: number;
}

function sourceOf(catalog: CatalogOfFile, { file, folder, index }: Place): CatalogSource {
  const { format, username, password, baseUrl, trustedHosts } = catalog;
  const where = `--catalog-file: ${file}: catalogs.${index}`;
  if ((username === undefined) !== (password === undefined)) {
    throw usageError(`${where} has a username or a password and not the other: a log-in is both`);
  }
  const url = URL.canParse(catalog.location) ? new URL(catalog.location) : undefined;
  if (username !== undefined && password !== undefined) {
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      throw usageError(`${where} has a log-in, which only an http or https address takes`);
    }
    // As in an address that has it: nobody is shown that part of one.
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(password);
  }
  const location = url?.href ?? resolve(folder, catalog.location);
  const source = {
    format,
    location,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(trustedHosts === undefined ? {} : { trustedHosts }),
  };
  try {
    checkSource(source);
    return source;
  } catch (error) {
    if (!isCatalogError(error)) throw error;
    throw new CliError('usage', `${where}: ${error.message}`, { cause: error });
  }
}
