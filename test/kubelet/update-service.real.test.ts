import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { realConnection } from '../real/kube-connection.ts';
import { type RealS3, startS3 } from '../real/s3/real-s3.ts';
import { runUpdateServiceContract } from './update-service-contract.ts';

const real = realConnection({ controllers: ['job-controller', 'ttl-after-finished-controller'] });
let s3: RealS3 | undefined;
after(async () => {
  await s3?.stop();
  await real.stop();
});

runUpdateServiceContract('a real kube-apiserver, with a real bucket', () => real.connect(), {
  hasJobController: true,
  async keepImages(folder) {
    s3 = await startS3(mkdtempSync(join(folder, 's3-')));
    const { accessKeyId, secretAccessKey } = s3;
    writeFileSync(join(folder, 'key.json'), JSON.stringify({ accessKeyId, secretAccessKey }), { mode: 0o600 });
    const bucket = ['--image-store', `s3://${s3.bucket}/images`, '--s3-endpoint', s3.endpoint];
    return { words: [...bucket, '--s3-key-file', join(folder, 'key.json')], secrets: [secretAccessKey] };
  },
});
