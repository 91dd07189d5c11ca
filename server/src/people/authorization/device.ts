import { randomBytes, randomInt } from 'node:crypto';
import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import type { Db } from '../../platform/db/database.ts';
import { HALYARD_CLI } from './clients.ts';
import { DEVICE_CODE_TIMING } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { insertDeviceCode } from './store.ts';

/** Vowels are omitted so that no code spells a word, and Y is omitted because some keyboards have it on a different key. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;

/** Normalizes a user code as people type it: with or without the hyphen, in any case. */
export const normalizeUserCode = (text: string): string => text.toUpperCase().replace(/[^A-Z]/g, '');

const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const NO_DEVICE_CODES =
  'This server does not support device codes. Log in with a browser on the same machine, or with a token.';

export type DeviceAuthorization = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};

/**
 * Starts the login of a client without a browser. Only the CLI can do this: agents that cannot open a browser are given a token.
 */
export async function startDeviceAuthorization(
  db: Db,
  publicUrl: string,
  clientId: string,
  ip: string,
): Promise<DeviceAuthorization> {
  if (clientId !== HALYARD_CLI.id)
    throw new ProtocolError('unauthorized_client', `Only "${HALYARD_CLI.id}" can request a device code.`);
  const deviceCode = randomBytes(32).toString('base64url');
  const userCode = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const device = { hash: hashToken(deviceCode), userCode, clientId, network: toNetwork(ip), ip };
  if (!(await insertDeviceCode(db, device)))
    throw new ProtocolError(
      'temporarily_unavailable',
      'Too many clients are waiting for a user to enter their code. Try again in a few minutes.',
      429,
    );
  const verificationUri = `${publicUrl}/authorize`;
  return {
    device_code: deviceCode,
    user_code: formatUserCode(userCode),
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${formatUserCode(userCode)}`,
    expires_in: DEVICE_CODE_TIMING.seconds,
    interval: DEVICE_CODE_TIMING.interval,
  };
}
