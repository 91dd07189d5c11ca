import type { Rejection } from './provider.ts';

/**
 * The errors of chat.postMessage and incoming webhooks that persist until somebody changes the configuration, the channel or the
 * message (see docs.slack.dev). Others, such as ratelimited, internal_error or rollup_error, may be temporary.
 */
const PERMANENT = new Set([
  // Problems with the token or the app.
  'access_denied',
  'account_inactive',
  'app_missing_action_url',
  'deprecated_endpoint',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'invalid_auth',
  'method_deprecated',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'team_access_not_granted',
  'team_not_found',
  'token_expired',
  'token_revoked',
  'two_factor_setup_required',
  // Problems with the channel.
  'as_user_not_supported',
  'cannot_reply_to_message',
  'channel_is_archived',
  'channel_not_found',
  'channel_type_not_supported',
  'is_archived',
  'messages_tab_disabled',
  'not_in_channel',
  'posting_to_general_channel_denied',
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
  'restricted_action_thread_only_channel',
  'user_not_found',
  // Problems with the message.
  'invalid_arg_name',
  'invalid_arguments',
  'invalid_array_arg',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_charset',
  'invalid_form_data',
  'invalid_payload',
  'invalid_post_type',
  'missing_post_type',
  'missing_text_or_fallback_or_attachments',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'too_many_attachments',
  // Problems with the incoming webhook.
  'action_prohibited',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
]);

/** Converts a Slack error to a rejection. Quotes the error only if it looks like one of Slack's error codes. */
export function toRejection(error: string | undefined): Rejection | undefined {
  if (error === undefined) return undefined;
  const reason = /^[a-z_]{1,60}$/.test(error) ? error : 'no reason given';
  return { message: `Slack rejected the message: ${reason}.`, isPermanent: PERMANENT.has(error) };
}
