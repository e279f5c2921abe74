import type { ReleaseLine } from '../parts/release-line.ts';

/** What differs between the generations of iLO. */
export interface HpeGeneration {
  /** `iLO 5`. */
  readonly product: string;
  /** Registry prefix of iLO's own messages. */
  readonly registry: string;
  readonly lines: readonly ReleaseLine[];
  /** `/cgi-bin/uploadFile`. */
  readonly uploadPath: string;
  /** An accepted upload is answered with a message that says success, and no task (iLO 5). */
  readonly doesHideUploadTask: boolean;
}
