import { readFile, stat } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { JobError } from './errors.ts';

const text = (maxLength = 4096) => Type.String({ minLength: 1, maxLength });

/** How the certificate of a BMC is checked, as the BMC room takes it. */
const allowsHttp = Type.Optional(Type.Boolean());
const TrustSchema = Type.Union([
  Type.Object({ kind: Type.Literal('system'), allowsHttp }),
  Type.Object({ kind: Type.Literal('ca'), caPem: text(1_000_000), allowsHttp }),
  Type.Object({ kind: Type.Literal('fingerprint'), sha256: text(), allowsHttp }),
  Type.Object({ kind: Type.Literal('insecure'), allowsHttp }),
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
  /** What the service root of the BMC is known by. */
  serviceUuid: Type.Optional(Type.String({ maxLength: 64 })),
  /** What the server is known by: the job keeps away from any other machine. */
  machine: Type.Optional(Type.Object({ uuid: Type.Optional(text()), serial: Type.Optional(text()) })),
});

/** Where a discovery keeps images, as the store room takes it; with the key of a bucket. */
const StoreSchema = Type.Union([
  Type.Object({
    kind: Type.Literal('folder'),
    folder: text(),
    publicUrl: text(),
    maxBytes: Type.Integer({ minimum: 1 }),
  }),
  Type.Object({
    kind: Type.Literal('s3'),
    bucket: Type.Object({
      endpoint: text(),
      bucket: text(),
      region: text(),
      accessKeyId: text(),
      secretAccessKey: text(),
      prefix: Type.Optional(text()),
    }),
    publicUrl: text(),
    maxBytes: Type.Integer({ minimum: 1 }),
  }),
]);

const ms = Type.Number({ minimum: 0 });
const PollSchema = Type.Object({ first: ms, most: ms, factor: Type.Optional(Type.Number({ minimum: 1 })) });

/** How patient an install is, as the flasher room takes it; what is not given is as it is by default. */
const PatienceSchema = Type.Object({
  poll: Type.Optional(PollSchema),
  retry: Type.Optional(Type.Object({ baseMs: ms, maxMs: ms })),
  followMs: Type.Optional(ms),
  verify: Type.Optional(
    Type.Object({ consecutiveReads: Type.Integer({ minimum: 1 }), deadlineMs: ms, poll: PollSchema }),
  ),
  tellEveryMs: Type.Optional(ms),
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
  /** Undefined unless images found in catalogues are to be kept. */
  store: Type.Optional(StoreSchema),
  /** What images and catalogues may be fetched from, as the egress room takes it; all but guarded addresses unless given. */
  egress: Type.Optional(
    Type.Object({ schemes: Type.Optional(Type.Array(text(16))), hosts: Type.Optional(Type.Array(text(300))) }),
  ),
  /** Take firmware that comes without a checksum. */
  areUnverifiedAllowed: Type.Optional(Type.Boolean()),
  /** Undefined for jobs that touch no server. */
  patience: Type.Optional(PatienceSchema),
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
