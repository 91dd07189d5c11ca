import { randomBytes, randomInt } from 'node:crypto';
import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import { hashToken } from '../../../../plane/src/platform/token.ts';
import type { Db } from '../../platform/db/database.ts';
import { COMMAND_LINE } from './clients.ts';
import { DEVICE } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { insertDeviceCode } from './store.ts';

/** No vowels, so that no code is a word, and no Y, which some keyboards have elsewhere. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** A user code as people type it: with or without the hyphen, in any case. */
export const normalizedUserCode = (text: string): string => text.toUpperCase().replace(/[^A-Z]/g, '');

const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export type DeviceAuthorization = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};

/** Starts a login of a program without a browser. Only the command line can: agents that cannot open a browser get a token. */
export async function startDevice(
  db: Db,
  publicUrl: string,
  clientId: string,
  ip: string,
): Promise<DeviceAuthorization> {
  if (clientId !== COMMAND_LINE.id)
    throw new ProtocolError('unauthorized_client', `Only "${COMMAND_LINE.id}" can ask for a device code.`);
  const deviceCode = randomBytes(32).toString('base64url');
  const userCode = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const device = { hash: hashToken(deviceCode), userCode, clientId, network: networkOf(ip), ip };
  if (!(await insertDeviceCode(db, device)))
    throw new ProtocolError(
      'temporarily_unavailable',
      'Too many programs wait for a code. Try again in a few minutes.',
      429,
    );
  const verificationUri = `${publicUrl}/authorize`;
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${shownUserCode(userCode)}`,
    expires_in: DEVICE.seconds,
    interval: DEVICE.interval,
  };
}
