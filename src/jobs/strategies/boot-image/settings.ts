import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isSameVendor } from '../../../versions/index.ts';
import { JobError } from '../../errors.ts';
import { settingsProblems } from '../settings-problems.ts';

const word = () => Type.String({ minLength: 1, maxLength: 4096 });

/** The settings of the strategy. */
export const BootImageSchema = Type.Object(
  {
    images: Type.Array(
      Type.Object(
        {
          manufacturer: Type.Optional(word()),
          model: Type.Optional(word()),
          /** Where BMCs get the image. */
          url: word(),
          mode: Type.Optional(Type.Enum(['UEFI', 'Legacy'])),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500 },
    ),
    report: Type.Object(
      {
        /** Where reports are listened for. */
        host: word(),
        port: Type.Integer({ minimum: 0, maximum: 65_535 }),
        /** How hosts and BMCs reach that; where it listens unless given. */
        publicUrl: Type.Optional(word()),
      },
      { additionalProperties: false },
    ),
    /** For all of it; four hours unless given. */
    deadlineSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 7 * 86_400 })),
    /** How long the image may say nothing; 45 minutes unless given: some flashes take long. */
    silenceSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  },
  { additionalProperties: false },
);

/** The settings of the strategy. */
export type BootImageSettings = Static<typeof BootImageSchema>;
/** An update image. */
export type UpdateImage = BootImageSettings['images'][number];

const validator = Compile(BootImageSchema);

/** Checks the settings. Throws `badSettings` with all that is wrong. */
export function readBootImageSettings(given: unknown): BootImageSettings {
  if (!validator.Check(given)) {
    const problems = settingsProblems(given, validator.Errors(given));
    throw new JobError('badSettings', { strategy: 'boot-image' }, { problems });
  }
  const urls = [
    ...given.images.map(({ url }) => url),
    ...(given.report.publicUrl === undefined ? [] : [given.report.publicUrl]),
  ];
  const problems = urls
    .filter((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    .map((url) => `${url} is no http or https address`);
  if (problems.length > 0) throw new JobError('badSettings', { strategy: 'boot-image' }, { problems });
  return given;
}

/** The image for a server: that of its model before that of its manufacturer before that for all. Throws `noImage`. */
export function chooseImage(
  { images }: BootImageSettings,
  server: { readonly manufacturer: string; readonly model: string },
): UpdateImage {
  const plain = (text: string): string => text.trim().toLowerCase();
  const isMaker = ({ manufacturer }: UpdateImage): boolean =>
    manufacturer !== undefined && isSameVendor(manufacturer, server.manufacturer);
  const found =
    images.find((one) => isMaker(one) && one.model !== undefined && plain(one.model) === plain(server.model)) ??
    images.find((one) => isMaker(one) && one.model === undefined) ??
    images.find(({ manufacturer, model }) => manufacturer === undefined && model === undefined);
  if (found !== undefined) return found;
  throw new JobError('noImage', server);
}
