import type { WebhookOptions } from '../../conditionorc/index.ts';
import { usageError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type EgressSettings, egressOf } from './egress.ts';
import { readSecretFile } from './secret-url.ts';

/** Where operators want to be told. */
export type NotifySettings = Settings<'notifyUrl' | 'notifyTokenFile' | 'notifySecretFile'> & EgressSettings;

/** The webhook that operators named, if they did. */
export function webhookOf(settings: NotifySettings): { webhook?: WebhookOptions } {
  const { notifyUrl: url, notifyTokenFile, notifySecretFile } = settings;
  if (url === undefined) {
    if (notifyTokenFile === undefined && notifySecretFile === undefined) return {};
    throw usageError('--notify-token-file and --notify-secret-file go with --notify-url');
  }
  const token = notifyTokenFile === undefined ? {} : { token: readSecretFile(notifyTokenFile, '--notify-token-file') };
  const secret =
    notifySecretFile === undefined ? {} : { secret: readSecretFile(notifySecretFile, '--notify-secret-file') };
  return { webhook: { url, ...token, ...secret, egress: egressOf(settings) } };
}
