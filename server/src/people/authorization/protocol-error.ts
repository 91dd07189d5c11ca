/** The error codes that this server uses, from RFC 6749, 7591, 8628 and 8707, and from OpenID Connect Core. */
export type ProtocolErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_client_metadata'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** Returns the message with only the characters that OAuth allows in `error_description`: ASCII without quotes and backslashes. */
export const toErrorDescription = ({ message }: { message: string }): string =>
  message.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?');

/** A rejection in OAuth format, for clients that know nothing about our own errors. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode;
  readonly status: number;

  constructor(code: ProtocolErrorCode, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
