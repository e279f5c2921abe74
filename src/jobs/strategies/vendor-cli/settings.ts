import { RE2JS } from 're2js';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isSameVendor } from '../../../versions/index.ts';
import { JobError } from '../../errors.ts';
import { settingsProblems } from '../settings-problems.ts';
import { placeholderNames, placeholdersIn } from './fill-command.ts';

const word = () => Type.String({ minLength: 1, maxLength: 4096 });
const pattern = () =>
  Type.String({ minLength: 1, maxLength: 1000, description: 'a regular expression, as RE2 has them' });
const codes = () => Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { maxItems: 256 });

const CommandSchema = Type.Object(
  {
    command: Type.Array(word(), { minItems: 1, maxItems: 200, description: 'the program and its arguments; no shell' }),
    credentials: Type.Optional(
      Type.Enum(['json', 'properties', 'password'], { description: 'what {credentialsFile} holds; json unless given' }),
    ),
    deadlineSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, description: '3600 unless given' })),
    successCodes: Type.Optional(codes()),
    transientCodes: Type.Optional(codes()),
    /** Lines that mean failure whatever the program ended with. */
    failurePatterns: Type.Optional(Type.Array(pattern(), { maxItems: 100 })),
  },
  { additionalProperties: false },
);

const UpdateSchema = Type.Object(
  {
    ...CommandSchema.properties,
    /** A line that says how far it is, with a group `percent`. */
    progressPattern: Type.Optional(pattern()),
    restartCodes: Type.Optional(codes()),
    restart: Type.Optional(
      Type.Enum(['never', 'always', 'by-code'], { description: 'of the host, after the command' }),
    ),
    components: Type.Optional(Type.Array(word(), { maxItems: 50, description: 'all unless given' })),
  },
  { additionalProperties: false },
);

const ScanSchema = Type.Object(
  {
    ...CommandSchema.properties,
    lines: Type.Array(
      Type.Object(
        {
          pattern: pattern(),
          component: Type.Optional(word()),
          manufacturer: Type.Optional(Type.String({ maxLength: 512 })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false },
);

/** The settings of the strategy. */
export const VendorCliSchema = Type.Object(
  {
    templates: Type.Array(
      Type.Object(
        {
          manufacturer: word(),
          model: Type.Optional(word()),
          update: UpdateSchema,
          scan: Type.Optional(ScanSchema),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500 },
    ),
    /** What commands see of the environment besides PATH, HOME and LANG. */
    environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);

/** How a command is run and judged. */
export type CommandTemplate = Static<typeof CommandSchema>;
/** How an image is installed. */
export type UpdateTemplate = Static<typeof UpdateSchema>;
/** How a server is read. */
export type ScanTemplate = Static<typeof ScanSchema>;
/** The settings of the strategy. */
export type VendorCliSettings = Static<typeof VendorCliSchema>;
/** The commands of one manufacturer or model. */
export type VendorTemplate = VendorCliSettings['templates'][number];

const validator = Compile(VendorCliSchema);

/** Checks the settings. Throws `badSettings` with all that is wrong. */
export function readVendorCliSettings(given: unknown): VendorCliSettings {
  if (!validator.Check(given)) {
    throw badSettings(settingsProblems(given, validator.Errors(given)));
  }
  const problems = given.templates.flatMap((template, at) =>
    problemsOf(template).map((text) => `templates.${at}: ${text}`),
  );
  if (problems.length > 0) throw badSettings(problems);
  return given;
}

function badSettings(problems: readonly string[]): JobError {
  return new JobError('badSettings', { strategy: 'vendor-cli' }, { problems });
}

function problemsOf({ update, scan }: VendorTemplate): string[] {
  const patterns = [
    ...(update.failurePatterns ?? []),
    ...(update.progressPattern === undefined ? [] : [update.progressPattern]),
    ...(scan?.failurePatterns ?? []),
    ...(scan?.lines.map((line) => line.pattern) ?? []),
  ];
  return [
    ...unknownPlaceholders(update.command),
    ...unknownPlaceholders(scan?.command ?? []),
    ...patterns.flatMap(patternProblem),
    ...(scan?.lines ?? []).flatMap(({ pattern: text, component }) => groupProblems(text, component)),
  ];
}

function unknownPlaceholders(command: readonly string[]): string[] {
  const [program = ''] = command;
  const problems = placeholdersIn(program).length > 0 ? ['the program itself cannot be a placeholder'] : [];
  for (const name of command.flatMap(placeholdersIn)) {
    if (name === 'password')
      problems.push('arguments can be read by everybody: give the password by {credentialsFile}');
    else if (!placeholderNames.includes(name))
      problems.push(`there is no {${name}}; there are ${placeholderNames.map((each) => `{${each}}`).join(', ')}`);
  }
  return problems;
}

function patternProblem(text: string): string[] {
  try {
    RE2JS.compile(text);
    return [];
  } catch (error) {
    return [
      `the pattern ${JSON.stringify(text)} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}

function groupProblems(text: string, component: string | undefined): string[] {
  const has = (name: string): boolean => text.includes(`(?<${name}>`) || text.includes(`(?P<${name}>`);
  const missing = [has('version') ? '' : 'version', component !== undefined || has('component') ? '' : 'component'];
  return missing
    .filter((name) => name !== '')
    .map((name) => `the pattern ${JSON.stringify(text)} has no group ${name}`);
}

/** The commands for a server: those of its model before those of its manufacturer. Throws `noTemplate`. */
export function chooseTemplate(
  { templates }: VendorCliSettings,
  server: { readonly manufacturer: string; readonly model: string },
): VendorTemplate {
  const ofMaker = templates.filter(({ manufacturer }) => isSameVendor(manufacturer, server.manufacturer));
  const plain = (model: string): string => model.trim().toLowerCase();
  const found =
    ofMaker.find(({ model }) => model !== undefined && plain(model) === plain(server.model)) ??
    ofMaker.find(({ model }) => model === undefined);
  if (found !== undefined) return found;
  throw new JobError('noTemplate', { what: 'firmware', ...server });
}
