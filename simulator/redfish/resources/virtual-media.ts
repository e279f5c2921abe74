import type { Machine } from '../../machine/machine.ts';
import type { Handler, JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse, refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { root, virtualMediaPath } from './paths.ts';
import { collection, head, show } from './render.ts';
import { say, wrongFormat, wrongType } from './written-members.ts';

/** The virtual drives, under the manager or the system as the vendor has it. */
export const virtualMediaRoutes: readonly Route[] = ownRoutes([
  ...mediaRoutes(`${root}/Managers/:manager`, { areOfSystem: false }),
  ...mediaRoutes(`${root}/Systems/:system`, { areOfSystem: true }),
]);

function mediaRoutes(parent: string, { areOfSystem }: { readonly areOfSystem: boolean }): Route[] {
  const pattern = `${parent}/VirtualMedia`;
  const here = (handler: Handler): Handler => {
    return (request) => {
      const { ids } = request.machine.personality;
      const { media } = request.params;
      const isHere = ids.isVirtualMediaOfSystem === areOfSystem;
      return isHere && (media === undefined || ids.virtualMedia.includes(media))
        ? handler(request)
        : refuseMissing(request.path);
    };
  };
  return [
    {
      pattern,
      get: here(({ machine, path }) =>
        collection(
          { path, of: 'VirtualMedia' },
          machine.personality.ids.virtualMedia.map((id) => `${path}/${id}`),
        ),
      ),
    },
    {
      pattern: `${pattern}/:media`,
      get: here((request) => show(request, 'VirtualMedia', renderMedia(request.machine, String(request.params.media)))),
      patch: here(changeMedia),
    },
    { pattern: `${pattern}/:media/Actions/VirtualMedia.InsertMedia`, post: here(insertMedia) },
    { pattern: `${pattern}/:media/Actions/VirtualMedia.EjectMedia`, post: here(ejectMedia) },
  ];
}

function mediaTypes(machine: Machine, id: string): string[] {
  const { virtualMedia } = machine.personality.ids;
  const isStick = /usb|floppy|removable/i.test(id) && !/cd/i.test(id);
  return isStick && virtualMedia.length > 1 ? ['Floppy', 'USBStick'] : ['CD', 'DVD'];
}

function renderMedia(machine: Machine, id: string): JsonObject {
  const path = `${virtualMediaPath(machine)}/${id}`;
  const medium = machine.media.get(id);
  const types = mediaTypes(machine, id);
  return {
    ...head({ path, schema: 'VirtualMedia.v1_4_0', id, name: `Virtual ${types[0]}` }),
    Description: 'Virtual removable media',
    MediaTypes: types,
    Image: medium?.image ?? null,
    ImageName: medium === undefined ? null : medium.image.slice(medium.image.lastIndexOf('/') + 1),
    Inserted: medium !== undefined,
    ConnectedVia: medium === undefined ? 'NotConnected' : 'URI',
    WriteProtected: medium?.isWriteProtected ?? true,
    TransferProtocolType: null,
    UserName: null,
    Password: null,
    Actions: {
      '#VirtualMedia.InsertMedia': { target: `${path}/Actions/VirtualMedia.InsertMedia` },
      '#VirtualMedia.EjectMedia': { target: `${path}/Actions/VirtualMedia.EjectMedia` },
    },
  };
}

function insertMedia({ machine, params, body }: RedfishRequest): RedfishAnswer {
  const { Image } = body;
  const action = 'VirtualMedia.InsertMedia';
  if (Image === undefined) {
    return refuse(400, { messageId: 'ActionParameterMissing', args: [action, 'Image'], related: ['#/Image'] });
  }
  if (typeof Image !== 'string' || !isImageAddress(Image)) {
    return refuse(400, { messageId: 'ActionParameterValueFormatError', args: [say(Image), 'Image', action] });
  }
  return insert(machine, { id: String(params.media), image: Image, isWriteProtected: body.WriteProtected !== false });
}

/** A URL, a share (`//host/share`) or an export (`host:/path`). */
function isImageAddress(image: string): boolean {
  return /^(?:https?|nfs|cifs|smb|ftp):\/\/[^/]/i.test(image) || /^(?:\/\/[^/]|[^/:\s]+:\/(?!\/))/.test(image);
}

function insert(
  machine: Machine,
  order: { readonly id: string; readonly image: string; readonly isWriteProtected: boolean },
): RedfishAnswer {
  if (machine.media.get(order.id) !== undefined) {
    return refuse(409, {
      messageId: 'ResourceInUse',
      message: 'There is an image in the virtual drive already; eject it first.',
    });
  }
  machine.media.insert(order.id, { image: order.image, isWriteProtected: order.isWriteProtected });
  return { status: 204 };
}

function ejectMedia({ machine, params }: RedfishRequest): RedfishAnswer {
  if (machine.media.eject(String(params.media))) return { status: 204 };
  return refuse(409, { messageId: 'OperationFailed', message: 'There is no image in the virtual drive.' });
}

/** Inserting and ejecting as older services have it: by writing Image, with null to eject. */
function changeMedia(request: RedfishRequest): RedfishAnswer {
  const { machine, body, params } = request;
  const { Image, Inserted } = body;
  const isEject = Image === null || Image === '' || (Image === undefined && Inserted === false);
  if (isEject) {
    machine.media.eject(String(params.media));
    return confirm();
  }
  if (Image === undefined) return refuse(400, { messageId: 'PropertyMissing', args: ['Image'] });
  if (typeof Image !== 'string') return refuse(400, wrongType('Image', Image));
  if (!isImageAddress(Image)) return refuse(400, wrongFormat('Image', Image));
  const answer = insert(machine, {
    id: String(params.media),
    image: Image,
    isWriteProtected: body.WriteProtected !== false,
  });
  return answer.status === 204 ? confirm() : answer;
}
