import { readFile, stat } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { JobError } from './errors.ts';

const text = (maxLength = 4096) => Type.String({ minLength: 1, maxLength });

/** How the certificate of a BMC is checked, as the BMC room takes it. */
const TrustSchema = Type.Union([
  Type.Object({ kind: Type.Literal('system') }),
  Type.Object({ kind: Type.Literal('ca'), caPem: text(1_000_000) }),
  Type.Object({ kind: Type.Literal('fingerprint'), sha256: text() }),
  Type.Object({ kind: Type.Literal('insecure') }),
]);

/** The BMC of the job's server, with the password. */
export const JobBmcSchema = Type.Object({
  target: text(),
  origin: text(),
  username: Type.String({ maxLength: 4096 }),
  password: Type.String({ maxLength: 4096 }),
  trust: TrustSchema,
  systemPath: Type.Optional(text()),
  authentication: Type.Optional(Type.Union([Type.Literal('session'), Type.Literal('basic')])),
});

/** What a job is launched with. It comes in a file: arguments and environments can be read by others. */
export const JobFileSchema = Type.Object({
  jobId: text(256),
  token: text(),
  updateService: Type.Object({
    url: text(),
    /** Who signed its certificate, where the system does not know. */
    caPem: Type.Optional(text(1_000_000)),
    /** 2 unless given: what gRPC needs, and what listeners without TLS speak. */
    http: Type.Optional(Type.Union([Type.Literal('1.1'), Type.Literal('2')])),
  }),
  /** Undefined for jobs that touch no server. */
  bmc: Type.Optional(JobBmcSchema),
  /** Where its spans go, and the trace that they are part of; undefined where nobody traces. */
  traces: Type.Optional(Type.Object({ endpoint: text(), parent: Type.Optional(text(256)) })),
  /** What the job's own interface is served with: needed for all but loopback addresses. */
  tls: Type.Optional(
    Type.Object({ certificatePem: text(100_000), privateKeyPem: text(100_000), name: Type.Optional(text(256)) }),
  ),
});

/** What a job is launched with. */
export type JobFile = Static<typeof JobFileSchema>;

/** The BMC of the job's server, with the password. */
export type JobBmc = Static<typeof JobBmcSchema>;

const check = Compile(JobFileSchema);

/** The text of a job file: write it so that only its owner can read it. */
export function encodeJobFile(file: JobFile): string {
  return `${JSON.stringify(file)}\n`;
}

/** Reads a job file from its text. Throws `badJobFile`, with nothing of what is in it. */
export function decodeJobFile(contents: string, file: string): JobFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(contents);
  } catch {
    // Messages of the parser show pieces of the text.
    throw new JobError('badJobFile', { file }, { problems: ['it is no JSON'] });
  }
  if (check.Check(parsed)) return parsed;
  const problems = check.Errors(parsed).map(({ instancePath, message }) => `${instancePath || 'the whole'} ${message}`);
  throw new JobError('badJobFile', { file }, { problems: [...new Set(problems)].slice(0, 10) });
}

/**
 * Reads the file that a job is launched with. One that others can read is refused, except where the folder is a mounted
 * Secret: its mode is the cluster's to choose.
 */
export async function readJobFile(path: string, options: { readonly isMounted?: boolean } = {}): Promise<JobFile> {
  try {
    const { mode } = await stat(path);
    if (options.isMounted !== true && (mode & 0o077) !== 0) throw new JobError('openJobFile', { file: path });
    return decodeJobFile(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof JobError) throw error;
    const problem = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    throw new JobError('badJobFile', { file: path }, { problems: [problem], cause: error });
  }
}
