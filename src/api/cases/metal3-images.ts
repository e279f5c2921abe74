import { dataImage } from '../metal3/data-image.ts';
import { metal3ApiVersion } from '../metal3/group.ts';
import { preprovisioningImage } from '../metal3/preprovisioning-image.ts';
import { casesOf, type KindCase } from './kind-case.ts';

const metadata = { name: 'host', namespace: 'default' };
const base = (kind: string) => ({ apiVersion: metal3ApiVersion, kind, metadata });

const data = casesOf(dataImage, 'v1alpha1', { ...base('DataImage'), spec: { url: 'https://example.com/data.iso' } });
const dataCases: KindCase[] = [
  data.accepts('an image', {}),
  data.refuses('a spec without a URL', { 'spec/url': undefined }, { field: 'spec.url', reason: 'FieldValueRequired' }),
  data.refuses('a URL that is a number', { 'spec/url': 7 }, { field: 'spec.url', reason: 'FieldValueTypeInvalid' }),
  data.update('another image', {}, { 'spec/url': 'https://example.com/other.iso' }, 'accepted'),
  data.status('an attached image', { attachedImage: { url: 'https://example.com/data.iso' } }, 'accepted'),
  data.status(
    'an error without a count',
    { error: { message: 'no drive' } },
    { field: 'status.error.count', reason: 'FieldValueRequired' },
  ),
];

const boot = casesOf(preprovisioningImage, 'v1alpha1', { ...base('PreprovisioningImage'), spec: {} });
const bootCases: KindCase[] = [
  boot.accepts('nothing in particular', {}),
  boot.accepts('both formats', { 'spec/acceptFormats': ['iso', 'initrd'], 'spec/architecture': 'aarch64' }),
  boot.refuses(
    'an unknown format',
    { 'spec/acceptFormats': ['qcow2'] },
    { field: 'spec.acceptFormats[0]', reason: 'FieldValueNotSupported' },
  ),
  boot.refuses(
    'an architecture that is a number',
    { 'spec/architecture': 64 },
    { field: 'spec.architecture', reason: 'FieldValueTypeInvalid' },
  ),
  boot.status(
    'an image that was built',
    { imageUrl: 'http://images/a.iso', format: 'iso', networkData: { name: 'n', version: '7' } },
    'accepted',
  ),
  boot.status(
    'an image of an unknown format',
    { imageUrl: 'http://images/a', format: 'raw' },
    { field: 'status.format', reason: 'FieldValueNotSupported' },
  ),
];

/** Cases of DataImage and PreprovisioningImage. */
export const metal3ImageCases: readonly KindCase[] = [...dataCases, ...bootCases];
