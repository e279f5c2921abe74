import { makeIlo } from '../hpe/ilo-personality.ts';
import type { Personality } from '../personality.ts';
import { ilo6Bios } from './bios.ts';
import { ilo6Lines } from './firmware.ts';
import { describeIlo6, ilo6Models } from './hardware.ts';

/** HPE iLO 6: as iLO 5, with a task for every update, boot progress and an event stream. */
export const hpeIlo6: Personality = makeIlo({
  name: 'hpe-ilo6',
  bios: ilo6Bios,
  models: ilo6Models,
  describe: describeIlo6,
  biosRegistry: 'BiosAttributeRegistryU54.v1_1_44',
  service: { redfishVersion: '1.13.0', hasEventStream: true, hasBootProgress: true },
  push: { multipartPushUri: '/cgi-bin/uploadFile' },
  generation: {
    product: 'iLO 6',
    registry: 'iLO.2.24',
    lines: ilo6Lines,
    uploadPath: '/cgi-bin/uploadFile',
    doesHideUploadTask: false,
  },
});
