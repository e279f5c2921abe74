import { hpeBios } from '../hpe/bios.ts';
import { makeIlo } from '../hpe/ilo-personality.ts';
import type { Personality } from '../personality.ts';
import { ilo5Lines } from './firmware.ts';
import { describeIlo5, ilo5Models } from './hardware.ts';

/** HPE iLO 5. Uploads are answered with success and no task; progress is in UpdateService itself. */
export const hpeIlo5: Personality = makeIlo({
  name: 'hpe-ilo5',
  bios: hpeBios,
  models: ilo5Models,
  describe: describeIlo5,
  biosRegistry: 'BiosAttributeRegistryU32.v1_2_68',
  service: { redfishVersion: '1.6.0', hasEventStream: false, hasBootProgress: false },
  push: { pushUri: '/cgi-bin/uploadFile' },
  generation: {
    product: 'iLO 5',
    registry: 'iLO.2.14',
    lines: ilo5Lines,
    uploadPath: '/cgi-bin/uploadFile',
    doesHideUploadTask: true,
  },
});
