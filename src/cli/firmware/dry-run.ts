import type { ServerFirmwareGroup } from '../../api/index.ts';
import { type AnyKubeObject, isConflict, KubeError, type KubeObject } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { placeManifest } from '../objects/manifest-target.ts';
import type { Manifest } from '../objects/manifests.ts';
import type { Session } from '../objects/session.ts';

/** Where and as whom objects would be applied. */
export interface DryRunning {
  readonly session: Session;
  readonly flags: {
    readonly fieldManager: string;
    readonly forceConflicts?: boolean;
    /** Objects that carry a resourceVersion would be put in place of what is there, as an editor does it. */
    readonly isReplacing?: boolean;
  };
}

/** The object of a manifest as the server would make it. Throws what it would refuse it for. */
export async function dryRun<T extends KubeObject>(manifest: Manifest, { session, flags }: DryRunning): Promise<T> {
  const { resource, key } = await placeManifest(manifest, session);
  const { object } = manifest;
  const options = { fieldManager: flags.fieldManager, isDryRun: true, fieldValidation: 'Strict' } as const;
  const client = session.client.resource<T>(resource);
  try {
    if (flags.isReplacing === true && object.metadata?.resourceVersion !== undefined) {
      return await client.replace(object as unknown as T, options);
    }
    return await client.apply(object as unknown as T, { ...options, isForced: flags.forceConflicts });
  } catch (error) {
    if (!(error instanceof KubeError) || error.code === 0) throw error;
    const hint = isConflict(error) ? '\nGive up these fields in the file, or plan with --force-conflicts.' : '';
    const text = `${manifest.source}: applying ${manifest.object.kind} ${key.name} would be refused: ${error.message} (${error.reason})${hint}`;
    throw new CliError('failed', text, { cause: error });
  }
}

type Selector = ServerFirmwareGroup['spec']['serverSelector'];

/** Selects nothing, and so intersects with nothing. */
const selectsNothing: Selector = {
  matchExpressions: [
    { key: 'none', operator: 'Exists' },
    { key: 'none', operator: 'DoesNotExist' },
  ],
};

/**
 * The same for a group. One whose selector is refused beside the groups that are there may be right beside the others of the
 * files: it is worked out with a selector that nobody minds, and gets its own after that, since selectors are replaced whole.
 */
export async function dryRunGroup(
  manifest: Manifest,
  known: { readonly present: ServerFirmwareGroup | undefined; readonly hasOthers: boolean },
  running: DryRunning,
): Promise<{ readonly object: ServerFirmwareGroup; readonly refusal: CliError | undefined }> {
  const { spec, ...rest } = manifest.object as AnyKubeObject & { spec?: { serverSelector?: Selector } };
  try {
    return { object: await dryRun<ServerFirmwareGroup & KubeObject>(manifest, running), refusal: undefined };
  } catch (error) {
    const selector = spec?.serverSelector;
    if (!(error instanceof CliError) || !known.hasOthers || selector === undefined) throw error;
    const harmless = { ...spec, serverSelector: known.present?.spec.serverSelector ?? selectsNothing };
    const object = await dryRun<ServerFirmwareGroup & KubeObject>(
      { ...manifest, object: { ...rest, spec: harmless } },
      running,
    );
    const generation = (known.present?.metadata.generation ?? 0) + 1;
    return {
      object: {
        ...object,
        metadata: { ...object.metadata, generation },
        spec: { ...object.spec, serverSelector: selector },
      },
      refusal: error,
    };
  }
}
