import type { JsonBody } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { PullOffer } from '../update-offer.ts';
import type { ServedImage } from './install-plan.ts';

/** What goes into a SimpleUpdate. */
export interface PullOrder {
  readonly origin: string;
  readonly offer: PullOffer;
  readonly served: ServedImage;
  readonly targets: readonly string[];
  /** The caller named the targets: they must not be left out. */
  readonly areTargetsOrdered: boolean;
  readonly applyTime: string | undefined;
  readonly isForced: boolean;
  /** Say the protocol although nothing asks for it: the BMC refused without. */
  readonly isProtocolWanted: boolean;
}

const protocolNames: Readonly<Record<string, string>> = {
  'http:': 'HTTP',
  'https:': 'HTTPS',
  'tftp:': 'TFTP',
  'sftp:': 'SFTP',
  'ftp:': 'FTP',
  'scp:': 'SCP',
  'nfs:': 'NFS',
  'cifs:': 'CIFS',
  'smb:': 'CIFS',
};

/** The body of a SimpleUpdate: the image, and of the optional members only those that the BMC knows. */
export function pullBody(order: PullOrder): JsonBody {
  const { offer, origin } = order;
  const image = splitUri(order.served, origin);
  const knows = (member: string) => offer.members === undefined || offer.members.includes(member);
  if (image.username !== undefined && !knows('Username')) {
    throw unsupported(origin, 'its SimpleUpdate takes no user name: serve the image without a log-in');
  }
  return {
    ImageURI: image.uri,
    TransferProtocol: protocolFor(order, image.uri),
    Username: image.username,
    Password: image.password,
    Targets: targetsFor(order, knows),
    ForceUpdate: order.isForced ? true : undefined,
    '@Redfish.OperationApplyTime': order.applyTime,
  };
}

/** A name and password in the URI would end in the BMC's log and ours: they go into members of their own. */
function splitUri(served: ServedImage, origin: string): ServedImage {
  if (!URL.canParse(served.uri)) {
    throw unsupported(origin, 'the URI of the image is none: give a whole one, with its scheme');
  }
  const url = new URL(served.uri);
  if (url.username === '' && url.password === '') return served;
  const username = served.username ?? decodeURIComponent(url.username);
  const password = served.password ?? decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  return { uri: url.href, username, password };
}

function protocolFor({ offer, origin, isProtocolWanted }: PullOrder, uri: string): string | undefined {
  const scheme = new URL(uri).protocol;
  const protocol = protocolNames[scheme];
  if (protocol === undefined || (offer.protocols !== undefined && !offer.protocols.includes(protocol))) {
    const offered = offer.protocols?.join(', ') ?? 'the usual ones';
    throw unsupported(origin, `it cannot fetch an image by ${scheme}//, but by ${offered}: serve it that way`);
  }
  const isAdvertised = offer.protocols !== undefined || (offer.members?.includes('TransferProtocol') ?? false);
  return isAdvertised || offer.isProtocolRequired || isProtocolWanted ? protocol : undefined;
}

function targetsFor(order: PullOrder, knows: (member: string) => boolean): string[] | undefined {
  if (order.targets.length === 0) return undefined;
  if (
    knows('Targets') &&
    (order.areTargetsOrdered || order.offer.members !== undefined || order.offer.targets !== undefined)
  ) {
    return [...order.targets];
  }
  if (order.areTargetsOrdered) throw unsupported(order.origin, 'its SimpleUpdate takes no targets: leave them away');
  return undefined;
}

function unsupported(origin: string, detail: string): BmcError {
  return new BmcError('unsupported', { origin, what: 'pull this image', detail });
}
